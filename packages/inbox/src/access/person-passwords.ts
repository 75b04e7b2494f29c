import { randomBytes } from 'node:crypto'
import { hashPassword, verifyPassword } from '@hull/common/http/password-hash.ts'

/** Minimum characters of a person's password: NIST SP 800-63B-4 asks for 15 where there is no second factor. */
const MIN_PASSWORD_LENGTH = 15

/** Hashes at a time: each holds 19 MiB and one of Node's four threads for files and names. A guess. */
const MAX_HASHES = 16

/** Compares passwords with the hashes of people's own passwords. */
export function createPersonPasswords() {
  /** Compared with where a person has no password, so that the answer takes as long as for a wrong one. */
  let decoy: Promise<string> | undefined
  let hashes = 0

  return {
    /** Whether no more passwords can be compared now. */
    isBusy: () => hashes >= MAX_HASHES,
    /** @param hash undefined if there is none: the result is then false */
    async verify(password: string, hash: string | undefined): Promise<boolean> {
      hashes++
      try {
        const expected = hash ?? (await (decoy ??= hashPassword(randomBytes(16).toString('hex'))))
        return (await verifyPassword(password, expected)) && hash !== undefined
      } finally {
        hashes--
      }
    }
  }
}

/** A new password as a form sends it; undefined if it is too short. */
export const toNewPassword = (text: FormDataEntryValue | null): string | undefined =>
  typeof text === 'string' && text.length >= MIN_PASSWORD_LENGTH ? text : undefined
