import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Grants } from '../access/roles.ts'

/** A row as SQLite returns it; its prototype is null. */
export type Row = Record<string, unknown>

/** Pages of the WAL at which the committing connection runs a checkpoint. SQLite's default. */
const CHECKPOINT_PAGES = 1_000

/**
 * The same during maintenance. Measured: the slowest of a hundred chunks of deletes takes 9 ms, 30 ms with a thousand
 * pages; each chunk takes half as long again.
 */
const MAINTENANCE_CHECKPOINT_PAGES = 64

/** Maximum rows that one statement inserts, and maximum keys that one statement looks up. A guess. */
const MAX_ROWS = 128

/** A connection to the inbox's file. Prepares each statement once. */
export class Store {
  readonly db: DatabaseSync
  /** Limits the running query to the projects of a person. @default all projects */
  grants: Grants | undefined
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

  /** @returns the number of changed rows, and the last rowid */
  run(sql: string, ...values: SQLInputValue[]): { changes: number; id: number } {
    this.#runs++
    const { changes, lastInsertRowid } = this.#prepare(sql).run(...values)
    return { changes: Number(changes), id: Number(lastInsertRowid) }
  }

  /**
   * Inserts rows, many with each statement.
   * @param into `INSERT INTO table (columns)`
   * @param rest such as `ON CONFLICT (key) DO NOTHING`
   */
  insertRows(into: string, rows: readonly SQLInputValue[][], rest = ''): void {
    for (const part of split(rows)) this.run(`${into} VALUES ${toPlaces(part)} ${rest}`, ...part.flat())
  }

  /**
   * Inserts rows, many with each statement.
   * @param rest ends with `RETURNING`
   * @returns what it returns for each inserted row
   */
  insertRowsReturning<T = Row>(into: string, rows: readonly SQLInputValue[][], rest: string): T[] {
    return split(rows).flatMap((part) => {
      this.#runs++
      return this.all<T>(`${into} VALUES ${toPlaces(part)} ${rest}`, ...part.flat())
    })
  }

  /**
   * Returns the rows with a key of a list.
   * @param sql with `IN (:keys)`
   * @param values of the placeholders before the list
   */
  allIn<T = Row>(sql: string, keys: Iterable<SQLInputValue>, ...values: SQLInputValue[]): T[] {
    return split([...new Set(keys)]).flatMap((part) =>
      this.all<T>(sql.replace(':keys', toList('?', part.length)), ...values, ...part)
    )
  }

  /**
   * Returns the rows with a key of several columns of a list.
   * @param sql with `(column, column) IN (:keys)`
   * @param keys numbers are integers
   */
  allInRows<T = Row>(sql: string, keys: readonly SQLInputValue[][]): T[] {
    return split(keys).flatMap((part) => {
      // A database with strict types takes those of the first row.
      const first = part[0]!.map((value) => (typeof value === 'number' ? 'CAST(? AS BIGINT)' : '?')).join(', ')
      const others = part.length === 1 ? '' : `, ${toPlaces(part.slice(1))}`
      return this.all<T>(sql.replace(':keys', `VALUES (${first})${others}`), ...part.flat())
    })
  }

  /** Runs a query for a person, who sees no other projects than these grants allow. */
  runFor<T>(grants: Grants | undefined, query: () => T): T {
    this.grants = grants
    try {
      return query()
    } finally {
      this.grants = undefined
    }
  }

  /** Changes after each write, whether by {@link run} or by another connection. */
  get writes(): number {
    return this.#runs + this.get<{ data_version: number }>('PRAGMA data_version')!.data_version
  }

  /** Runs the work in a transaction and rolls back if it throws. Cannot be nested. */
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
   * Runs low-priority work. Its commits do not wait for the disk: the next commit outside makes them durable, and a
   * crash of the machine may lose the last of them, in order. The work checkpoints the WAL itself, and often, so that
   * the WAL is never long for other commits.
   */
  runLowPriority<T>(work: () => T): T {
    this.db.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${MAINTENANCE_CHECKPOINT_PAGES}`)
    try {
      return work()
    } finally {
      this.db.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
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

/** Splits a list into parts, whose lengths are powers of two so that there are few different statements. */
function split<T>(list: readonly T[]): T[][] {
  const parts: T[][] = []
  let at = 0
  for (let length = MAX_ROWS; length > 0; length /= 2)
    for (; list.length - at >= length; at += length) parts.push(list.slice(at, at + length))
  return parts
}

/** Placeholders for rows: `(?, ?), (?, ?)`. */
const toPlaces = (rows: readonly SQLInputValue[][]): string => toList(`(${toList('?', rows[0]!.length)})`, rows.length)

const toList = (text: string, count: number): string => `${text}, `.repeat(count).slice(0, -2)

/** Bytes of the file's pages that are in use. */
export function usedBytes(store: Store): number {
  const pages = readPragma(store, 'page_count') - readPragma(store, 'freelist_count')
  return pages * readPragma(store, 'page_size')
}

/** Reads a numeric pragma of the file. */
export const readPragma = (store: Store, name: 'page_count' | 'freelist_count' | 'page_size'): number =>
  Object.values(store.get(`PRAGMA ${name}`)!)[0] as number
