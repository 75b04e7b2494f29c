import { RATE_LIMIT_DELAY } from '@hull/common/constants.ts'
import { parseRetryAfter } from '@hull/common/http/retry-after.ts'
import type { Clock } from './clock.ts'
import { categoriesUnderPressure, isCategory } from '../envelope/categories.ts'

/** What a provider asks to be spared. */
export interface RateLimit {
  /** Data categories; none is all of them. */
  categories: string[]
  /** Milliseconds from now. */
  duration: number
}

/** What of a provider's answer tells its limits. */
export interface LimitingAnswer {
  status: number
  /** `X-Sentry-Rate-Limits`, once or several times. */
  rateLimits?: string | string[]
  retryAfter?: string | string[]
}

/** Categories that are limited; 'all' when every envelope has to wait. */
export type Blocked = readonly string[] | 'all'

/** Of a hostile header we read this many groups. */
const MAX_GROUPS = 64

/** Longest limit that is kept, a leap year: so that no number of a provider's is more than a date can hold. */
const MAX_DURATION = 366 * 24 * 3_600_000

/**
 * The limits that an answer states. `X-Sentry-Rate-Limits` counts on any status and beats `Retry-After`; a 429 that
 * states nothing we can read limits everything for 60 seconds.
 * @see https://develop.sentry.dev/sdk/expected-features/rate-limiting/
 */
export function limitsOf({ status, rateLimits, retryAfter }: LimitingAnswer, now: number): RateLimit[] {
  const stated = [rateLimits ?? []].flat().join(',').split(',', MAX_GROUPS).flatMap(parseGroup)
  if (stated.length > 0 || status !== 429) return stated
  return [{ categories: [], duration: clamp(parseRetryAfter([retryAfter].flat()[0], now) ?? RATE_LIMIT_DELAY) }]
}

/** `<seconds>:<categories, ; between>:<scope>:<reason>:<namespaces>`; of these only the first two concern us. */
function parseGroup(text: string): RateLimit[] {
  const [seconds = '', names = ''] = text.trim().split(':')
  if (seconds.trim() === '' && names === '') return []
  const known = names.split(';').map((name) => name.trim().toLowerCase())
  const categories = known.filter(isCategory)
  // Names that we cannot read must not turn a limit for some into a limit for all.
  if (categories.length === 0 && names.trim() !== '') return []
  const duration = /^\s*\d+(\.\d+)?\s*$/.test(seconds) ? Number(seconds) * 1_000 : RATE_LIMIT_DELAY
  return [{ categories: categories.includes('all') ? [] : categories, duration: clamp(duration) }]
}

const clamp = (duration: number): number => Math.min(duration, MAX_DURATION)

/** The limits of one provider. */
export interface RateLimits {
  /** Takes limits over; where there is one already, the longer stays. */
  add: (limits: readonly RateLimit[]) => void
  /** Whether an envelope of these categories has to wait. */
  isLimited: (categories: readonly string[]) => boolean
  blocked: () => Blocked
  /** When the next limit ends, in milliseconds since the epoch. */
  nextEnd: () => number | undefined
  /** Those that remain, as `X-Sentry-Rate-Limits` tells them; `more` are told beside them, for as long as they say. */
  toHeader: (more?: readonly RateLimit[]) => string | undefined
}

/** Stands for all categories. */
const ALL = ''

export function createRateLimits(clock: Pick<Clock, 'now'>): RateLimits {
  const ends = new Map<string, number>()

  function prune(now: number) {
    for (const [category, end] of ends) if (end <= now) ends.delete(category)
  }

  return {
    add(limits) {
      addTo(ends, limits, clock.now())
    },
    isLimited(categories) {
      prune(clock.now())
      return ends.has(ALL) || categories.some((category) => ends.has(category))
    },
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
      if (ends.size === 0 && more.length === 0) return undefined
      const told = new Map(ends)
      addTo(told, more, now)
      return printLimits(told, now)
    }
  }
}

function addTo(ends: Map<string, number>, limits: readonly RateLimit[], now: number): void {
  for (const { categories, duration } of limits) {
    for (const category of categories.length === 0 ? [ALL] : categories) {
      const known = ends.get(category)
      // A hostile provider may name a category of its own in every answer.
      if (known === undefined && ends.size >= MAX_GROUPS && category !== ALL) continue
      ends.set(category, Math.max(known ?? 0, now + duration))
    }
  }
}

/** The value of `X-Sentry-Rate-Limits` that tells of these limits; undefined for none. */
export function toRateLimitHeader(limits: readonly RateLimit[]): string | undefined {
  const ends = new Map<string, number>()
  addTo(ends, limits, 0)
  return ends.size === 0 ? undefined : printLimits(ends, 0)
}

/** Categories with the same seconds together; a limit for all says the rest, where the rest is no longer. */
function printLimits(ends: ReadonlyMap<string, number>, now: number): string {
  const groups = new Map<number, string[]>()
  const all = ends.get(ALL)
  for (const [category, end] of ends) {
    if (category !== ALL && all !== undefined && end <= all) continue
    const seconds = Math.ceil((end - now) / 1_000)
    const group = groups.get(seconds)
    if (group) group.push(category)
    else groups.set(seconds, [category])
  }
  // "All" stands alone: beside names it would read as an empty name.
  return [...groups]
    .flatMap(([seconds, names]) => {
      const named = names.filter((name) => name !== ALL)
      const texts = names.includes(ALL) ? [`${seconds}::organization`] : []
      return named.length > 0 ? [...texts, `${seconds}:${named.join(';')}:organization`] : texts
    })
    .join(', ')
}

/** Milliseconds for which clients are asked to hold back categories under pressure; each answer repeats it. */
const PRESSURE_DURATION = 30_000

/** Limits for clients while a share `used` (0 to 1) of the room for envelopes is taken. */
export function limitsUnderPressure(used: number): RateLimit[] {
  const names = categoriesUnderPressure(used)
  if (names.length === 0) return []
  return [{ categories: names === 'all' ? [] : names, duration: PRESSURE_DURATION }]
}
