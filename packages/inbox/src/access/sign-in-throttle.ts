import { LRUCache } from 'lru-cache'

/** An attempt to sign in. */
export interface SignInAttempt {
  /** The network of the visitor, as `networkOf` names it. */
  network: string
  /** The account that the visitor wants to be. */
  name: string
}

export interface SignInThrottle {
  /** Milliseconds until the next attempt is accepted; 0: now. An attempt that was refused does not count as a failure. */
  waitFor: (attempt: SignInAttempt) => number
  /** Counts a wrong password. */
  fail: (attempt: SignInAttempt) => void
  /** Forgets the failures of a network and a name that have signed in. */
  succeed: (attempt: SignInAttempt) => void
}

interface Failures {
  count: number
  /** When the next attempt is accepted, on the monotonic clock. */
  waitUntil: number
}

interface Limit {
  /** Failures without a delay. */
  free: number
  /** Milliseconds that the delay grows to. */
  longest: number
}

/** Guesses: a person who mistypes does not wait, a list of passwords gets nowhere. */
const NETWORK_LIMIT: Limit = { free: 5, longest: 15 * 60_000 }
const NAME_LIMIT: Limit = { free: 20, longest: 60_000 }

/** Milliseconds without a failure after which earlier failures are forgotten. A guess. */
const MEMORY = 60 * 60_000

/** Networks, and names, whose failures are remembered: about 3 MB each. */
const MAX_KEYS = 20_000

/**
 * Slows down guessing of passwords, by network and by name: after a few failures each further one doubles the delay,
 * from one second. No delay holds for everybody: a network that has not failed in the last hour is never refused,
 * however many failures others had under the same name.
 * @param now milliseconds on a clock that never goes back
 */
export function createSignInThrottle(now: () => number = () => performance.now()): SignInThrottle {
  const perf = { now }
  const networks = new LRUCache<string, Failures>({ max: MAX_KEYS, ttl: MEMORY, perf, ttlResolution: 0 })
  const names = new LRUCache<string, Failures>({ max: MAX_KEYS, ttl: MEMORY, perf, ttlResolution: 0 })

  return {
    waitFor({ network, name }) {
      const failures = networks.get(network)
      if (failures === undefined) return 0
      const waitUntil = Math.max(failures.waitUntil, names.get(toKey(name))?.waitUntil ?? 0)
      return Math.max(0, waitUntil - now())
    },
    fail({ network, name }) {
      count(networks, network, NETWORK_LIMIT)
      count(names, toKey(name), NAME_LIMIT)
    },
    succeed({ network, name }) {
      networks.delete(network)
      names.delete(toKey(name))
    }
  }

  function count(table: LRUCache<string, Failures>, key: string, { free, longest }: Limit): void {
    const failures = (table.get(key)?.count ?? 0) + 1
    const delay = failures <= free ? 0 : Math.min(1_000 * 2 ** (failures - free - 1), longest)
    table.set(key, { count: failures, waitUntil: now() + delay })
  }
}

const toKey = (name: string): string => name.normalize('NFC').toLowerCase()
