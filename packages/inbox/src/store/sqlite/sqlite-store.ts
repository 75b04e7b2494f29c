import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { Store, type Row } from '../store.ts'

/** Pages of the WAL at which the committing connection runs a checkpoint. SQLite's default. */
const CHECKPOINT_PAGES = 1_000

/**
 * The same during maintenance. Measured: the slowest of a hundred chunks of deletes takes 9 ms, 30 ms with a thousand
 * pages; each chunk takes half as long again.
 */
const MAINTENANCE_CHECKPOINT_PAGES = 64

/** Kibibytes of pages that a connection keeps in memory. The operating system caches the file as well. */
export const CACHE_KIB = 16 * 1024

/** The same while pages are written that are not read again soon. */
const SMALL_CACHE_KIB = 512

/** Share of a file's pages that may be free before the file shrinks. Free pages are reused. */
const MAX_FREE = 0.3

/** Pages to release per step. */
const PAGES = 64

/**
 * A parameter as the limit of rows. SQLite's planner uses its value, so it compiles the statement again each time that
 * values are bound. That takes longer than most statements, and an expression prevents it.
 */
const PLAIN_LIMIT = /\bLIMIT (\?\d*)/g

/** A connection to the inbox's file. Prepares each statement once. */
export class SqliteStore extends Store {
  readonly db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    super()
    this.db = db
  }

  override all<T = Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#prepare(sql).all(...values) as T[]
  }

  override get<T = Row>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#prepare(sql).get(...values) as T | undefined
  }

  override insert(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).lastInsertRowid)
  }

  override run(sql: string, ...values: SQLInputValue[]): { changes: number } {
    return { changes: Number(this.#prepare(sql).run(...values).changes) }
  }

  override allOnce<T = Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.db.prepare(sql).all(...values) as T[]
  }

  override get writes(): number {
    const { changes } = this.get<{ changes: number }>('SELECT total_changes() AS changes')!
    return changes + this.get<{ data_version: number }>('PRAGMA data_version')!.data_version
  }

  override transaction<T>(work: () => T): T {
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

  /** Processes that share a file each do some: a chunk of work is a transaction. */
  override holdsMaintenance(): boolean {
    return true
  }

  /**
   * The next commit outside makes the commits of the work durable, and a crash of the machine may lose the last of them,
   * in order. The work checkpoints the WAL itself, and often, so that the WAL is never long for other commits.
   */
  override runLowPriority<T>(work: () => T): T {
    return this.#runWith(
      `PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${MAINTENANCE_CHECKPOINT_PAGES}`,
      `PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
      work
    )
  }

  /** With the usual cache, the memory of the pages stays with the process. */
  override runWithSmallCache<T>(work: () => T): T {
    return this.#runWith(`PRAGMA cache_size = -${SMALL_CACHE_KIB}`, `PRAGMA cache_size = -${CACHE_KIB}`, work)
  }

  /** Runs work with other pragmas than usual. */
  #runWith<T>(pragmas: string, usual: string, work: () => T): T {
    this.db.exec(pragmas)
    try {
      return work()
    } finally {
      this.db.exec(usual)
    }
  }

  override usedBytes(): number {
    return (this.#pragma('page_count') - this.#pragma('freelist_count')) * this.#pragma('page_size')
  }

  /**
   * Shrinks the file by some pages if many are free or the file exceeds its maximum size. Never runs VACUUM, which
   * would rewrite the whole file.
   */
  override shrink(maxBytes: number): boolean {
    const free = this.#pragma('freelist_count')
    const pages = this.#pragma('page_count')
    const bound = Math.ceil(maxBytes / this.#pragma('page_size'))
    const excess = Math.min(free, pages - bound)
    if (excess <= 0 && (free < PAGES || free < pages * MAX_FREE)) return false
    this.db.exec(`PRAGMA incremental_vacuum(${excess > 0 ? Math.min(excess, PAGES) : PAGES})`)
    // SQLite accepts no `max_page_count` below the current size of the file.
    if (excess > 0) this.db.exec(`PRAGMA max_page_count = ${bound}`)
    return true
  }

  override readClock(): number {
    return Date.now()
  }

  override get clockAhead(): number {
    return 0
  }

  override get firstDailyId(): number {
    return Number.MAX_SAFE_INTEGER
  }

  override daysSince(): [number, number] {
    return [0, 0]
  }

  /** Nothing: a file has no tables for days. */
  override dropDay(): number {
    return 0
  }

  override close(): void {
    this.#statements.clear()
    this.db.close()
  }

  #pragma(name: 'page_count' | 'freelist_count' | 'page_size'): number {
    return Object.values(this.get(`PRAGMA ${name}`)!)[0] as number
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement)
      this.#statements.set(sql, (statement = this.db.prepare(sql.replaceAll(PLAIN_LIMIT, 'LIMIT ($1 + 0)'))))
    return statement
  }
}
