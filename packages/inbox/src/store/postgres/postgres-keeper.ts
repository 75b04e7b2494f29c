import type { StoreKeeper } from '../store-keeper.ts'
import { openPostgres } from './open.ts'
import { READ_ONLY, PostgresError } from './postgres-error.ts'
import type { PostgresStore } from './postgres-store.ts'

/**
 * Milliseconds after which the server ends the connection of a process that is stopped, so that another does the
 * maintenance. A process that runs asks the database at least every ten seconds.
 */
const IDLE_TIMEOUT = 30_000

/** Keeps the connection to the database. */
export class PostgresKeeper implements StoreKeeper {
  readonly place: { database: string }
  readonly #url: string
  #store: PostgresStore | undefined

  /** @param url address of the database, `postgresql://…` */
  constructor(url: string) {
    this.#url = url
    this.place = { database: toPlace(url) }
  }

  open(): PostgresStore {
    this.#store = openPostgres({ url: this.#url })
    this.#store.limitIdleTime(IDLE_TIMEOUT)
    return this.#store
  }

  check(): boolean {
    return this.#store?.isClosed ?? false
  }

  /** After a failover, the server of an open connection may have become read-only. */
  checkError(error: unknown): boolean {
    return this.check() || (error instanceof PostgresError && error.code === READ_ONLY)
  }

  /** Nothing: a database is backed up as a whole. */
  keepCopy(): void {}
}

/** Server and name of a database, without user and password. */
export function toPlace(url: string): string {
  const { host, pathname, searchParams } = new URL(url)
  return `${host || (searchParams.get('host') ?? 'localhost')}${pathname}`
}
