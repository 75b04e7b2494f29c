import { LRUCache } from 'lru-cache'

/** One request to the flaky upstream. */
export interface Attempt {
  /** Counted from 1. */
  number: number
  status: 200 | 503
  /** Milliseconds since the first attempt with the same key. */
  after: number
}

/** Maximum keys to remember. */
const MAX_KEYS = 500

/** Maximum attempts to remember per key. */
const MAX_ATTEMPTS = 20

/** An upstream that fails a given number of times for each key, and then answers. */
export function createFlaky({ maxKeys = MAX_KEYS, now = () => performance.now() } = {}) {
  const known = new LRUCache<string, { start: number; attempts: Attempt[] }>({ max: maxKeys })

  return {
    /** @returns every attempt with this key so far, including this one */
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
