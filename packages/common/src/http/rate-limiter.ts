import { LRUCache } from 'lru-cache'
import { safeCallback } from '../safe-callback.ts'
import { joinReplicas, type Replicas } from './replicas.ts'

export interface RateLimiterOptions {
  /** Sustained requests per minute and key; 0 disables the limit. */
  perMinute: number
  /** Maximum requests at once after a pause. @default a third of `perMinute` */
  burst?: number
  /** Maximum keys to remember. Above it, the least recently used is forgotten. @default 20_000, about 3 MB */
  maxKeys?: number
  /** Counts the requests to all replicas together, with the deviations of {@link createRateLimiter}. @default one replica */
  replicas?: Replicas
}

/**
 * Takes a token from the bucket of a key.
 * @param now milliseconds on the clock of `performance.now()`
 * @returns 0, or the milliseconds until a token is available
 */
export type TakeToken = (key: string, now?: number) => number

/**
 * Creates token buckets, one per key. A bucket is stored as the time at which it will be full again, which is
 * equivalent to its tokens and the time of their count (GCRA). Full buckets need not be stored.
 *
 * With `replicas`, each replica has its own buckets, and takes from them the tokens that were taken at the others. A
 * replica reports a key when a tenth of its burst was taken, at most once a second. So each further replica lets a key
 * exceed its limit by a tenth of the burst, and by the requests of that second. A bucket then owes tokens, at most as
 * many as it holds when full.
 */
export function createRateLimiter({
  perMinute,
  burst = Math.ceil(perMinute / 3),
  maxKeys = 20_000,
  replicas
}: RateLimiterOptions): TakeToken {
  if (perMinute === 0) return () => 0
  const size = Math.max(1, burst)
  const interval = 60_000 / perMinute
  const depth = interval * size
  /** Created at the first use, because it allocates for all its keys at once. */
  let fullAt: LRUCache<string, number> | undefined
  const report = replicas && shareTokens({ replicas, step: Math.ceil(size / 10), maxKeys, onTaken })

  return function takeToken(key, now = performance.now()) {
    fullAt ??= new LRUCache({ max: maxKeys })
    const next = Math.max(now, fullAt.get(key) ?? 0) + interval
    const wait = next - now - depth
    // Allows for rounding: a bucket that is exactly empty must not lack a billionth.
    if (wait > 1e-6) return wait
    fullAt.set(key, next)
    report?.(key)
    return 0
  }

  function onTaken(key: string, tokens: number): void {
    fullAt ??= new LRUCache({ max: maxKeys })
    const now = performance.now()
    const next = Math.max(now, fullAt.get(key) ?? 0) + tokens * interval
    fullAt.set(key, Math.min(next, now + 2 * depth))
  }
}

/** Milliseconds between reports to other replicas. A guess. */
const REPORT_INTERVAL = 1_000

interface SharedTokens {
  replicas: Replicas
  /** Tokens of a key that are worth a report. */
  step: number
  maxKeys: number
  /** Called with the tokens that another replica took. */
  onTaken: (key: string, tokens: number) => void
}

/** Reports taken tokens to the other replicas, and receives their reports. @returns counts a token that was taken here */
function shareTokens({ replicas, step, maxKeys, onTaken }: SharedTokens): (key: string) => void {
  /** Tokens by key, below a step. */
  let few: LRUCache<string, number> | undefined
  /** Tokens by key, for the next report. */
  const due = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  const { isConnected, send } = joinReplicas(replicas, ([key, tokens]) => {
    if (typeof key === 'string' && typeof tokens === 'number' && tokens > 0) onTaken(key, tokens)
  })

  return function countToken(key) {
    if (!isConnected()) return
    few ??= new LRUCache({ max: maxKeys })
    const tokens = (few.get(key) ?? 0) + 1
    if (tokens < step) {
      few.set(key, tokens)
      return
    }
    few.delete(key)
    due.set(key, (due.get(key) ?? 0) + tokens)
    if (!timer) sendReport()
  }

  function sendReport(): void {
    send([...due])
    due.clear()
    timer = setTimeout(safeCallback(sendNextReport), REPORT_INTERVAL).unref()
  }

  function sendNextReport(): void {
    timer = undefined
    if (due.size > 0) sendReport()
  }
}
