import type { SQLInputValue } from 'node:sqlite'
import type { Grants } from '../access/roles.ts'

/** A row of a result. On SQLite its prototype is null. */
export type Row = Record<string, unknown>

/** Maximum rows that one statement inserts, and maximum keys that one statement looks up. A guess. */
const MAX_ROWS = 128

/** Ids that a day has on PostgreSQL, where events, spans and log lines are in tables by day. It cannot store as many rows. */
export const IDS_PER_DAY = 2 ** 32

/**
 * SQL condition on events, spans or log lines, with the values of {@link Store.daysSince}. With it, a database
 * does not read the tables of other days. It excludes only rows that were received before.
 */
export const IN_DAYS = '(id >= ? OR id < ?)'

/** A query. It may return a function that reads what the query asked for. */
export type Query<T> = () => T | (() => T)

/** A query for a person. */
export interface PersonQuery<T> {
  /** Limits it to the projects of a person. @default all projects */
  grants: Grants | undefined
  query: Query<T>
}

/** Result of a query, or the error that it threw. */
export type QueryResult<T> = { value: T } | { error: unknown }

/**
 * A connection to the inbox's tables, on SQLite or PostgreSQL. Statements are written in SQLite's language as far as it
 * is also PostgreSQL's; docs/decisions/094-inbox-on-postgresql.md lists the differences.
 */
export abstract class Store {
  /** Limits the running query to the projects of a person. @default all projects */
  grants: Grants | undefined

  /** Runs a query for a person, who sees no other projects than these grants allow. */
  runFor<T>(grants: Grants | undefined, query: Query<T>): T {
    const [result] = this.runAll([{ grants, query }])
    if ('error' in result!) throw result.error
    return result!.value
  }

  /** Runs queries together: a database server is asked what all of them ask, before the first reads its answers. */
  runAll<T>(calls: readonly PersonQuery<T>[]): QueryResult<T>[] {
    try {
      return this.runParts(calls)
    } finally {
      this.grants = undefined
      this.discardDeferred()
    }
  }

