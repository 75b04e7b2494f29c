import { RATE_LIMIT_DELAY } from '@hull/common/constants.ts'
import { parseRetryAfter } from '@hull/common/http/retry-after.ts'
import { DAY } from '@hull/common/time.ts'
import type { Clock } from './clock.ts'
import { categoriesUnderPressure, isCategory } from '../envelope/categories.ts'

/** Rate limit of a provider. */
export interface RateLimit {
  /** Data categories; empty for all. */
  categories: string[]
  /** Milliseconds from now. */
  duration: number
}

/** Parts of an answer that state rate limits. */
export interface LimitingAnswer {
  status: number
  /** `X-Sentry-Rate-Limits`, once or several times. */
  rateLimits?: string | string[]
  retryAfter?: string | string[]
}

/** Limited categories; 'all' if every envelope must wait. */
export type Blocked = readonly string[] | 'all'

/** Maximum groups to read from a header, and maximum categories to remember, in case the provider is hostile. */
const MAX_GROUPS = 64

/** Maximum milliseconds of a limit, a leap year, so that its end is always a valid date. */
const MAX_DURATION = 366 * DAY

/**
 * Returns the limits of an answer. `X-Sentry-Rate-Limits` applies with any status and takes precedence over
 * `Retry-After`. A 429 without valid limits in either header limits everything for 60 seconds.
 * @see https://develop.sentry.dev/sdk/expected-features/rate-limiting/
 */
export function limitsOf({ status, rateLimits, retryAfter }: LimitingAnswer, now: number): RateLimit[] {
  const stated = [rateLimits ?? []].flat().join(',').split(',', MAX_GROUPS).flatMap(parseGroup)
  if (stated.length > 0 || status !== 429) return stated
  return [{ categories: [], duration: clamp(parseRetryAfter([retryAfter].flat()[0], now) ?? RATE_LIMIT_DELAY) }]
}

/** Parses `<seconds>:<categories, separated by ;>:<scope>:<reason>:<namespaces>`; uses only the first two fields. */
function parseGroup(text: string): RateLimit[] {
  const [seconds = '', names = ''] = text.trim().split(':')
  if (seconds.trim() === '' && names === '') return []
  const known = names.split(';').map((name) => name.trim().toLowerCase())
  const categories = known.filter(isCategory)
  // Unknown names must not turn a limit for some categories into a limit for all.
  if (categories.length === 0 && names.trim() !== '') return []
  const duration = /^\s*\d+(\.\d+)?\s*$/.test(seconds) ? Number(seconds) * 1_000 : RATE_LIMIT_DELAY
  return [{ categories: categories.includes('all') ? [] : categories, duration: clamp(duration) }]
}

const clamp = (duration: number): number => Math.min(duration, MAX_DURATION)

/** Rate limits of one provider. */
export interface RateLimits {
  /** Adds limits. If a category has a limit already, the longer one applies. */
  add: (limits: readonly RateLimit[]) => void
  /** Whether an envelope with these categories must wait. */
  isLimited: (categories: readonly string[]) => boolean
  /** Milliseconds that an envelope with these categories must wait; 0 without a limit. */
  delayOf: (categories: readonly string[]) => number
  blocked: () => Blocked
  /** Time when the next limit ends, on {@link Clock.now}; undefined without limits. */
  nextEnd: () => number | undefined
  /**
   * Formats the remaining limits as `X-Sentry-Rate-Limits`, including the limits in `more`; undefined without limits.
   */
  toHeader: (more?: readonly RateLimit[]) => string | undefined
}

/** Key for all categories. */
const ALL = ''

export function createRateLimits(clock: Pick<Clock, 'now'>): RateLimits {
  const ends = new Map<string, number>()

  function prune(now: number) {
    for (const [category, end] of ends) if (end <= now) ends.delete(category)
  }

  function delayOf(categories: readonly string[]) {
    const now = clock.now()
    return Math.max(0, ...[ALL, ...categories].map((category) => (ends.get(category) ?? now) - now))
  }

  return {
    add(limits) {
      addTo(ends, limits, clock.now())
    },
    isLimited: (categories) => delayOf(categories) > 0,
    delayOf,
    blocked() {
      prune(clock.now())
      return ends.has(ALL) ? 'all' : [...ends.keys()]
    },
    nextEnd() {
      prune(clock.now())
      return ends.size === 0 ? undefined : Math.min(...ends.values())
    },
    toHeader(more = []) {
      const now = clock.now()
      prune(now)
      return printLimits(addTo(new Map(ends), more, now), now)
    }
  }
}

function addTo(ends: Map<string, number>, limits: readonly RateLimit[], now: number): ReadonlyMap<string, number> {
  for (const { categories, duration } of limits) {
    for (const category of categories.length === 0 ? [ALL] : categories) {
      const known = ends.get(category)
      // A hostile provider may name a new category in every answer.
      if (known === undefined && ends.size >= MAX_GROUPS && category !== ALL) continue
      ends.set(category, Math.max(known ?? 0, now + duration))
    }
  }
  return ends
}

/** Formats limits as `X-Sentry-Rate-Limits`; undefined without limits. */
export const toRateLimitHeader = (limits: readonly RateLimit[]): string | undefined =>
  printLimits(addTo(new Map(), limits, 0), 0)

/**
 * Formats the limits that two receivers of the same envelopes both state, each with the shorter of the two durations;
 * undefined without such limits.
 * @param one `X-Sentry-Rate-Limits`
 * @param other the same, of the other receiver
 */
export function commonLimits(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return undefined
  const read = (rateLimits: string) => addTo(new Map(), limitsOf({ status: 200, rateLimits }, 0), 0)
  const [ends, others] = [read(one), read(other)]
  const endOf = (known: ReadonlyMap<string, number>, category: string) =>
    Math.max(known.get(category) ?? 0, known.get(ALL) ?? 0)
  const common = new Map(
    [...ends.keys(), ...others.keys()]
      .map((category) => [category, Math.min(endOf(ends, category), endOf(others, category))] as const)
      .filter(([, end]) => end > 0)
  )
  return printLimits(common, 0)
}

/**
 * Groups categories by seconds. Omits categories that a limit for all categories covers.
 * @returns undefined without limits
 */
function printLimits(ends: ReadonlyMap<string, number>, now: number): string | undefined {
  if (ends.size === 0) return undefined
  const endOfAll = ends.get(ALL) ?? -Infinity
  const limits = [...ends].filter(([category, end]) => category === ALL || end > endOfAll)
  // The group for all categories is separate: next to other names it would be an empty name.
  return [...Map.groupBy(limits, ([, end]) => Math.ceil((end - now) / 1_000))]
    .flatMap(([seconds, group]) => {
      const named = group.map(([category]) => category).filter((name) => name !== ALL)
      const texts = named.length < group.length ? [`${seconds}::organization`] : []
      return named.length > 0 ? [...texts, `${seconds}:${named.join(';')}:organization`] : texts
    })
    .join(', ')
}

/** Milliseconds for which clients should hold back categories under pressure. Each answer repeats the limit. */
const PRESSURE_DURATION = 30_000

/** Returns the limits for clients when a share `used` (0 to 1) of the space for envelopes is taken. */
export function limitsUnderPressure(used: number): RateLimit[] {
  const names = categoriesUnderPressure(used)
  if (names.length === 0) return []
  return [{ categories: names === 'all' ? [] : names, duration: PRESSURE_DURATION }]
}
