export interface RateLimiterOptions {
  /** Requests that each may make a minute, on and on; 0 is off. */
  perMinute: number
  /** Requests that one who was quiet may make at once. @default a third of a minute's */
  burst?: number
  /** How many are remembered; half of them, who have been quiet for the longest, are forgotten at once. @default 20_000, about 3 MB */
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
  // Two generations: taking the oldest out of one map, again and again, would walk past all that were taken before.
  let recent = new Map<string, number>()
  let older = new Map<string, number>()

  return function takeToken(key, now = performance.now()) {
    const fullAt = recent.get(key) ?? older.get(key) ?? 0
    const next = Math.max(now, fullAt) + interval
    const wait = next - now - depth
    // Rounding: a bucket that is just empty must not lack a billionth.
    if (wait > 1e-6) return wait
    recent.set(key, next)
    if (recent.size >= maxKeys / 2) {
      older = recent
      recent = new Map()
    }
    return 0
  }
}