  /** Runs the first part of each query, then the second part of each that has one. */
  protected runParts<T>(calls: readonly PersonQuery<T>[]): QueryResult<T>[] {
    return calls
      .map(({ grants, query }) => ({ grants, first: this.#runPart(grants, query) }))
      .map(({ grants, first }) => {
        if ('error' in first || !isReader<T>(first.value)) return first as QueryResult<T>
        return this.#runPart(grants, first.value)
      })
  }

  #runPart<T>(grants: Grants | undefined, part: () => T): QueryResult<T> {
    this.grants = grants
    try {
      return { value: part() }
    } catch (error) {
      return { error }
    }
  }

  abstract all<T = Row>(sql: string, ...values: SQLInputValue[]): T[]

  abstract get<T = Row>(sql: string, ...values: SQLInputValue[]): T | undefined

  /**
   * Asks for rows that are needed later. A database server is asked for all of them together, when the first are used,
   * so a query that asks first and uses afterwards waits once. Nothing may be written in between.
   * @returns a function that returns the rows
   */
  ask<T = Row>(sql: string, ...values: SQLInputValue[]): () => T[] {
    return once(() => this.all<T>(sql, ...values))
  }

  /**
   * Returns rows that rarely change. For a query, a database server is not asked for them first: the query runs with
   * the rows of the last time, and once more if they have changed.
   */
  recall<T = Row>(sql: string): readonly T[] {
    return this.all<T>(sql)
  }

  /** Runs an INSERT of one row into a table whose key is `id`. @returns the id */
  abstract insert(sql: string, ...values: SQLInputValue[]): number

  /** @returns the number of changed rows */
  abstract run(sql: string, ...values: SQLInputValue[]): { changes: number }

  /**
   * Runs a statement whose result does not matter. In a transaction it may run with the next one that returns
   * something, or with the commit, which then throws its error.
   */
  write(sql: string, ...values: SQLInputValue[]): void {
    this.run(sql, ...values)
  }

  /** Runs a statement without keeping it prepared: SQL built from user input has too many different texts. */
  abstract allOnce<T = Row>(sql: string, ...values: SQLInputValue[]): T[]

  /** Changes after each write, whether by {@link run} or by another connection. */
  abstract get writes(): number | string

  /**
   * Runs the work in a transaction and rolls back if it throws. No other connection writes meanwhile. Cannot be nested.
   * @param options.readsFirst others of a database server may write until the work calls {@link lock} @default false
   */
  abstract transaction<T>(work: () => T, options?: { readsFirst?: boolean }): T

  /** Keeps others from writing until the transaction ends. A transaction that reads first must call it before it writes. */
  lock(): void {}

  /**
   * Whether this connection does the maintenance of the store: retention, jobs and monitors. Of several replicas one
   * does, until its connection ends.
   */
  abstract holdsMaintenance(): boolean

  /** Runs a part of a transaction. If it throws, undoes that part, and throws its error. */
  attempt(work: () => void): void {
    this.run('SAVEPOINT attempt')
    try {
      work()
      this.run('RELEASE attempt')
    } catch (error) {
      this.discardDeferred()
      this.run('ROLLBACK TO attempt')
      this.run('RELEASE attempt')
      throw error
    }
  }

  /** Forgets statements of {@link write} and {@link ask} that did not run yet. */
  protected discardDeferred(): void {}

  /** Runs low-priority work, whose commits need not wait for the disk. */
  abstract runLowPriority<T>(work: () => T): T

  /** Runs work that writes much which is not read soon, and keeps little of it in memory. */
  runWithSmallCache<T>(work: () => T): T {
    return work()
  }

  /** Bytes of the stored rows and their indexes. */
  abstract usedBytes(): number

  /** Returns a little unused space to the disk. @param maxBytes maximum size of the store @returns whether there is more */
  abstract shrink(maxBytes: number): boolean

  /** The first id of events, spans and log lines that {@link dropDay} deletes. Those with smaller ids are deleted one by one. */
  abstract get firstDailyId(): number

  /**
   * Values for {@link IN_DAYS}, which then holds for all rows that were received at a time or later.
   * @param received milliseconds since the epoch
   */
  abstract daysSince(received: number): [number, number]

  /**
   * Deletes the events, spans or log lines of one day, if all of them were received before a time.
   * @param received milliseconds since the epoch
   * @returns about how many rows were deleted; 0 if there is no such day
   */
  abstract dropDay(received: number): number

  /** The time in milliseconds since the epoch, by the clock of the store's machine. */
  abstract readClock(): number

  /**
   * Milliseconds that the clock of this process is ahead of the clock of the database, which all replicas share; negative
   * if it is behind. 0 for a file, and for differences below a second.
   */
  abstract get clockAhead(): number

  abstract close(): void

  /**
   * Inserts rows, many with each statement, like {@link write}.
   * @param into `INSERT INTO table (columns)`
   * @param rest such as `ON CONFLICT (key) DO NOTHING`
   */
  insertRows(into: string, rows: readonly SQLInputValue[][], rest = ''): void {
    for (const part of split(rows)) this.write(`${into} VALUES ${toPlaces(part)} ${rest}`, ...part.flat())
  }

  /**
   * Inserts rows, many with each statement.
   * @param rest ends with `RETURNING`
   * @returns what it returns for each inserted row
   */
  insertRowsReturning<T = Row>(into: string, rows: readonly SQLInputValue[][], rest: string): T[] {
    return split(rows).flatMap((part) => this.all<T>(`${into} VALUES ${toPlaces(part)} ${rest}`, ...part.flat()))
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

  /** Asks for the rows of {@link allIn}, as {@link ask} does. */
  askIn<T = Row>(sql: string, keys: Iterable<SQLInputValue>, ...values: SQLInputValue[]): () => T[] {
    return once(() => this.allIn<T>(sql, keys, ...values))
  }

  /**
   * Returns the rows with a key of several columns of a list.
   * @param sql with `(column, column) IN (:keys)`
   * @param keys numbers are integers
   * @param values of the placeholders before the list
   */
  allInRows<T = Row>(sql: string, keys: readonly SQLInputValue[][], ...values: SQLInputValue[]): T[] {
    return split(keys).flatMap((part) => {
      // A database with strict types takes those of the first row.
      const first = part[0]!.map((value) => (typeof value === 'number' ? 'CAST(? AS BIGINT)' : '?')).join(', ')
      const others = part.length === 1 ? '' : `, ${toPlaces(part.slice(1))}`
      return this.all<T>(sql.replace(':keys', `VALUES (${first})${others}`), ...values, ...part.flat())
    })
  }
}

/** Results of queries are data. */
const isReader = <T>(value: T | (() => T)): value is () => T => typeof value === 'function'

function once<T>(read: () => T[]): () => T[] {
  let rows: T[] | undefined
  return () => (rows ??= read())
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
