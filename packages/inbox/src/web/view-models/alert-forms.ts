import { textOf } from '@hull/shell'
import { completesWithin } from '@hull/common/completes-within.ts'
import { MINUTE, SECOND } from '@hull/common/time.ts'
import type { FastifyInstance } from 'fastify'
import { fromMinutes } from '../../alerts/channel-input.ts'
import { toId } from '../../to-id.ts'
import type { AlertChannel, ThresholdKind, ThresholdSubject } from '../../alerts/types.ts'
import type { ChannelInput, ThresholdInput } from '../../mutations/alert-types.ts'
import type { Vital } from '../../store/model.ts'

/** Milliseconds for which a page waits for the result of a test message; the log shows it later in any case. */
const TEST_PATIENCE = 3 * SECOND

/** Values of a channel's form. */
export const readChannelForm = (form: FormData): ChannelInput => ({
  name: textOf(form, 'name'),
  target: textOf(form, 'target'),
  groupMinutes: Number(textOf(form, 'groupMinutes').trim() || '0'),
  quietFrom: textOf(form, 'quietFrom'),
  quietUntil: textOf(form, 'quietUntil'),
  zone: textOf(form, 'zone')
})

/** Values of a channel, for its form. */
export const toChannelValues = ({ name, target, groupWindow, quiet, zone }: AlertChannel) => ({
  name,
  target,
  groupMinutes: String(groupWindow / MINUTE),
  quietFrom: quiet ? fromMinutes(quiet.from) : '',
  quietUntil: quiet ? fromMinutes(quiet.until) : '',
  zone
})

/** Values of a threshold's form. Numbers that cannot be read are NaN. */
export function readThresholdForm(form: FormData, kind: ThresholdKind): ThresholdSubject & ThresholdInput {
  const issue = textOf(form, 'issue').trim().replace(/^#/, '')
  const environment = textOf(form, 'environment').trim()
  return {
    kind,
    ...(kind === 'spike' && issue !== '' && { issue: Number(issue) }),
    ...(kind === 'vital' && { vital: textOf(form, 'vital') as Vital }),
    ...(environment !== '' && { environment }),
    bound: Number(textOf(form, 'bound').trim() || 'none'),
    minimum: Number(textOf(form, 'minimum').trim() || 'none'),
    channel: toId(form.get('channel')),
    tellsEnd: textOf(form, 'tellsEnd') === 'on'
  }
}

/** Sends what is due now, and waits a moment for the result. */
export async function sendNow({ inboxAlerts, log }: FastifyInstance): Promise<void> {
  const sent = inboxAlerts.run().catch((err) => log.error({ err }, 'an alert cannot be sent'))
  await completesWithin(sent, TEST_PATIENCE)
}
