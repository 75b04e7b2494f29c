import { toVisibleText } from '@hull/common/visible-text.ts'
import type { Level } from '../store/model.ts'
import type { RuleKind, ThresholdKind, ThresholdReading, ThresholdSubject } from '../alerts/types.ts'
import { andAbove, countOf, formatClock, withCommas } from './components/shared/format.ts'
import { formatVital } from './components/vital.ts'
import { zoneName, type Zone } from './components/shared/zone.ts'

/** Conditions of rules. */
export const RULE_WORDS: Record<RuleKind, string> = {
  new: 'A new issue appears',
  regressed: 'A resolved issue regresses',
  reopened: 'An ignored issue is back',
  'monitor-failed': 'A monitor fails',
  'monitor-recovered': 'A monitor recovers',
  feedback: 'A visitor sends feedback'
}

/** Levels that a rule alerts of, by the lowest. */
export const LEVEL_WORDS: Record<Level, string> = {
  debug: 'all',
  info: andAbove('info'),
  warning: andAbove('warning'),
  error: andAbove('error'),
  fatal: andAbove('fatal')
}

/**
 * The level that the form of a new rule proposes. Levels below it are messages to look up later, not to act on.
 * @see docs/decisions/080-alerts.md
 */
export const PROPOSED_LEVEL: Level = 'warning'

/** Names of the kinds of thresholds. */
export const THRESHOLD_WORDS: Record<ThresholdKind, string> = {
  spike: 'Spike of errors',
  'crash-free': 'Crash-free sessions',
  vital: 'Web vital'
}

/** Bound of a threshold: `more than 5 × the usual rate, and at least 50`. */
export function toBoundText({ kind, vital, bound, minimum }: ThresholdSubject): string {
  if (kind === 'crash-free') return `below ${bound} %, of at least ${countOf(minimum, 'session')}`
  if (kind === 'vital') return `above ${formatVital(vital!, bound)}, of at least ${countOf(minimum, 'sample')}`
  return `more than ${bound} × the usual rate, and at least ${withCommas(minimum)}`
}

/** Condition of a threshold: `Errors of an hour in production: more than 5 × the usual rate, and at least 50`. */
export function toCondition(threshold: ThresholdSubject): string {
  const { kind, issue, vital, environment } = threshold
  const errors = issue === undefined ? 'Errors of an hour' : `Events of issue #${issue} in an hour`
  const names = { spike: errors, 'crash-free': 'Crash-free sessions', vital: `75th percentile of ${vital}` }
  const where = environment === undefined ? '' : ` in ${toVisibleText(environment)}`
  return `${names[kind]}${where}: ${toBoundText(threshold)}`
}

/**
 * Figure of a threshold: `312 errors in the last hour, usually 12`.
 * @param zone of the reader. @default UTC, for messages
 */
export function toFigureText(
  { kind, issue, vital }: ThresholdSubject,
  reading: ThresholdReading,
  zone: Zone = 'UTC'
): string {
  const { value, samples, usual = 0, since } = reading
  if (kind === 'spike')
    return `${countOf(value, issue === undefined ? 'error' : 'event')} in the last hour, usually ${withCommas(usual)}`
  const from = `since ${formatClock(since, zone)} ${zoneName(since, zone)}`
  const [noun, text] =
    kind === 'vital'
      ? ['sample', `75th percentile ${formatVital(vital!, value)}`]
      : ['session', `${Math.floor(value * 100) / 100} %`]
  return samples === 0 ? `No ${noun}s ${from}` : `${text} of ${countOf(samples, noun)} ${from}`
}
