import { Field, type FormState } from '@hull/shell/client'
import type { AlertThreshold, ThresholdKind } from '../../../alerts/types.ts'
import { VITAL_BOUNDS } from '../../vitals.ts'
import { Choice } from './choice.tsx'

interface ThresholdFieldsProps {
  kind: ThresholdKind
  /** A threshold that exists keeps its environment, its vital and its issue. */
  isNew: boolean
  channels: { id: number; name: string }[]
  /** Stored values, or refused ones with their errors. */
  form: FormState<Record<string, string>, Record<string, string>>
}

const GOOD = Object.entries(VITAL_BOUNDS)
  .map(([name, { good }]) => `${name} ${good}`)
  .join(', ')

const WORDS: Record<ThresholdKind, { bound: string; boundHint: string; minimum: string; minimumHint: string }> = {
  spike: {
    bound: 'Times the usual rate',
    boundHint: 'The usual rate is the median of the last seven days by hour.',
    minimum: 'Minimum number of errors',
    minimumHint: 'With fewer errors in the last hour, it does not fire.'
  },
  'crash-free': {
    bound: 'Percent of sessions without a crash',
    boundHint: 'It fires below this.',
    minimum: 'Minimum number of sessions',
    minimumHint: 'With fewer sessions, its state does not change.'
  },
  vital: {
    bound: '75th percentile',
    boundHint: `It fires above this: milliseconds, for CLS without a unit. Good values are up to: ${GOOD}.`,
    minimum: 'Minimum number of samples',
    minimumHint: 'With fewer samples, its state does not change.'
  }
}

/** Values of a new threshold. The numbers are guesses to begin with. */
export const NEW_VALUES: Record<ThresholdKind, Record<string, string>> = {
  spike: { bound: '5', minimum: '50', tellsEnd: 'on' },
  'crash-free': { bound: '99', minimum: '100', tellsEnd: 'on' },
  vital: { vital: 'LCP', bound: '2500', minimum: '100', tellsEnd: 'on' }
}

/** Values of a threshold, for its form. */
export const toThresholdValues = ({ bound, minimum, channel, tellsEnd }: AlertThreshold): Record<string, string> => ({
  bound: String(bound),
  minimum: String(minimum),
  channel: String(channel),
  ...(tellsEnd && { tellsEnd: 'on' })
})

/** Fields of a threshold, for its creation and its page. */
export function ThresholdFields({ kind, isNew, channels, form }: ThresholdFieldsProps) {
  const { bound, boundHint, minimum, minimumHint } = WORDS[kind]
  const { values } = form
  return (
    <>
      {isNew && kind === 'spike' && (
        <Field
          name="issue"
          label="Issue"
          hint="The number of an issue, such as 7. Leave it empty for all errors of the project."
          form={form}
          inputMode="numeric"
          autoComplete="off"
        />
      )}
      {isNew && kind === 'vital' && (
        <div className="field">
          <Choice
            name="vital"
            label="Web vital"
            options={Object.keys(VITAL_BOUNDS).map((name) => [name, name])}
            value={values.vital}
          />
        </div>
      )}
      {isNew && (
        <Field
          name="environment"
          label="Environment"
          hint="Such as production. Leave it empty for all environments together."
          form={form}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <Field name="bound" label={bound} hint={boundHint} form={form} inputMode="decimal" autoComplete="off" />
      <Field name="minimum" label={minimum} hint={minimumHint} form={form} inputMode="numeric" autoComplete="off" />
      <div className="field">
        <Choice
          name="channel"
          label="Send to"
          options={channels.map(({ id, name }) => [id, name])}
          value={values.channel}
        />
      </div>
      <p>
        <label>
          <input type="checkbox" name="tellsEnd" value="on" defaultChecked={values.tellsEnd === 'on'} /> Send a message
          when it no longer fires
        </label>
      </p>
    </>
  )
}
