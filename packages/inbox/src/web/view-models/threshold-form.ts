import { textOf } from '@hull/shell'
import { toId } from '../../to-id.ts'
import type { ThresholdKind, ThresholdSubject } from '../../alerts/types.ts'
import type { ThresholdInput } from '../../mutations/alert-types.ts'
import type { Vital } from '../../store/model.ts'

/** Values of a threshold's form. Numbers that cannot be read are NaN. */
export function readThresholdForm(form: FormData, kind: ThresholdKind): ThresholdSubject & ThresholdInput {
  const issue = textOf(form, 'issue').trim().replace(/^#/, '')
  return {
    kind,
    ...(kind === 'spike' && issue !== '' && { issue: Number(issue) }),
    ...(kind === 'vital' && { vital: textOf(form, 'vital') as Vital }),
    bound: Number(textOf(form, 'bound').trim() || 'none'),
    minimum: Number(textOf(form, 'minimum').trim() || 'none'),
    channel: toId(form.get('channel')),
    tellsEnd: textOf(form, 'tellsEnd') === 'on'
  }
}
