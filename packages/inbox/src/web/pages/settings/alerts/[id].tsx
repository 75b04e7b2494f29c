import { ErrorSummary, invalid, notFound, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { ButtonForm, FieldForm, SubmitButton } from '../../../components/shared/controls.tsx'
import { toId } from '../../../../to-id.ts'
import { requireAdmin } from '../../../../access/guard.ts'
import { textOf } from '@hull/shell'
import { checkChannel } from '../../../../alerts/channel-input.ts'
import { ChannelFields, CHANNEL_WORDS } from '../../../components/settings/channel-form.tsx'
import { Confirm, DangerZone } from '../../../components/shared/confirm.tsx'
import { Copyable } from '../../../components/shared/copyable.tsx'
import { DeliveryList } from '../../../components/settings/delivery-list.tsx'
import { Crumbs, Empty, Pair, Section } from '../../../components/shared/parts.tsx'
import { Text } from '../../../components/shared/text.tsx'
import { TimeAgo } from '../../../components/shared/time.tsx'
import { readChannelForm, sendNow, toChannelValues } from '../../../view-models/alert-forms.ts'
import { setSavedMessage } from '../../../view-models/flash-message.ts'

export const layout = 'inbox-settings'

type Address = '/inbox/settings/alerts/[id]'

export const guard = (ctx: Ctx) => requireAdmin(ctx)

export async function getData({ server, params }: Ctx<Address>) {
  const { queries } = server.inbox!
  const id = toId(params.id) || notFound('This channel does not exist.')
  const [channel, deliveries] = await Promise.all([queries.getChannel({ id }), queries.listDeliveries({ channel: id })])
  const { kind, name, secret, paused } = channel
  return { id, kind, name, secret, paused, values: toChannelValues(channel), deliveries }
}

export const getMeta = () => ({ title: 'Channel · Settings · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx<Address>) {
  const { form, server } = ctx
  const { person: by } = await requireAdmin(ctx)
  const { id, kind } = await getData(ctx)
  const { changes } = server.inbox!
  const intent = form.get('intent')
  if (intent === 'save') {
    const input = readChannelForm(form)
    const checked = checkChannel(kind, input)
    if ('errors' in checked) return invalid(checked.errors as Record<string, string>)
    await changes.changeChannel({ id, ...input, by, now: server.inboxAlerts.now() })
    setSavedMessage(ctx, 'channel')
  } else if (intent === 'test') {
    const { baseUrl, now } = server.inboxAlerts
    await changes.testChannel({ id, now: now(), wall: Date.now(), baseUrl })
    await sendNow(server)
  } else if (intent === 'resume') {
    await changes.resumeChannel({ id, by })
  } else if (intent === 'renew') {
    await changes.renewChannelSecret({ id, by })
    setSavedMessage(ctx, 'secret')
  } else if (intent === 'retry') {
    await changes.retryAlert({ id: textOf(form, 'message'), now: server.inboxAlerts.now() })
    await sendNow(server)
  } else if (intent === 'remove') {
    await changes.removeChannel({ id, by })
    redirect('/inbox/settings/alerts')
  }
}

export default function ChannelPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { kind, name, secret, paused, values, deliveries } = data
  return (
    <>
      <Crumbs above={[{ href: '/inbox/settings/alerts', label: 'Alerts' }]} here={name} />
      <Section id="channel" title={<Text max={80}>{name}</Text>}>
        <dl className="pairs">
          <Pair name="Kind">{CHANNEL_WORDS[kind]}</Pair>
          {kind === 'webhook' && (
            <Pair name="Secret">
              <Copyable text={secret} label="Secret" />
            </Pair>
          )}
        </dl>
        {kind === 'webhook' && (
          <p className="lead">
            Each message is signed with the secret, as{' '}
            <a href="https://www.standardwebhooks.com" rel="noreferrer">
              Standard Webhooks
            </a>{' '}
            defines it: your receiver verifies <code>webhook-signature</code> with any of its libraries.
          </p>
        )}
        {paused !== undefined && (
          <form method="post" className="row">
            <span className="state state-warn">
              Unsubscribed <TimeAgo at={paused} />
            </span>
            <SubmitButton intent="resume" label="Resume" />
          </form>
        )}
        <ButtonForm kind="main" intent="test" label="Send test message" />
      </Section>
      <Section id="channel-settings" title="Settings">
        <ErrorSummary form={form} title="Your change was not applied" />
        <FieldForm data-keep-scroll submit={<SubmitButton intent="save" label="Save" />}>
          <ChannelFields form={form ?? { errors: {}, values }} />
        </FieldForm>
      </Section>
      <Section id="log" title="Delivery log">
        {deliveries.length > 0 ? (
          <DeliveryList rows={deliveries} hasChannel />
        ) : (
          <Empty title="No messages yet">
            <p>Each message to this channel appears here with its attempts.</p>
          </Empty>
        )}
      </Section>
      <DangerZone>
        {kind === 'webhook' && (
          <Confirm label="Rotate secret" intent="renew">
            Messages are signed with a new secret immediately. The receiver refuses them until it has the new one.
          </Confirm>
        )}
        <Confirm label="Remove channel" intent="remove">
          The channel is removed with its rules and thresholds. Messages that wait are not sent.
        </Confirm>
      </DangerZone>
    </>
  )
}
