import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'
import type { StoreHealth } from '../queries/overview/health-types.ts'
import type { Examination, Outcome } from './finding.ts'

/** Difference between clocks that is not reported, in milliseconds. Our choice. */
const CLOCK_TOLERANCE = 30_000

/** Returns by how many milliseconds the clock was set ahead or, below 0, back in the last hours; 0 if it was not. */
export const jumpOf = ({ inbox, tunnel }: Examination): number => tunnel?.clockJump || inbox.clockJump

/** @returns undefined if the clock was not changed */
export function checkClock(examination: Examination): Outcome | undefined {
  const jump = jumpOf(examination)
  if (jump === 0) return undefined
  const time = Math.abs(jump)
  const length = time < HOUR ? `${(time / MINUTE).toFixed(1)} minutes` : `${(time / HOUR).toFixed(1)} hours`
  // As after a stop of days, which cannot be told from a change of the clock.
  const isLong = jump > DAY
  return {
    ...(isLong && { check: "The machine's clock is days ahead of the last run" }),
    verdict: 'look',
    says: `It was set ${length} ${jump > 0 ? 'ahead' : 'back'}${isLong ? ', or the inbox did not run for that time' : ''}. Data expires by the new time only once the clock has run unchanged for six hours.`,
    todo: `${isLong ? 'If the inbox ran, compare' : 'Compare'} the clock with another one, and look at the time synchronisation of the machine.`
  }
}

/** @returns undefined if the clocks agree */
export function checkReplicaClock({ clockAhead }: StoreHealth): Outcome | undefined {
  if (Math.abs(clockAhead) < CLOCK_TOLERANCE) return undefined
  const minutes = (Math.abs(clockAhead) / MINUTE).toFixed(1)
  return {
    verdict: 'look',
    says: `It is ${minutes} minutes ${clockAhead > 0 ? 'ahead' : 'behind'}. Events that it receives have wrong times, so lists show them in the wrong order.`,
    todo: 'Look at the time synchronisation of both machines.'
  }
}
