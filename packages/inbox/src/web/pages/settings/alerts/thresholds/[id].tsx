import { ErrorSummary, invalid, notFound, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { ButtonForm, FieldForm, SubmitButton } from '../../../../components/shared/controls.tsx'
import { requireAdmin } from '../../../../../access/guard.ts'
import { checkThreshold } from '../../../../../alerts/threshold-input.ts'
import { THRESHOLD_WORDS, toCondition, toFigureText } from '../../../../alert-words.ts'
import { Confirm, DangerZone } from '../../../../components/shared/confirm.tsx'
import { Crumbs, Pair, Section } from '../../../../components/shared/parts.tsx'
import { Text } from '../../../../components/shared/text.tsx'
import { ThresholdFields, toThresholdValues } from '../../../../components/settings/threshold-form.tsx'
import { ThresholdState } from '../../../../components/settings/threshold-state.tsx'
import { useZone } from '../../../../components/shared/use-zone.ts'
import { setSavedMessage } from '../../../../view-models/flash-message.ts'
import { orInvalid } from '../../../../view-models/or-invalid.ts'
import { readThresholdForm } from '../../../../view-models/alert-forms.ts'

export const layout = 'inbox-settings'

type Address = '/inbox/settings/alerts/thresholds/[id]'

const LIST = '/inbox/settings/alerts/thresholds'

export const guard = (ctx: Ctx) => requireAdmin(ctx)

export async function getData({ server, params }: Ctx<Address>) {
  const { queries } = server.inbox!
  const [thresholds, channels] = await Promise.all([
    queries.listThresholds({ now: Date.now() }),
    queries.listChannels()
  ])
  const measured = thresholds.find(({ threshold }) => String(threshold.id) === params.id)
  if (!measured) notFound('This threshold does not exist. Somebody may have removed it.')
  return { ...measured, channels: channels.map(({ id, name }) => ({ id, name })) }
}

export const getMeta = () => ({ title: 'Threshold · Settings · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx<Address>) {
  const { form, server } = ctx
  const { person: by } = await requireAdmin(ctx)
  const { threshold } = await getData(ctx)
  const { changes } = server.inbox!
  const { id } = threshold
  const intent = form.get('intent')
  if (intent === 'save') {
    const { channel, bound, minimum, tellsEnd } = readThresholdForm(form, threshold.kind)
    const errors = checkThreshold({ ...threshold, bound, minimum })
    if (errors) return invalid(errors as Record<string, string>)
    const change = changes.changeThreshold({ id, channel, bound, minimum, tellsEnd, by })
    const refused = await orInvalid(change, 'APP_INBOX_THRESHOLD_INVALID', 'form')
    if (refused) return refused
    setSavedMessage(ctx, 'threshold')
  } else if (intent === 'enable' || intent === 'disable') {
    await changes.enableThreshold({ id, isEnabled: intent === 'enable', by })
  } else if (intent === 'remove') {
    await changes.removeThreshold({ id, by })
    redirect(LIST)
  }
}

export default function ThresholdPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const zone = useZone()
  const { threshold, reading, isPast, channels } = data
  const { kind, issue, issueTitle, projectName, isEnabled } = threshold
  return (
    <>
      <Crumbs
        above={[
          { href: '/inbox/settings/alerts', label: 'Alerts' },
          { href: LIST, label: 'Thresholds' }
        ]}
        here={THRESHOLD_WORDS[kind]}
      />
      <Section id="threshold" title={toCondition(threshold)}>
        <dl className="pairs">
          <Pair name="Project">
            <Text max={80}>{projectName}</Text>
          </Pair>
          {issue !== undefined && (
            <Pair name="Issue">
              {issueTitle === undefined ? (
                'It was deleted or merged: remove this threshold.'
              ) : (
                <a href={`/inbox/issues/${issue}`}>
                  <Text max={120}>{issueTitle}</Text>
                </a>
              )}
            </Pair>
          )}
          <Pair name="Current value">{toFigureText(threshold, reading, zone)}</Pair>
          <Pair name="State">
            <ThresholdState threshold={threshold} isPast={isPast} />
          </Pair>
        </dl>
        <ButtonForm intent={isEnabled ? 'disable' : 'enable'} label={isEnabled ? 'Switch off' : 'Switch on'} />
      </Section>
      <Section id="threshold-settings" title="Settings">
        <ErrorSummary form={form} title="Your change was not applied" />
        <FieldForm data-keep-scroll submit={<SubmitButton intent="save" label="Save" />}>
          <ThresholdFields
            kind={kind}
            isNew={false}
            channels={channels}
            form={form ?? { errors: {}, values: toThresholdValues(threshold) }}
          />
        </FieldForm>
      </Section>
      <DangerZone>
        <Confirm label="Remove threshold" intent="remove">
          The threshold is removed. If it fires now, no message says that it ended.
        </Confirm>
      </DangerZone>
    </>
  )
}
