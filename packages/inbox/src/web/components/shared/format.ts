import { toClock, zoneName, type Zone } from './zone.ts'
import { DAY, HOUR, MINUTE, SECOND } from '@hull/common/time.ts'

/** Exact up to 9,999, then `12.4k`, `3.1M`. */
export function formatCount(count: number): string {
  if (count < 10_000) return withCommas(count)
  const [unit, size] = count < 999_500 ? (['k', 1e3] as const) : (['M', 1e6] as const)
  const value = count / size
  return (value < 99.95 ? value.toFixed(1) : withCommas(Math.round(value))) + unit
}

/** `9,999+` for a count that stopped at a limit. */
export const formatUpTo = (count: number, most: number): string =>
  count > most ? `${formatCount(most)}+` : formatCount(count)

/** `1,234,567`. */
export const withCommas = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** `1 event`, `12 events`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${withCommas(count)} ${count === 1 ? one : many}`

/** Text with a capital first letter. */
export const capitalise = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Milliseconds as `0.4 ms`, `85 ms`, `1.24 s`, `2.5 min`. */
export function formatMs(ms: number): string {
  if (ms < 1) return `${trim(ms.toFixed(2))} ms`
  if (ms < 10) return `${trim(ms.toFixed(1))} ms`
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < MINUTE) return `${trim((ms / SECOND).toFixed(2))} s`
  return `${trim((ms / MINUTE).toFixed(1))} min`
}

/** A share from 0 to 1 as `62 %`; near the ends with more decimals: `99.97 %`, `< 0.1 %`. */
export function formatShare(share: number): string {
  if (share <= 0) return '0 %'
  if (share >= 1) return '100 %'
  if (share < 0.001) return '< 0.1 %'
  const percent = share * 100
  if (percent >= 99.9) return `${(Math.floor(percent * 100) / 100).toFixed(2)} %`
  if (percent >= 98 || percent < 2) return `${(Math.floor(percent * 10) / 10).toFixed(1)} %`
  return `${Math.round(percent)} %`
}

const trim = (digits: string) => digits.replace(/\.?0+$/, '')

/** Age: `12 s ago`, `3 min ago`, `5 h ago`, `12 d ago`, and after a month the date. */
export function formatAgo(at: number, now: number, zone: Zone = 'UTC'): string {
  const ago = now - at
  if (ago < -MINUTE) return `in ${span(-ago)}`
  if (ago < 5 * SECOND) return 'just now'
  return ago < 31 * DAY ? `${span(ago)} ago` : formatDay(at, zone)
}

/** Duration in one unit: `12 s`, `3 min`, `5 h`, `12 d`. */
export function span(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`
  return `${Math.floor(ms / DAY)} d`
}

/** `2026-11-20 14:00:05 UTC`, in the zone. */
export const formatTime = (at: number, zone: Zone): string =>
  `${toClock(at, zone).toISOString().slice(0, 19).replace('T', ' ')} ${zoneName(at, zone)}`

/** `20 Nov 2026`, in the zone. */
export const formatDay = (at: number, zone: Zone): string => {
  const [, day, month, year] = toClock(at, zone).toUTCString().split(' ')
  return `${Number(day)} ${month} ${year}`
}

/** `20 Nov 14:00`, in the zone. */
export const formatHour = (at: number, zone: Zone): string => {
  const [, day, month, , time = ''] = toClock(at, zone).toUTCString().split(' ')
  return `${Number(day)} ${month} ${time.slice(0, 5)}`
}

/** `20 Nov 14:00 UTC`, in the zone. */
export const formatZonedHour = (at: number, zone: Zone): string => `${formatHour(at, zone)} ${zoneName(at, zone)}`

/** `14:00`, in the zone. */
export const formatClock = (at: number, zone: Zone): string => formatHour(at, zone).slice(-5)

/** Name of a level and all higher ones, of which `fatal` has none. */
export const andAbove = (level: string): string => (level === 'fatal' ? level : `${level} and above`)
