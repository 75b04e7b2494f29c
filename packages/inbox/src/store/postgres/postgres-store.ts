import type { SQLInputValue } from 'node:sqlite'
import { SECOND } from '@hull/common/time.ts'
import { trustedNow } from '@hull/common/trusted-clock.ts'
import { Store, type PersonQuery, type QueryResult, type Row } from '../store.ts'
import {
  Connection,
  type ConnectionOptions,
  type ConnectionRequest,
  type ConnectionResult,
  type ConnectionValue
} from './connection.ts'
import { DailyTables } from './daily-tables.ts'
import { toPostgres } from './dialect.ts'
import { PostgresError } from './postgres-error.ts'
import { SCHEMA } from './schema.ts'

/** Advisory lock of transactions that write. Any number that other applications of the database do not use. */
export const WRITE_LOCK = 7_404_111_001

/** Advisory lock of the replica that does the maintenance, held as long as its connection. */
const MAINTENANCE_LOCK = 7_404_111_002

/**
 * Settings of each connection.
 *
 * - Starting parallel workers takes longer than most queries, and they would take the cores from ingest.
 * - Reading a table out of order costs little more than in order on an SSD. With PostgreSQL's default, the planner reads
 *   all issues to find one.
 * - A migration may take long, whatever limits the database's administrator has set.
 * - A batch reads before it has the lock of all writes. Its later reads must be as new as the lock.
 * - A replica that died, or is cut off, must not hold a lock: the server ends its transaction after 10 seconds,
 *   before others give up waiting, and notices after a minute that nobody answers.
 */
const SESSION = `SET search_path = ${SCHEMA}; SET jit = off; SET max_parallel_workers_per_gather = 0; SET random_page_cost = 1.1;
  SET default_transaction_isolation = 'read committed'; SET statement_timeout = 0; SET lock_timeout = 0;
  SET idle_in_transaction_session_timeout = '10s'; SET tcp_keepalives_idle = 30;
  SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3`

/** Milliseconds between measurements of the size, and of the difference between the clocks. */
const MEASURE_INTERVAL = 10_000

/** Text of a statement in PostgreSQL's language, and its name at the server, which keeps it prepared. */
type Statement = Pick<ConnectionRequest, 'text' | 'name'>

/**
 * A statement that returns all columns of a table. It is not kept prepared: when another replica migrates the table to a
 * newer schema, it would fail.
 */
const ALL_COLUMNS = /^\s*SELECT (?:\w+\.)?\*/

/**
 * A connection to the inbox's tables on PostgreSQL. Transactions of all replicas run one after the other, as on SQLite:
 * then counts, grouping and changes of state need no locks of their own.
 */
export class PostgresStore extends Store {
  readonly #connection: Connection
  readonly #statements = new Map<string, Statement>()
  readonly #dailyTables = new DailyTables(this)
  /** {@link writes} of the running query. */
  #writes: string | undefined
  #isInQuery = false
  /** Rows that queries recall, by statement. */
  readonly #recalled = new Map<string, Row[]>()
  /** Those that the running queries recalled, asked for again. */
  readonly #checks = new Map<string, () => Row[]>()
  #isInTransaction = false
  /** Whether the transaction asked for the write lock. */
  #isLocked = false
  #holdsMaintenance = false
  #usedBytes = 0
  #measureAt = -Infinity
  #clockAhead = 0
  #compareAt = -Infinity

  /** @throws PostgresError if there is no connection */
  constructor(options: ConnectionOptions) {
    super()
    this.#connection = new Connection(options)
    try {
      this.exec(SESSION)
    } catch (error) {
      this.close()
      throw error
    }
  }

