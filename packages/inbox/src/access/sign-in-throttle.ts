import { LRUCache } from 'lru-cache'

/** An attempt to sign in. */
export interface SignInAttempt {
  /** The visitor's network, from `networkOf`. */
  network: string
  /** The account to sign in to. */
  name: string
}

export interface SignInThrottle {
  /**
   * Milliseconds until the next attempt is accepted; 0 if it is accepted now. Refused attempts do not count as
   * failures.
   */
  waitFor: (attempt: SignInAttempt) => number
  /** Counts a wrong password. */
  fail: (attempt: SignInAttempt) => void
  /** Clears the failures of a network and a name after a successful sign-in. */
  succeed: (attempt: SignInAttempt) => void
}

interface Failures {
  count: number
  /** Time of the next accepted attempt, on the monotonic clock. */
  waitUntil: number
}

interface Limit {
  /** Failures before delays begin. */
  free: number
  /** Maximum delay in milliseconds. */
  longest: number
}

/** Guesses: a person who mistypes does not have to wait, a list of passwords is too slow to try. */
const NETWORK_LIMIT: Limit = { free: 5, longest: 15 * 60_000 }
const NAME_LIMIT: Limit = { free: 20, longest: 60_000 }

/** Milliseconds without a failure after which earlier failures no longer count. A guess. */
const MEMORY = 60 * 60_000

/** Maximum networks, and maximum names, with failures to remember: about 3 MB each. */
const MAX_KEYS = 20_000

/**
 * Limits password guessing, per network and per name: after a few failures, each further one doubles the delay,
 * starting at one second. No delay applies to everybody: a network without a failure in the last hour is never refused,
 * however many failures others caused under the same name.
 * @param now milliseconds of a monotonic clock
 */
export function createSignInThrottle(now: () => number = () => performance.now()): SignInThrottle {
  /** Created at the first failure, because they allocate for all their keys at once. */
  let tables: Record<'networks' | 'names', LRUCache<string, Failures>> | undefined
  const createTable = () =>
    new LRUCache<string, Failures>({ max: MAX_KEYS, ttl: MEMORY, perf: { now }, ttlResolution: 0 })

  return {
    waitFor({ network, name }) {
      const failures = tables?.networks.get(network)
      if (failures === undefined) return 0
      const waitUntil = Math.max(failures.waitUntil, tables?.names.get(toKey(name))?.waitUntil ?? 0)
      return Math.max(0, waitUntil - now())
    },
    fail({ network, name }) {
      tables ??= { networks: createTable(), names: createTable() }
      count(tables.networks, network, NETWORK_LIMIT)
      count(tables.names, toKey(name), NAME_LIMIT)
    },
    succeed({ network, name }) {
      tables?.networks.delete(network)
      tables?.names.delete(toKey(name))
    }
  }

  function count(table: LRUCache<string, Failures>, key: string, { free, longest }: Limit): void {
    const failures = (table.get(key)?.count ?? 0) + 1
    const delay = failures <= free ? 0 : Math.min(1_000 * 2 ** (failures - free - 1), longest)
    table.set(key, { count: failures, waitUntil: now() + delay })
  }
}

const toKey = (name: string): string => name.normalize('NFC').toLowerCase()
