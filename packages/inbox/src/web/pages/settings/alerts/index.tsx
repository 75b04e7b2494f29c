import { ErrorSummary, invalid, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { ButtonForm, FieldForm, LinkButton, SubmitButton } from '../../../components/shared/controls.tsx'
import { toId } from '../../../../to-id.ts'
import { requireAdmin } from '../../../../access/guard.ts'
import { textOf } from '@hull/shell'
import { checkChannel } from '../../../../alerts/channel-input.ts'
import { CHANNEL_KINDS, type ChannelKind, type RuleKind } from '../../../../alerts/types.ts'
import type { Level } from '../../../../store/model.ts'
import { ChannelFields, CHANNEL_WORDS } from '../../../components/settings/channel-form.tsx'
import { Choice } from '../../../components/settings/choice.tsx'
import { DeliveryList } from '../../../components/settings/delivery-list.tsx'
import { RuleForm } from '../../../components/settings/rule-form.tsx'
import { Empty, Section } from '../../../components/shared/parts.tsx'
import { Table, TextCell } from '../../../components/shared/table.tsx'
import { Text } from '../../../components/shared/text.tsx'
import { LEVEL_WORDS, PROPOSED_LEVEL, RULE_WORDS } from '../../../alert-words.ts'
import { parseNames } from '../../../../alerts/rules.ts'
import { readChannelForm, sendNow } from '../../../view-models/alert-forms.ts'
import { orInvalid } from '../../../view-models/or-invalid.ts'

export const layout = 'inbox-settings'

/** Messages of the log to show here. */
const LISTED = 10

export const guard = (ctx: Ctx) => requireAdmin(ctx)

export async function getData({ server }: Ctx) {
  const { queries } = server.inbox!
  const [projects, channels, rules, deliveries] = await Promise.all([
    queries.listProjects(),
    queries.listChannels(),
    queries.listRules(),
    queries.listDeliveries({})
  ])
  return {
    projects: projects.map(({ id, name }) => ({ id, name })),
    channels: channels.map(({ id, name, kind, target }) => ({
      id,
      name,
      kind,
      host: kind === 'mail' ? target : new URL(target).host
    })),
    rules,
    deliveries: deliveries.slice(0, LISTED),
    hasMore: deliveries.length > LISTED,
    hasMail: server.inboxAlerts.hasMail,
    hasBaseUrl: server.inboxAlerts.baseUrl !== undefined
  }
}

export const getMeta = () => ({ title: 'Alerts · Settings · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { form, server } = ctx
  const { person: by } = await requireAdmin(ctx)
  const { changes } = server.inbox!
  const intent = form.get('intent')
  if (intent === 'create-channel') {
    const kind = textOf(form, 'kind') as ChannelKind
    const input = readChannelForm(form)
    if (!CHANNEL_KINDS.includes(kind)) return invalid({ kind: 'Choose a kind.' })
    const checked = checkChannel(kind, input)
    if ('errors' in checked) return invalid(checked.errors as Record<string, string>)
    const id = await orInvalid(changes.createChannel({ kind, ...input, by }), 'APP_INBOX_CHANNEL_INVALID', 'form')
    if (typeof id !== 'number') return id
    redirect(`/inbox/settings/alerts/${id}`)
  } else if (intent === 'create-rule') {
    const kind = textOf(form, 'when') as RuleKind
    const [project, channel] = [toId(form.get('project')), toId(form.get('channel'))]
    const environments = parseNames(textOf(form, 'environments'))
    // A tab from before the upgrade sends none.
    const level = (textOf(form, 'level') || PROPOSED_LEVEL) as Level
    const change = changes.createRule({ project, kind, channel, environments, level, by })
    return orInvalid(change, 'APP_INBOX_RULE_INVALID', 'rule')
  } else if (intent === 'remove-rule') {
    await changes.removeRule({ id: toId(form.get('rule')), by })
  } else if (intent === 'retry') {
    await changes.retryAlert({ id: textOf(form, 'message'), now: server.inboxAlerts.now() })
    await sendNow(server)
  }
}

export default function AlertsPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { projects, channels, rules, deliveries, hasMore, hasMail, hasBaseUrl } = data
  const refusedChannel = form?.errors.rule === undefined ? form : undefined
  return (
    <>
      <Section id="rules" title="Rules">
        {rules.length > 0 ? (
          <Rules rows={rules} />
        ) : (
          <Empty title="No rules yet">
            <p>
              A rule sends a message to a channel when something happens in a project. Create a channel first, then a
              rule.
            </p>
          </Empty>
        )}
        {channels.length > 0 && <RuleForm projects={projects} channels={channels} values={form?.values} />}
        {form?.errors.rule && (
          <p className="field-error" role="alert">
            {form.errors.rule}
          </p>
        )}
      </Section>
      <Section id="thresholds" title="Thresholds">
        <p className="lead">
          A threshold sends a message about a spike of errors, a low rate of crash-free sessions, or a poor web vital.
        </p>
        <p>
          <LinkButton href="/inbox/settings/alerts/thresholds" label="Thresholds" />
        </p>
      </Section>
      <Section id="channels" title="Channels">
        {channels.length > 0 && (
          <ul className="entries">
            {channels.map(({ id, name, kind, host }) => (
              <li key={id}>
                <p>
                  <a href={`/inbox/settings/alerts/${id}`}>
                    <Text max={60}>{name}</Text>
                  </a>
                  <span className="quiet">{` · ${CHANNEL_WORDS[kind]} · ${host}`}</span>
                </p>
              </li>
            ))}
          </ul>
        )}
        {!hasMail && (
          <p className="lead">
            Set <code>INBOX_SMTP_URL</code> and <code>INBOX_MAIL_FROM</code> to send mails.
          </p>
        )}
        {!hasBaseUrl && (
          <p className="lead">
            Set <code>BASE_URL</code> in the environment of the server: messages then link to their issues.
          </p>
        )}
      </Section>
      <Section id="new-channel" title="New channel">
        <ErrorSummary form={refusedChannel} title="The channel was not created" />
        <FieldForm submit={<SubmitButton kind="main" intent="create-channel" label="Create channel" />}>
          <div className="field">
            <Choice
              name="kind"
              label="Kind"
              options={CHANNEL_KINDS.map((kind) => [kind, CHANNEL_WORDS[kind]])}
              value={refusedChannel?.values['kind']}
            />
          </div>
          <ChannelFields form={refusedChannel ?? { errors: {}, values: { groupMinutes: '1', zone: 'UTC' } }} />
        </FieldForm>
      </Section>
      <Section id="log" title="Delivery log">
        {deliveries.length > 0 ? (
          <DeliveryList rows={deliveries} />
        ) : (
          <Empty title="No messages yet">
            <p>Each message appears here with its attempts. Send a test message on the page of a channel.</p>
          </Empty>
        )}
        {hasMore && <p className="quiet">The page of a channel lists its last 100 messages.</p>}
      </Section>
    </>
  )
}

function Rules({ rows }: { rows: PageProps<typeof getData>['data']['rules'] }) {
  return (
    <Table columns={['When', 'Project', 'Level', 'Environments', 'Channel', 'Change']}>
      {rows.map(({ id, kind, projectName, level, environments, channelName }) => (
        <tr key={id}>
          <th scope="row">{RULE_WORDS[kind]}</th>
          <TextCell label="Project" text={projectName} />
          <TextCell label="Level" text={LEVEL_WORDS[level]} />
          <TextCell label="Environments" text={environments.join(', ') || 'all'} />
          <TextCell label="Channel" text={channelName} />
          <td>
            <ButtonForm
              fields={{ rule: id }}
              intent="remove-rule"
              aria-label={`Remove the rule: ${RULE_WORDS[kind]} in ${projectName}`}
              label="Remove"
            />
          </td>
        </tr>
      ))}
    </Table>
  )
}