  override all<T = Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#query(sql, values).rows as T[]
  }

  override get<T = Row>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#query(sql, values).rows[0] as T | undefined
  }

  override ask<T = Row>(sql: string, ...values: SQLInputValue[]): () => T[] {
    return this.#ask(sql, values)
  }

  override insert(sql: string, ...values: SQLInputValue[]): number {
    this.#checkLock()
    return (this.#query(`${sql} RETURNING id`, values).rows[0]?.['id'] ?? 0) as number
  }

  override run(sql: string, ...values: SQLInputValue[]): { changes: number } {
    this.#checkLock()
    return this.#query(sql, values)
  }

  override write(sql: string, ...values: SQLInputValue[]): void {
    this.#checkLock()
    if (this.#isInTransaction) this.#connection.defer(this.#toRequest(sql, values))
    else this.#query(sql, values)
  }

  override allIn<T = Row>(sql: string, keys: Iterable<SQLInputValue>, ...values: SQLInputValue[]): T[] {
    return this.askIn<T>(sql, keys, ...values)()
  }

  override askIn<T = Row>(sql: string, keys: Iterable<SQLInputValue>, ...values: SQLInputValue[]): () => T[] {
    const list = [...keys]
    return list.length === 0 ? () => [] : this.#lookUp<T>(sql, [list], values)
  }

  override allInRows<T = Row>(sql: string, keys: readonly SQLInputValue[][], ...values: SQLInputValue[]): T[] {
    if (keys.length === 0) return []
    const columns = keys[0]!.map((_value, column) => keys.map((row) => row[column]!))
    return this.#lookUp<T>(sql, columns, values)()
  }

  /**
   * Looks up one key after the other, in one statement: PostgreSQL takes a list as one value. With a condition for the
   * whole list it would read all rows of a project instead, where it believes that they are few: in a partition that it
   * has no statistics of yet.
   */
  #lookUp<T>(sql: string, columns: SQLInputValue[][], values: SQLInputValue[]): () => T[] {
    const names = columns.map((_column, index) => `key_${index}`).join(', ')
    const lookUp = `WITH keys AS (SELECT DISTINCT * FROM unnest(${columns.map(toArray).join(', ')}) AS keys (${names}))
      SELECT found.* FROM keys JOIN LATERAL (${sql.replace('IN (:keys)', `= (${names})`)} OFFSET 0) AS found ON true`
    return this.#ask(lookUp, [...columns, ...values])
  }

  override allOnce<T = Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#connection.query({ text: toPostgres(sql), values }).rows as T[]
  }

  override runAll<T>(calls: readonly PersonQuery<T>[]): QueryResult<T>[] {
    this.#writes = undefined
    this.#isInQuery = true
    try {
      return super.runAll(calls)
    } finally {
      this.#isInQuery = false
    }
  }

  protected override runParts<T>(calls: readonly PersonQuery<T>[]): QueryResult<T>[] {
    this.#checks.clear()
    const results = super.runParts(calls)
    if (results.some((result) => 'error' in result && result.error instanceof PostgresError))
      // Statements that are sent with one that fails are not run.
      return calls.length === 1 ? results : calls.flatMap((call) => this.runParts([call]))
    return this.#checkRecalled() ? results : super.runParts(calls)
  }

  override recall<T = Row>(sql: string): readonly T[] {
    const known = this.#recalled.get(sql)
    if (!this.#isInQuery || known === undefined) return this.#keep(sql, this.all(sql)) as T[]
    if (!this.#checks.has(sql)) this.#checks.set(sql, this.ask(sql))
    return known as T[]
  }

  /** Whether what the queries recalled is still the same. */
  #checkRecalled(): boolean {
    let isSame = true
    for (const [sql, read] of this.#checks) {
      const known = JSON.stringify(this.#recalled.get(sql))
      if (JSON.stringify(this.#keep(sql, read())) !== known) isSame = false
    }
    return isSame
  }

  #keep(sql: string, rows: Row[]): Row[] {
    this.#recalled.set(sql, rows)
    return rows
  }

  /** Any commit of the database changes it. A query is asked once: what it reads is at least as new. */
  override get writes(): string {
    if (!this.#isInQuery) return this.#readSnapshot()
    return (this.#writes ??= this.#readSnapshot())
  }

  #readSnapshot(): string {
    return this.get<{ snapshot: string }>('SELECT CAST(pg_current_snapshot() AS TEXT) AS snapshot')!.snapshot
  }

  override transaction<T>(work: () => T, { readsFirst = false }: { readsFirst?: boolean } = {}): T {
    this.#connection.defer({ text: 'BEGIN', values: [] })
    this.#isInTransaction = true
    if (!readsFirst) this.lock()
    try {
      const result = work()
      this.#connection.query({ text: 'COMMIT', values: [] })
      return result
    } catch (error) {
      this.discardDeferred()
      if (!this.isClosed) this.exec('ROLLBACK')
      throw error
    } finally {
      this.#isInTransaction = false
      this.#isLocked = false
    }
  }

  override lock(): void {
    if (!this.#isInTransaction || this.#isLocked) return
    this.#connection.defer({ text: `SELECT pg_advisory_xact_lock(${WRITE_LOCK})`, values: [] })
    this.#isLocked = true
  }

  override holdsMaintenance(): boolean {
    this.#holdsMaintenance ||=
      this.get<{ isHeld: number }>(`SELECT pg_try_advisory_lock(${MAINTENANCE_LOCK}) AS isHeld`)!.isHeld === 1
    return this.#holdsMaintenance
  }

  /**
   * Keeps all other connections from writing until this one ends.
   * @returns false if another one does the maintenance: a server uses the database
   */
  holdExclusively(): boolean {
    if (!this.holdsMaintenance()) return false
    this.exec(`SELECT pg_advisory_lock(${WRITE_LOCK})`)
    return true
  }

  override runLowPriority<T>(work: () => T): T {
    return work()
  }

  /** Includes the space of deleted rows, which PostgreSQL uses again. Measured at most every ten seconds. */
  override usedBytes(): number {
    if (performance.now() < this.#measureAt) return this.#usedBytes
    this.#measureAt = performance.now() + MEASURE_INTERVAL
    return (this.#usedBytes = this.get<{ bytes: number }>(
      `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
       WHERE relnamespace = to_regnamespace('${SCHEMA}') AND relkind = 'r'`
    )!.bytes)
  }

  /** PostgreSQL reuses the space of deleted rows itself. */
  override shrink(): boolean {
    return false
  }

  override readClock(): number {
    return this.get<{ now: number }>('SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now')!.now
  }

  override get clockAhead(): number {
    if (performance.now() < this.#compareAt) return this.#clockAhead
    this.#compareAt = performance.now() + MEASURE_INTERVAL
    const ahead = trustedNow() - this.readClock()
    return (this.#clockAhead = Math.abs(ahead) < SECOND ? 0 : ahead)
  }

  override get firstDailyId(): number {
    return this.#dailyTables.firstId
  }

  override daysSince(received: number): [number, number] {
    return [this.#dailyTables.firstIdSince(received), this.firstDailyId]
  }

  override dropDay(received: number): number {
    return this.#dailyTables.maintain(received)
  }

  /** Creates what is missing of the partitions of today and the next days. */
  extendDays(): void {
    this.transaction(() => this.#dailyTables.extend())
  }

  /** Runs statements that may take any time. */
  withoutTimeout(work: () => void): void {
    this.#connection.withoutTimeout(work)
  }

  protected override discardDeferred(): void {
    this.#connection.discard()
  }

  /** Limits each statement from now on. @param limit milliseconds */
  limitStatements(limit: number): void {
    this.exec(`SET statement_timeout = ${limit}`)
  }

  /** Lets the server end the connection after a time without statements. @param limit milliseconds */
  limitIdleTime(limit: number): void {
    this.exec(`SET idle_session_timeout = ${limit}`)
  }

  /** Whether the connection was closed or lost. */
  get isClosed(): boolean {
    return this.#connection.isClosed
  }

  /** Runs statements in PostgreSQL's language, without parameters. */
  exec(text: string): ConnectionResult {
    return this.#connection.query({ text })
  }

  override close(): void {
    this.#connection.close()
  }

  /** Two transactions that wait for each other's rows and for the lock would never end. */
  #checkLock(): void {
    if (this.#isInTransaction && !this.#isLocked) throw new Error('call lock() before the first write')
  }

  #ask<T>(sql: string, values: ConnectionValue[]): () => T[] {
    const deferred = this.#connection.defer(this.#toRequest(sql, values))
    return () => this.#connection.take(deferred).rows as T[]
  }

  #query(sql: string, values: ConnectionValue[]): ConnectionResult {
    return this.#connection.query(this.#toRequest(sql, values))
  }

  #toRequest(sql: string, values: ConnectionValue[]): ConnectionRequest {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = { text: toPostgres(sql), ...(!ALL_COLUMNS.test(sql) && { name: `s${this.#statements.size}` }) }
      this.#statements.set(sql, statement)
    }
    return { ...statement, values }
  }
}

/** Place of a list of numbers or texts. */
const toArray = ([first]: readonly SQLInputValue[]): string =>
  `CAST(? AS ${typeof first === 'number' ? 'BIGINT' : 'TEXT'}[])`
