import { LRUCache } from 'lru-cache'

export interface RateLimiterOptions {
  /** Sustained requests per minute and key; 0 disables the limit. */
  perMinute: number
  /** Maximum requests at once after a pause. @default a third of `perMinute` */
  burst?: number
  /** Maximum keys to remember. Above it, the least recently used is forgotten. @default 20_000, about 3 MB */
  maxKeys?: number
}

/**
 * Takes a token from the bucket of a key.
 * @param now milliseconds on a monotonic clock
 * @returns 0, or the milliseconds until a token is available
 */
export type TakeToken = (key: string, now?: number) => number

/**
 * Creates token buckets, one per key. A bucket is stored as the time at which it will be full again, which is
 * equivalent to its tokens and the time of their count (GCRA). Full buckets need not be stored.
 */
export function createRateLimiter({
  perMinute,
  burst = Math.ceil(perMinute / 3),
  maxKeys = 20_000
}: RateLimiterOptions): TakeToken {
  if (perMinute === 0) return () => 0
  const interval = 60_000 / perMinute
  const depth = interval * Math.max(1, burst)
  /** Created at the first use, because it allocates for all its keys at once. */
  let fullAt: LRUCache<string, number> | undefined

  return function takeToken(key, now = performance.now()) {
    fullAt ??= new LRUCache({ max: maxKeys })
    const next = Math.max(now, fullAt.get(key) ?? 0) + interval
    const wait = next - now - depth
    // Allows for rounding: a bucket that is exactly empty must not lack a billionth.
    if (wait > 1e-6) return wait
    fullAt.set(key, next)
    return 0
  }
}
