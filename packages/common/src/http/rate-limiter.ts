import { LRUCache } from 'lru-cache'

export interface RateLimiterOptions {
  /** Requests that each may make a minute, on and on; 0 is off. */
  perMinute: number
  /** Requests that one who was quiet may make at once. @default a third of a minute's */
  burst?: number
  /** Keys that are remembered; past them the one that was quiet for longest is forgotten. @default 20_000, about 3 MB */
  maxKeys?: number
}

/**
 * Takes a token from somebody's bucket.
 * @param now milliseconds on a clock that never goes back
 * @returns 0, or the milliseconds until there is one again
 */
export type TakeToken = (key: string, now?: number) => number

/**
 * A bucket of tokens for each key. Of each only the time is kept at which it will be full again, which says the same as
 * the tokens in it and when they were counted (GCRA); one that is full needs not be remembered.
 */
export function createRateLimiter({
  perMinute,
  burst = Math.ceil(perMinute / 3),
  maxKeys = 20_000
}: RateLimiterOptions): TakeToken {
  if (perMinute === 0) return () => 0
  const interval = 60_000 / perMinute
  const depth = interval * Math.max(1, burst)
  const fullAt = new LRUCache<string, number>({ max: maxKeys })

  return function takeToken(key, now = performance.now()) {
    const next = Math.max(now, fullAt.get(key) ?? 0) + interval
    const wait = next - now - depth
    // Rounding: a bucket that is just empty must not lack a billionth.
    if (wait > 1e-6) return wait
    fullAt.set(key, next)
    return 0
  }
}
