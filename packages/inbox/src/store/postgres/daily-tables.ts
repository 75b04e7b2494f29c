import { DAY, MINUTE } from '@hull/common/time.ts'
import { LOCKED, PostgresError } from './postgres-error.ts'
import type { PostgresStore } from './postgres-store.ts'
import { IDS_PER_DAY } from '../store.ts'
import { DAILY_TABLES, SCHEMA } from './schema.ts'

/** Days after today that have partitions already, should no replica do the maintenance for a while. */
const DAYS_AHEAD = 2

/** Days that ids may lag behind while no replica does the maintenance. A guess. */
const DAYS_LATE = 3

/**
 * Milliseconds that dropping a partition waits for running queries. New ones, and all writes, wait for it in turn. A
 * guess: most queries take less. A backup takes longer, and the partition stays until it has ended.
 */
const LOCK_TIMEOUT = 200

interface Partition {
  name: string
  /** The id after its last one. */
  end: number
}

/**
 * The partitions of the {@link DAILY_TABLES}. The first one takes the ids before the day of the migration: those of an
 * inbox that was copied from a file. The clock is the database's.
 */
export class DailyTables {
  readonly #store: PostgresStore
  #firstId: number | undefined
  #nextCheck = -Infinity

  constructor(store: PostgresStore) {
    this.#store = store
  }

  /** The first id of a day. Rows with smaller ones are deleted one by one. */
  get firstId(): number {
    return (this.#firstId ??= this.#readPartitions('event')[0]!.end)
  }

  /** The first id of a day on which rows can have been stored that were received at a time, in milliseconds, or later. */
  firstIdSince(received: number): number {
    return Math.max(0, Math.floor(received / DAY) - DAYS_LATE) * IDS_PER_DAY
  }

  /**
   * Creates the partitions up to {@link DAYS_AHEAD}, and makes new rows take ids of today. Call it in a transaction
   * that keeps others from writing.
   * @param today days since the epoch. @default the database's
   */
  extend(today = this.#readToday()): void {
    for (const [table, id] of Object.entries(DAILY_TABLES)) {
      const partitions = this.#readPartitions(table)
      let last = partitions.at(-1)?.end
      if (last === undefined) this.#create(table, `${table}_before`, 'MINVALUE', (last = today * IDS_PER_DAY))
      for (let day = today; day <= today + DAYS_AHEAD; day++) {
        const end = (day + 1) * IDS_PER_DAY
        if (end <= last) continue
        this.#create(table, `${table}_${new Date(day * DAY).toISOString().slice(0, 10).replaceAll('-', '')}`, last, end)
        last = end
      }
      this.#firstId = partitions[0]?.end ?? today * IDS_PER_DAY
      if (id === 'id')
        this.#store.exec(
          `SELECT setval('${table}_id_seq', ${today * IDS_PER_DAY}) FROM ${table}_id_seq WHERE last_value < ${today * IDS_PER_DAY}`
        )
    }
  }

  /**
   * Does the work of {@link extend}, and drops one partition whose rows were all received before a time. Looks once a
   * minute, and again as long as there is something to drop.
   * @param received milliseconds since the epoch
   * @returns about how many rows were dropped; 0 if there is nothing to drop
   */
  maintain(received: number): number {
    if (performance.now() < this.#nextCheck) return 0
    const today = this.#readToday()
    this.extend(today)
    const rows = this.drop(received, today)
    if (rows === 0) this.#nextCheck = performance.now() + MINUTE
    return rows
  }

  /** Drops one partition of a day before `today` whose rows were all received before a time. @returns as {@link maintain} */
  drop(received: number, today: number): number {
    const isOver = ({ end }: Partition) => end > this.firstId && end <= today * IDS_PER_DAY
    for (const table of ['event', 'span', 'log'] as const)
      for (const partition of this.#readPartitions(table).filter(isOver)) {
        const [newest] = this.#store.allOnce<{ received: number | null }>(
          `SELECT max(received) AS received FROM ${partition.name}`
        )
        // A process whose clock is ahead stores later times. Ids contain the day by the clock of the database.
        const lastDay = (partition.end / IDS_PER_DAY + DAYS_LATE) * DAY
        const rows = Math.min(newest?.received ?? 0, lastDay) < received ? this.#dropPartition(partition) : 0
        if (rows > 0) return rows
      }
    const [oldest] = this.#readPartitions('event').filter(({ end }) => end > this.firstId)
    const [payloads] = this.#readPartitions('event_payload').filter(isOver)
    return oldest && payloads && payloads.end < oldest.end ? this.#dropPartition(payloads) : 0
  }

  /** @returns about how many rows it had; at least one. 0 if queries use it, so that it stays for now */
  #dropPartition({ name }: Partition): number {
    const { rows } = this.#store.allOnce<{ rows: number }>(
      `SELECT CAST(greatest(reltuples, 1) AS BIGINT) AS rows FROM pg_class WHERE oid = to_regclass('${SCHEMA}.${name}')`
    )[0]!
    try {
      this.#store.attempt(() => {
        this.#store.exec(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}; DROP TABLE ${name}; SET LOCAL lock_timeout = 0`)
      })
      return rows
    } catch (error) {
      if (error instanceof PostgresError && LOCKED.has(error.code)) return 0
      throw error
    }
  }

  /** Does not wait for queries, as `CREATE TABLE … PARTITION OF` does. */
  #create(table: string, name: string, from: number | 'MINVALUE', end: number): void {
    this.#store.exec(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL EXCLUDING IDENTITY);
      ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${end})`)
  }

  /** The partitions of a table, in the order of their ids. */
  #readPartitions(table: string): Partition[] {
    return this.#store
      .all<Partition>(
        `SELECT relname AS name, CAST(substring(pg_get_expr(relpartbound, pg_class.oid) FROM 'TO \\(''(\\d+)''\\)') AS BIGINT) AS end
         FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = to_regclass(?)`,
        `${SCHEMA}.${table}`
      )
      .sort((a, b) => a.end - b.end)
  }

  #readToday(): number {
    return this.#store.get<{ today: number }>(
      `SELECT CAST(floor(extract(epoch FROM now()) / 86400) AS BIGINT) AS today`
    )!.today
  }
}
