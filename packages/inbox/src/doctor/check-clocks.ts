import { HOUR, MINUTE } from '@hull/common/time.ts'
import type { StoreHealth } from '../queries/health-types.ts'
import type { Examination, Finding } from './finding.ts'

/** Difference between clocks that is not reported, in milliseconds. Our choice. */
const CLOCK_TOLERANCE = 30_000

/** @returns undefined if the clock was not changed */
export function checkClock({ inbox, tunnel }: Examination): Finding | undefined {
  const jump = tunnel?.clockJump || (inbox.clockJump ?? 0)
  if (jump === 0) return undefined
  const time = Math.abs(jump)
  const length = time < HOUR ? `${(time / MINUTE).toFixed(1)} minutes` : `${(time / HOUR).toFixed(1)} hours`
  return {
    id: 'clock',
    check: "The machine's clock was changed",
    verdict: 'look',
    says: `It was set ${length} ${jump > 0 ? 'ahead' : 'back'}. Data expires by the new time only once the clock has run unchanged for six hours.`,
    todo: 'Compare it with another clock, and look at the time synchronisation of the machine.'
  }
}

/** @returns undefined if the clocks agree */
export function checkReplicaClock({ clockAhead }: StoreHealth): Finding | undefined {
  if (Math.abs(clockAhead) < CLOCK_TOLERANCE) return undefined
  const minutes = (Math.abs(clockAhead) / 60_000).toFixed(1)
  return {
    id: 'replica-clock',
    check: "The clock of this replica differs from the database's",
    verdict: 'look',
    says: `It is ${minutes} minutes ${clockAhead > 0 ? 'ahead' : 'behind'}. Events that it receives have wrong times, so lists show them in the wrong order.`,
    todo: 'Look at the time synchronisation of both machines.'
  }
}
