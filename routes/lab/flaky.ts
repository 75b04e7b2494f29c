import { LRUCache } from 'lru-cache'

/** One request that the flaky upstream was sent. */
export interface Attempt {
  /** Counted from 1. */
  number: number
  status: 200 | 503
  /** Milliseconds since the first attempt with the same key. */
  after: number
}

/** Keys that are remembered. */
const MAX_KEYS = 500

/** Attempts remembered of one key. */
const MAX_ATTEMPTS = 20

/** An upstream that fails a given number of times for each key, then answers. */
export function createFlaky({ maxKeys = MAX_KEYS, now = () => performance.now() } = {}) {
  const known = new LRUCache<string, { start: number; attempts: Attempt[] }>({ max: maxKeys })

  return {
    /** @returns every attempt with this key so far, this one last */
    attempt(key: string, fail: number): Attempt[] {
      let entry = known.get(key)
      if (!entry) known.set(key, (entry = { start: now(), attempts: [] }))
      const number = (entry.attempts.at(-1)?.number ?? 0) + 1
      entry.attempts.push({ number, status: number <= fail ? 503 : 200, after: Math.round(now() - entry.start) })
      if (entry.attempts.length > MAX_ATTEMPTS) entry.attempts.shift()
      return entry.attempts
    }
  }
}
