import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'

/** Zone for times: UTC, or the viewer's. */
export type Zone = 'UTC' | 'local'

/** Milliseconds that the zone is ahead of UTC at a time, including daylight saving time. */
const offsetOf = (at: number, zone: Zone): number =>
  zone === 'UTC' ? 0 : -(new Date(at).getTimezoneOffset() || 0) * MINUTE

/** Date whose UTC fields are those of a clock in the zone. */
export const toClock = (at: number, zone: Zone): Date => new Date(at + offsetOf(at, zone))

/** Converts the fields of a clock in the zone, given as UTC, to milliseconds since the epoch. */
export function fromClock(clock: number, zone: Zone): number {
  const guess = clock - offsetOf(clock, zone)
  return clock - offsetOf(guess, zone)
}

/** The zone's name at a time: `UTC`, `UTC+1`, `UTC-3:30`. */
export function zoneName(at: number, zone: Zone): string {
  const minutes = offsetOf(at, zone) / MINUTE
  if (minutes === 0) return 'UTC'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
}

/** Six o'clock in the zone, a number of days from today. */
const morningIn = (days: number, now: number, zone: Zone) =>
  fromClock(Math.floor(toClock(now, zone).getTime() / DAY) * DAY + days * DAY + 6 * HOUR, zone)

/** Tomorrow at 06:00 in the zone, in milliseconds since the epoch. */
export const tomorrowMorning = (now: number, zone: Zone): number => morningIn(1, now, zone)

/** Next Monday at 06:00 in the zone, in milliseconds since the epoch; on a Monday a week later. */
export const mondayMorning = (now: number, zone: Zone): number =>
  morningIn(((7 - toClock(now, zone).getUTCDay()) % 7) + 1, now, zone)
