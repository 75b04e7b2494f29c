import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

/** A row as SQLite gives it; its prototype is null. */
export type Row = Record<string, unknown>

/** One connection to the inbox's file, with its statements prepared once. */
export class Store {
  readonly db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

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
    const { changes, lastInsertRowid } = this.#prepare(sql).run(...values)
    return { changes: Number(changes), id: Number(lastInsertRowid) }
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
  const pragma = (name: string) => Object.values(store.get(`PRAGMA ${name}`)!)[0] as number
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
}
