import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

/** A row as SQLite gives it; its prototype is null. */
export type Row = Record<string, unknown>

/** Pages of the log at which it is taken over into the file by whoever commits: SQLite's own. */
const LOG = 1_000

/** The same while something is tidied. Measured: 9 ms in the worst of a hundred chunks of deletes, 30 with a thousand; each takes half as much again. */
const SMALL_LOG = 64

/** One connection to the inbox's file, with its statements prepared once. */
export class Store {
  readonly db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #runs = 0

  constructor(db: DatabaseSync) {
    this.db = db
  }

  all<T = Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#prepare(sql).all(...values) as T[]
  }

  get<T = Row>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#prepare(sql).get(...values) as T | undefined
  }

  /** @returns the number of rows changed, and the last rowid */
  run(sql: string, ...values: SQLInputValue[]): { changes: number; id: number } {
    this.#runs++
    const { changes, lastInsertRowid } = this.#prepare(sql).run(...values)
    return { changes: Number(changes), id: Number(lastInsertRowid) }
  }

  /** Another number after anything was written: by this connection with {@link run}, or by any other. */
  get writes(): number {
    return this.#runs + this.get<{ data_version: number }>('PRAGMA data_version')!.data_version
  }

  /** All of it or nothing. Not inside another. */
  transaction<T>(work: () => T): T {
    this.db.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.db.exec('COMMIT')
      return result
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw error
    }
  }

  /**
   * For work that nobody waits for, beside what somebody does. Its commits do not wait for the disk: they are there with
   * the next one outside, and a machine that fails may take the last of them back, in order. The log is taken over by
   * this work, and often, so that it is never long for others.
   */
  unhurried<T>(work: () => T): T {
    this.db.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${SMALL_LOG}`)
    try {
      return work()
    } finally {
      this.db.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${LOG}`)
    }
  }

  close(): void {
    this.#statements.clear()
    this.db.close()
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) this.#statements.set(sql, (statement = this.db.prepare(sql)))
    return statement
  }
}

/** Bytes of the file that hold something. */
export function usedBytes(store: Store): number {
  const pages = readPragma(store, 'page_count') - readPragma(store, 'freelist_count')
  return pages * readPragma(store, 'page_size')
}

/** A number that SQLite tells about the file. */
export const readPragma = (store: Store, name: 'page_count' | 'freelist_count' | 'page_size'): number =>
  Object.values(store.get(`PRAGMA ${name}`)!)[0] as number
