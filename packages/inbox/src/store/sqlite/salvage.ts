import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { isCorrupt, isFull } from '@hull/common/sqlite-file.ts'
import { readRecovery } from './recovery.ts'
import { HIGH_WATER } from '../retention/retention.ts'

/** A table whose rows are copied from a damaged file. */
interface Salvaged {
  table: string
  /** Columns to order by. */
  key: string
  /** Maximum rows to copy, newest first. @default all */
  newest?: number
}

/**
 * Tables to copy: first the data that cannot be recreated, then the data that screens need. Most rollups and spans are
 * not copied: they fill up again, and their tables are the largest.
 */
const SALVAGED: readonly Salvaged[] = [
  { table: 'setting', key: 'name' },
  { table: 'project', key: 'id' },
  { table: 'person', key: 'id' },
  { table: 'person_project', key: 'person, project' },
  { table: 'person_session', key: 'hash' },
  { table: 'invitation', key: 'hash' },
  { table: 'api_token', key: 'id' },
  { table: 'saved_search', key: 'id' },
  { table: 'audit', key: 'id' },
  { table: 'alert_channel', key: 'id' },
  { table: 'alert_rule', key: 'id' },
  { table: 'alert_threshold', key: 'id' },
  { table: 'alert_fact', key: 'id' },
  { table: 'alert_draft', key: 'channel, project' },
  { table: 'alert_message', key: 'id' },
  { table: 'monitor', key: 'id' },
  { table: 'item_type', key: 'type' },
  { table: 'release', key: 'id' },
  { table: 'release_commit', key: 'release, position' },
  { table: 'deploy', key: 'id' },
  { table: 'issue', key: 'id' },
  { table: 'issue_key', key: 'id' },
  { table: 'issue_follower', key: 'issue, person' },
  { table: 'activity', key: 'id' },
  { table: 'source_map_file', key: 'file, release' },
  { table: 'uploaded_map', key: 'id' },
  { table: 'source_map', key: 'debug_id' },
  { table: 'issue_hour', key: 'issue, hour' },
  { table: 'event', key: 'id', newest: 20_000 },
  { table: 'event_payload', key: 'event', newest: 20_000 },
  { table: 'check_in', key: 'id', newest: 20_000 },
  { table: 'feedback', key: 'id', newest: 20_000 },
  { table: 'log', key: 'id', newest: 20_000 },
  { table: 'issue_visitor', key: 'visitor, issue' }
]

/** Rows per transaction. If the new file fills up, the rows of earlier transactions are kept. */
const CHUNK = 1_000

const INDEX_ISSUES = `INSERT INTO issue_search (rowid, type, value, culprit, url)
  SELECT id, type, value, culprit, '' FROM issue WHERE id NOT IN (SELECT rowid FROM issue_search)`

/**
 * Forgets the grouping keys of issues whose rows are lost: the next event of such an error makes a new issue. Its id is
 * none that rows of a lost issue still have.
 */
const FORGET_LOST_ISSUES = `
  INSERT INTO sqlite_sequence (name, seq)
    SELECT 'issue', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'issue');
  UPDATE sqlite_sequence SET seq = (SELECT max(id) FROM (
    SELECT seq AS id
    UNION ALL SELECT max(issue) FROM issue_key
    UNION ALL SELECT max(issue) FROM event
    UNION ALL SELECT max(issue) FROM activity
    UNION ALL SELECT max(issue) FROM issue_hour)) WHERE name = 'issue';
  DELETE FROM issue_key WHERE issue NOT IN (SELECT id FROM issue)`

/**
 * Removes the details of events whose rows are lost. SQLite gives the id after the highest one to the next event, whose
 * details could not be stored beside them.
 */
const FORGET_LOST_EVENTS = 'DELETE FROM event_payload WHERE event NOT IN (SELECT id FROM event)'

/** Maximum pages of a file. SQLite's highest. */
const MAX_PAGES = 4_294_967_294

/**
 * Copies the recovery copy of a damaged inbox, and the readable rows of the inbox itself, into a new file. The recovery
 * copy is first: rows of the damaged file do not replace its rows. Stops if the new file is full, but always copies the
 * recovery copy, because the next one replaces it. Leaves as much room as the retention does. May be repeated.
 * @param damaged the damaged file, which is not changed
 * @param recovery the recovery copy
 * @param db the new file
 * @returns number of copied rows by table, without tables that have none
 * @throws Error if the disk has no room for the recovery copy
 */
export function salvage(damaged: string, recovery: string, db: DatabaseSync): Record<string, number> {
  const rows = new Map<string, number>()
  const add = (table: string, count: number) => {
    if (count > 0) rows.set(table, (rows.get(table) ?? 0) + count)
  }
  const pages = limitPages(db, MAX_PAGES)
  for (const [table, kept] of Object.entries(readRecovery(recovery))) add(table, insertRows(db, table, kept))
  limitPages(db, Math.floor(pages * HIGH_WATER))
  readDamaged(damaged, (source) => {
    for (const salvaged of SALVAGED) {
      add(salvaged.table, copyTable(source, db, salvaged))
      if (salvaged.table === 'issue') db.exec(INDEX_ISSUES)
    }
  })
  limitPages(db, pages)
  db.exec(FORGET_LOST_ISSUES)
  db.exec(FORGET_LOST_EVENTS)
  return Object.fromEntries(rows)
}

/** Sets the maximum pages of a file; not less than it has. @returns the previous maximum */
function limitPages(db: DatabaseSync, pages: number): number {
  const { max_page_count: previous } = db.prepare('PRAGMA max_page_count').get() as { max_page_count: number }
  db.exec(`PRAGMA max_page_count = ${pages}`)
  return previous
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

/** Copies from the newest row down to the first unreadable one, then from the oldest row up to an unreadable one. */
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
    // The table is damaged at this row, or does not exist.
    if (!isCorrupt(error) && !isTooLarge(error) && !isMissing(error)) throw error
  }
  return { rows: rows + insertRows(db, table, chunk), isWhole }
}

/** Inserts rows; skips those that violate a constraint or already exist. @returns number of inserted rows */
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

/** An integer that JavaScript cannot represent. The inbox stores none, so the row is damaged. */
const isTooLarge = (error: unknown): boolean => (error as { code?: string }).code === 'ERR_OUT_OF_RANGE'

/** SQLITE_ERROR: no such table. Older schemas do not have it. */
const isMissing = (error: unknown): boolean => (error as { errcode?: number }).errcode === 1
