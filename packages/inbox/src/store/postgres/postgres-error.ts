/** SQLSTATE of a lost connection. */
export const CONNECTION_LOST = '08006'

/** SQLSTATE of a statement that took longer than the limit of its connection. */
export const TOO_SLOW = '57014'

/** SQLSTATEs of a statement that waited too long for a lock, or that others waited for in turn. */
export const LOCKED: ReadonlySet<string> = new Set(['55P03', '40P01'])

/** SQLSTATE of a write on a server that only reads. */
export const READ_ONLY = '25006'

/**
 * Whether PostgreSQL ends a connection with this error: its server stops or starts, its database was removed, or
 * it idled, or a transaction lasted, too long.
 * @param code SQLSTATE
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export const endsConnection = (code: string): boolean => code.startsWith('57P') || code === '25P03' || code === '25P04'

/** Error of PostgreSQL, or of the connection to it. */
export class PostgresError extends Error {
  override name = 'PostgresError'
  /** SQLSTATE, or the system's error code; empty if there is none. */
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}
