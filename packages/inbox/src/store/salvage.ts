import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { isCorrupt, isFull } from '@hull/common/sqlite-file.ts'
import { readRecovery } from './recovery.ts'

/** A table whose rows are carried over from a damaged file. */
interface Salvaged {
  table: string
  /** Columns that order it. */
  key: string
  /** Newest rows that are carried over. @default all */
  newest?: number
}

/**
 * What of a damaged inbox nobody could give back, then what a screen needs. Rollups and spans are left behind: they fill
 * again, and their tables are the largest.
 */
const SALVAGED: readonly Salvaged[] = [
  { table: 'setting', key: 'name' },
  { table: 'project', key: 'id' },
  { table: 'person', key: 'id' },
  { table: 'person_session', key: 'hash' },
  { table: 'invitation', key: 'hash' },
  { table: 'release', key: 'id' },
  { table: 'issue', key: 'id' },
  { table: 'issue_key', key: 'id' },
  { table: 'activity', key: 'id' },
  { table: 'source_map_file', key: 'file, release' },
  { table: 'source_map', key: 'debug_id' },
  { table: 'issue_hour', key: 'issue, hour' },
  { table: 'event', key: 'id', newest: 20_000 },
  { table: 'event_payload', key: 'event', newest: 20_000 }
]

/** Rows in one transaction: a new file that fills up keeps what was written before. */
const CHUNK = 1_000

/**
 * Carries over the recovery copy of a damaged inbox, and what can be read of the inbox itself, into a new one.
 * The recovery copy goes first: rows of the damaged file do not replace its rows, and stop where the new file is full.
 * @param damaged the damaged file, which is not changed
 * @param recovery the recovery copy
 * @param db the new file, without rows
 * @returns rows carried over, by table; tables without any are left out
 */
export function salvage(damaged: string, recovery: string, db: DatabaseSync): Record<string, number> {
  const rows = new Map<string, number>()
  const add = (table: string, count: number) => {
    if (count > 0) rows.set(table, (rows.get(table) ?? 0) + count)
  }
  for (const [table, kept] of Object.entries(readRecovery(recovery))) add(table, insertRows(db, table, kept))
  readDamaged(damaged, (source) => {
    for (const salvaged of SALVAGED) add(salvaged.table, copyTable(source, db, salvaged))
  })
  db.exec(`INSERT INTO issue_search (rowid, type, value, culprit, url) SELECT id, type, value, culprit, '' FROM issue`)
  return Object.fromEntries(rows)
}

function readDamaged(file: string, read: (source: DatabaseSync) => void): void {
  try {
    const source = new DatabaseSync(file, { readOnly: true })
    try {
      read(source)
    } finally {
      source.close()
    }
  } catch (error) {
    if (!isCorrupt(error) && !isFull(error)) throw error
  }
}

/** From the newest row to the first that cannot be read; then from the oldest, as far as that goes. */
function copyTable(source: DatabaseSync, db: DatabaseSync, { table, key, newest = -1 }: Salvaged): number {
  const descending = key.replaceAll(',', ' DESC,')
  const down = copyRows(source, db, table, `SELECT * FROM ${table} ORDER BY ${descending} DESC LIMIT ${newest}`)
  if (down.isWhole) return down.rows
  return down.rows + copyRows(source, db, table, `SELECT * FROM ${table} ORDER BY ${key} LIMIT ${newest}`).rows
}

function copyRows(source: DatabaseSync, db: DatabaseSync, table: string, sql: string) {
  let rows = 0
  let chunk: Record<string, SQLInputValue>[] = []
  let isWhole = false
  try {
    for (const row of source.prepare(sql).iterate()) {
      chunk.push(row as Record<string, SQLInputValue>)
      if (chunk.length < CHUNK) continue
      rows += insertRows(db, table, chunk)
      chunk = []
    }
    isWhole = true
  } catch (error) {
    // The table is damaged here, or is not there at all.
    if (!isCorrupt(error) && !isMissing(error)) throw error
  }
  return { rows: rows + insertRows(db, table, chunk), isWhole }
}

/** Rows that break a rule of the new table, or are there already, are left out. @returns those that were written */
function insertRows(db: DatabaseSync, table: string, rows: readonly Record<string, SQLInputValue>[]): number {
  const [first] = rows
  if (first === undefined) return 0
  const known = new Set(
    db
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map(({ name }) => name)
  )
  const columns = Object.keys(first).filter((column) => known.has(column))
  if (columns.length === 0) return 0
  const marks = columns.map(() => '?').join(', ')
  const insert = db.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${marks})`)
  db.exec('BEGIN')
  try {
    let written = 0
    for (const row of rows) written += Number(insert.run(...columns.map((column) => row[column] ?? null)).changes)
    db.exec('COMMIT')
    return written
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** SQLITE_ERROR: no such table. An older schema did not have it. */
const isMissing = (error: unknown): boolean => (error as { errcode?: number }).errcode === 1
