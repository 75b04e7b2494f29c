import { randomBytes } from 'node:crypto'
import { LazyValue } from '@hull/common/lazy-value.ts'
import { networkOf } from '@hull/common/http/network.ts'
import { hashPassword, verifyPassword } from '@hull/common/http/password-hash.ts'
import { getOrInsert } from '../get-or-insert.ts'

/** Minimum characters of a person's password: NIST SP 800-63B-4 asks for 15 where there is no second factor. */
const MIN_PASSWORD_LENGTH = 15

/** Comparisons at a time: each holds 19 MiB, and one of Node's four threads, of which files and names need one. */
const MAX_RUNNING = 3

/** Comparisons of a site that wait. A guess: an office whose people sign in at the same moment. */
const MAX_WAITING = 16

/**
 * Compares passwords with the hashes of people's own passwords. A comparison takes a thread for 60 ms, so sites take
 * turns: requests of one, however many, delay those of another by one comparison.
 */
export function createPersonPasswords() {
  /** Compared with where a person has no password, so that the answer takes as long as for a wrong one. */
  const decoy = new LazyValue(() => hashPassword(randomBytes(16).toString('hex')))
  let running = 0
  /** Comparisons that wait, by site. The first site is next. */
  const waiting = new Map<string, (() => void)[]>()

  return {
    /** Whether the site of the address has so many comparisons that it must wait with more. */
    isBusy: (address: string | undefined) => (waiting.get(siteOf(address))?.length ?? 0) >= MAX_WAITING,
    /** @param hash undefined if there is none: the result is then false @param address the visitor's */
    async verify(password: string, hash: string | undefined, address: string | undefined): Promise<boolean> {
      if (running < MAX_RUNNING) running++
      else await waitForTurn(siteOf(address))
      try {
        const expected = hash ?? (await decoy.get())
        return (await verifyPassword(password, expected)) && hash !== undefined
      } finally {
        startNext()
      }
    }
  }

  function waitForTurn(site: string): Promise<void> {
    const turns = getOrInsert(waiting, site, () => [])
    return new Promise((resolve) => turns.push(resolve))
  }

  /** Gives the place of a finished comparison to the next site, which then is the last. */
  function startNext(): void {
    const [next] = waiting
    if (next === undefined) {
      running--
      return
    }
    const [site, turns] = next
    waiting.delete(site)
    const start = turns.shift()!
    if (turns.length > 0) waiting.set(site, turns)
    start()
  }
}

/** The IPv4 address, or the /48 of an IPv6 address: some providers give one subscriber so many networks (RFC 6177). */
const siteOf = (address: string | undefined): string => networkOf(address).split(':', 3).join(':')

/** A new password as a form sends it; undefined if it is too short. */
export const toNewPassword = (text: FormDataEntryValue | null): string | undefined =>
  typeof text === 'string' && text.length >= MIN_PASSWORD_LENGTH ? text : undefined
