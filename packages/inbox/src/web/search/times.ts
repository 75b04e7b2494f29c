import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'

const UNITS = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY }

const RELATIVE = /^([<>]?)(\d{1,5})([mhdw])$/
const ABSOLUTE = /^([<>]?)(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2})?$/

/** Milliseconds since the epoch. */
export interface TimeRange {
  /** Inclusive. */
  from?: number
  /** Exclusive. */
  to?: number
}

/**
 * Parses `24h`, `>24h` (later than 24 hours ago), `<24h` (longer ago), `2026-11-01` (that day in UTC), `>2026-11-01`
 * (from that day on), `<2026-11-01T12:30` (before that minute).
 * @returns undefined for anything else
 */
export function toTimeRange(value: string, now: number): TimeRange | undefined {
  const relative = RELATIVE.exec(value)
  if (relative) {
    const at = now - Number(relative[2]) * UNITS[relative[3] as keyof typeof UNITS]
    return relative[1] === '<' ? { to: at } : { from: at }
  }
  const absolute = ABSOLUTE.exec(value)
  if (!absolute) return undefined
  const [, sign, day, time] = absolute
  const at = Date.parse(`${day}${time ?? 'T00:00'}Z`)
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(day!)) return undefined
  if (sign === '<') return { to: at }
  return sign === '>' ? { from: at } : { from: at, to: at + (time === undefined ? UNITS.d : UNITS.m) }
}
