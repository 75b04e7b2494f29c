import { createRequire } from 'node:module'
import type { Cron as CronClass } from 'croner'
import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'

/** Units of an interval, as in Sentry's protocol. */
const UNITS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const

export interface Schedule {
  /** Five fields, or a name such as `@daily`. Null for an interval. */
  crontab: string | null
  /** Number of units between two check-ins. Null for a crontab. */
  every: number | null
  unit: (typeof UNITS)[number] | null
  /** IANA time zone of the crontab. */
  zone: string
}

export const isUnit = (unit: unknown): unit is NonNullable<Schedule['unit']> => UNITS.includes(unit as never)

/**
 * Returns the next time after another one, in milliseconds since the epoch; undefined without a schedule, for a crontab
 * that cannot be read, and for one that never comes, such as 30 February.
 */
export function findNextTime(schedule: Schedule, after: number): number | undefined {
  const { crontab, every, unit } = schedule
  if (crontab !== null) return findNextCron(crontab, schedule.zone, after)
  return every === null || unit === null ? undefined : addUnits(after, every, unit)
}

/** A crontab of every hour, which also runs in both of the hours that have one name when clocks are set back. */
const EVERY_HOUR = /^(?:\S+\s+\*\s|@hourly$)/i

function findNextCron(crontab: string, timezone: string, after: number): number | undefined {
  try {
    const cron = new (loadCron())(crontab, { timezone, mode: '5-part' })
    const nextAfter = (time: number) => cron.nextRun(new Date(time))?.getTime()
    const next = nextAfter(after)
    if (next === undefined) return undefined
    // croner knows the first of the two hours only, and returns a time in it after a time in the second.
    const times = [next > after ? next : (nextAfter(after + HOUR) ?? next)]
    if (EVERY_HOUR.test(crontab)) {
      const repeated = (nextAfter(after - HOUR) ?? next) + HOUR
      if (cron.match(new Date(repeated))) times.push(repeated)
    }
    return times.filter((time) => time > after).sort((a, b) => a - b)[0]
  } catch {
    // The pattern or the zone is invalid, or the search for a time was given up.
    return undefined
  }
}

let cron: typeof CronClass | undefined

/** Loads the library for the first crontab. `require`, because maintenance is synchronous. */
const loadCron = (): typeof CronClass =>
  (cron ??= (createRequire(import.meta.url)('croner') as { Cron: typeof CronClass }).Cron)

const FIXED = { minute: MINUTE, hour: HOUR, day: DAY, week: 7 * DAY } as const

function addUnits(after: number, every: number, unit: NonNullable<Schedule['unit']>): number {
  if (unit !== 'month' && unit !== 'year') return after + every * FIXED[unit]
  const date = new Date(after)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + every * (unit === 'year' ? 12 : 1))
  // 31 January plus a month is the last day of February.
  if (date.getUTCDate() !== day) date.setUTCDate(0)
  return date.getTime()
}
