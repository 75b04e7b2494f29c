import { MAX_ENVIRONMENT, VITALS } from '../store/model.ts'
import type { ThresholdKind, ThresholdSubject } from './types.ts'

/** Largest minimum number of events, sessions or samples. */
const MAX_MINIMUM = 1_000_000

/** Milliseconds. */
const MAX_VITAL = 600_000
const MAX_CLS = 10
const MAX_FACTOR = 1_000

export type ThresholdErrors = Partial<Record<'issue' | 'vital' | 'environment' | 'bound' | 'minimum', string>>

/** Checks the numbers that an admin entered. @returns a sentence for each wrong value, or undefined */
export function checkThreshold(subject: ThresholdSubject): ThresholdErrors | undefined {
  const { kind, issue, vital, environment, bound, minimum } = subject
  const errors: ThresholdErrors = {}
  if (kind === 'vital' && !VITALS.includes(vital!)) errors.vital = 'Choose a web vital.'
  if (issue !== undefined && !Number.isSafeInteger(issue))
    errors.issue = 'Enter the number of an issue, such as 7, or nothing for all errors.'
  if (environment !== undefined && environment.length > MAX_ENVIRONMENT)
    errors.environment = `Enter a name of at most ${MAX_ENVIRONMENT} characters.`
  else if (environment !== undefined && issue !== undefined)
    errors.environment = 'Enter nothing for an issue: its events are counted in all environments together.'
  const range = RANGES[kind](subject)
  if (!(bound >= range.least && bound <= range.most)) errors.bound = range.error
  if (!(Number.isSafeInteger(minimum) && minimum >= 1 && minimum <= MAX_MINIMUM))
    errors.minimum = 'Enter a whole number from 1 to 1,000,000.'
  return Object.keys(errors).length > 0 ? errors : undefined
}

interface Range {
  least: number
  most: number
  error: string
}

const RANGES: Record<ThresholdKind, (subject: ThresholdSubject) => Range> = {
  spike: () => ({ least: 1, most: MAX_FACTOR, error: 'Enter a number from 1 to 1,000.' }),
  'crash-free': () => ({ least: 0.01, most: 100, error: 'Enter a percentage from 0.01 to 100.' }),
  vital: ({ vital }) =>
    vital === 'CLS'
      ? { least: 0.001, most: MAX_CLS, error: 'Enter a layout shift from 0.001 to 10, such as 0.1.' }
      : { least: 1, most: MAX_VITAL, error: 'Enter milliseconds from 1 to 600,000, such as 2500.' }
}
