export interface NewPersonSession {
  hash: string
  /** Milliseconds since the epoch. */
  at: number
  /** Client description, such as `Firefox on Linux`. */
  client?: string
  /** Hash of the browser's previous session, which is closed. */
  replaces?: string
  /**
   * Fingerprints of the password that opened the session, with the secret of each replica; undefined for a link. The
   * first is stored, and sessions with the others stay open.
   */
  passwordFingerprints?: readonly string[]
  /** Milliseconds since the epoch at which the session ends in any case. @default never */
  expires?: number
}
