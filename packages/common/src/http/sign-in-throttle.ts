import { LRUCache } from 'lru-cache'
import { HOUR, MINUTE } from '../time.ts'
import { networkOf } from './network.ts'
import { joinReplicas, type Replicas } from './replicas.ts'

/** An attempt to sign in. */
export interface SignInAttempt {
  /** The visitor's IP address: `ctx.address` or `request.ip`. */
  address: string | undefined
  /** The account to sign in to. */
  name: string
}

export interface SignInThrottle {
  /**
   * Counts an attempt as a failure, before its password is checked: otherwise attempts at the same moment would not
   * delay each other.
   * @returns 0, or the milliseconds until the next attempt is accepted; a refused attempt does not count
   */
  take: (attempt: SignInAttempt) => number
  /**
   * Takes the attempt back after a successful sign-in, and clears the failures under the name. The earlier failures of
   * the network remain: otherwise an attacker with an account could clear them.
   */
  succeed: (attempt: SignInAttempt) => void
  /** Clears the failures of a network and a name, after a sign-in with a password that all accounts share. */
  clear: (attempt: SignInAttempt) => void
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
const NETWORK_LIMIT: Limit = { free: 5, longest: 15 * MINUTE }
const NAME_LIMIT: Limit = { free: 20, longest: MINUTE }

/** Milliseconds without a failure after which earlier failures no longer count. A guess. */
const MEMORY = HOUR

/** Maximum networks, and maximum names, with failures to remember: about 3 MB each. */
const MAX_KEYS = 20_000

export interface SignInThrottleOptions {
  /** Counts the failures at all replicas together. @default one replica */
  replicas?: Replicas
  /** Milliseconds of a monotonic clock. @default that of `performance.now()` */
  now?: () => number
}

/** A change that replicas report. Each applies it to its own counters, with its own clock. */
type Change = 'fail' | 'succeed' | 'clear'

/**
 * Limits password guessing, per network and per name: after a few failures, each further one doubles the delay,
 * starting at one second. No delay applies to everybody: a network without a failure in the last hour is never refused,
 * however many failures others caused under the same name.
 *
 * With `replicas`, each replica reports failures and successes to the others at once. Attempts at several replicas in the
 * milliseconds before a report arrives do not delay each other.
 */
export function createSignInThrottle({
  replicas,
  now = () => performance.now()
}: SignInThrottleOptions = {}): SignInThrottle {
  /** Created at the first attempt, because they allocate for all their keys at once. */
  let tables: Record<'networks' | 'names', LRUCache<string, Failures>> | undefined
  const createTable = () =>
    new LRUCache<string, Failures>({ max: MAX_KEYS, ttl: MEMORY, perf: { now }, ttlResolution: 0 })
  const createTables = () => ({ networks: createTable(), names: createTable() })

  const changes: Record<Change, (network: string, name: string) => void> = {
    fail(network, name) {
      const { networks, names } = (tables ??= createTables())
      count(networks, network, NETWORK_LIMIT)
      count(names, name, NAME_LIMIT)
    },
    succeed(network, name) {
      const { count = 0 } = tables?.networks.get(network) ?? {}
      if (count > 1) tables?.networks.set(network, { count: count - 1, waitUntil: now() })
      else tables?.networks.delete(network)
      tables?.names.delete(name)
    },
    clear(network, name) {
      tables?.networks.delete(network)
      tables?.names.delete(name)
    }
  }

  const channel =
    replicas &&
    joinReplicas(replicas, ([change, network, name]) => {
      if (isChange(change) && typeof network === 'string' && typeof name === 'string') changes[change](network, name)
    })

  const isChange = (value: unknown): value is Change => typeof value === 'string' && Object.hasOwn(changes, value)

  function apply(change: Change, { address, name }: SignInAttempt): void {
    const keys = [networkOf(address), toKey(name)] as const
    changes[change](...keys)
    channel?.send([[change, ...keys]])
  }

  return {
    take(attempt) {
      const failures = tables?.networks.get(networkOf(attempt.address))
      const ofName = tables?.names.get(toKey(attempt.name))
      const wait = failures ? Math.max(failures.waitUntil, ofName?.waitUntil ?? 0) - now() : 0
      if (wait > 0) return wait
      apply('fail', attempt)
      return 0
    },
    succeed(attempt) {
      apply('succeed', attempt)
    },
    clear(attempt) {
      apply('clear', attempt)
    }
  }

  function count(table: LRUCache<string, Failures>, key: string, { free, longest }: Limit): void {
    const failures = (table.get(key)?.count ?? 0) + 1
    const delay = failures <= free ? 0 : Math.min(1_000 * 2 ** (failures - free - 1), longest)
    table.set(key, { count: failures, waitUntil: now() + delay })
  }
}

/** Bounds the memory for names, which visitors choose. */
const MAX_NAME_LENGTH = 200

const toKey = (name: string): string => name.slice(0, MAX_NAME_LENGTH).normalize('NFKC').toLowerCase()
