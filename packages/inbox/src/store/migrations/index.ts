import first from './001-first.ts'
import delivery from './002-delivery.ts'
import passwordFingerprint from './003-password-fingerprint.ts'

/** Each brings the file from the version that is its place in this list to the next; what is here is never edited. */
export const MIGRATIONS: readonly string[] = [first, delivery, passwordFingerprint]
