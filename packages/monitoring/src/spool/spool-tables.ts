import type { DatabaseSync } from 'node:sqlite'
import { isFull } from '@hull/common/sqlite-file.ts'
import { ROWS_PER_ENVELOPE } from './spool-messages.ts'

/** Key of a row: the envelope's id, so bodies need no other index, and the row's position in the lower ten bits. */
export const rowKey = (id: number, seq: number): number => id * ROWS_PER_ENVELOPE + seq

/**
 * The row in `envelopes` marks a body as complete. `openings` are incomplete bodies; those that exist at a start were
 * interrupted. `due` is 0 until an attempt fails, and refers to the clock of one process.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS lanes (
    id INTEGER PRIMARY KEY, dsn TEXT NOT NULL, lane TEXT NOT NULL, UNIQUE (dsn, lane)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS envelopes (
    id INTEGER PRIMARY KEY, lane INTEGER NOT NULL, due INTEGER NOT NULL, received INTEGER NOT NULL,
    attempts INTEGER NOT NULL, rows INTEGER NOT NULL, size INTEGER NOT NULL, cost INTEGER NOT NULL, meta TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS envelopes_by_due ON envelopes (lane, due);
  CREATE TABLE IF NOT EXISTS bodies (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS openings (id INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE IF NOT EXISTS drops (
    dsn TEXT, reason TEXT, category TEXT, quantity INTEGER NOT NULL, PRIMARY KEY (dsn, reason, category)
  ) STRICT, WITHOUT ROWID;`

export interface LaneRow {
  id: number
  dsn: string
  lane: string
}

export interface EnvelopeRow {
  id: number
  lane: number
  attempts: number
  rows: number
  size: number
  cost: number
  received: number
  meta: string
}

/** Columns of {@link EnvelopeRow}. */
export const ENVELOPE_COLUMNS = 'id, lane, attempts, rows, size, cost, received, meta'

/** Condition for the rows of one body. */
const OF_BODY = `id >= ?1 * ${ROWS_PER_ENVELOPE} AND id < (?1 + 1) * ${ROWS_PER_ENVELOPE}`

/**
 * Creates the tables, removes incomplete bodies, makes all envelopes due that were set aside, and prepares every
 * statement.
 */
export function openTables(db: DatabaseSync) {
  db.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT`)
  sweep(db)
  const prepared = {
    addLane: 'INSERT INTO lanes (dsn, lane) VALUES (?, ?) RETURNING id',
    totals: 'SELECT lane, count(*) AS count, sum(cost) AS cost FROM envelopes GROUP BY lane',
    ids: 'SELECT min(id) AS lowest, max(id) AS highest FROM envelopes',
    oldest: 'SELECT received FROM envelopes ORDER BY id LIMIT 1',
    newest: 'SELECT received FROM envelopes ORDER BY id DESC LIMIT 1',
    expired: `SELECT ${ENVELOPE_COLUMNS} FROM envelopes WHERE received < ? ORDER BY id LIMIT ?`,
    last: `SELECT ${ENVELOPE_COLUMNS} FROM envelopes ORDER BY id DESC LIMIT ?`,
    withoutLane: 'SELECT id FROM envelopes WHERE lane NOT IN (SELECT id FROM lanes)',
    find: `SELECT ${ENVELOPE_COLUMNS} FROM envelopes WHERE id = ?`,
    addEnvelope: 'INSERT INTO envelopes VALUES (?, ?, 0, ?, 0, ?, ?, ?, ?)',
    removeEnvelope: 'DELETE FROM envelopes WHERE id = ?',
    fresh: `SELECT ${ENVELOPE_COLUMNS} FROM envelopes WHERE lane = ? AND due = 0 ORDER BY id`,
    setAside: `SELECT ${ENVELOPE_COLUMNS} FROM envelopes WHERE lane = ? AND due > 0 AND due <= ? ORDER BY due, id`,
    oldestFresh: 'SELECT min(id) AS id FROM envelopes WHERE lane = ? AND due = 0',
    oldestSetAside: 'SELECT min(id) AS id FROM envelopes WHERE lane = ? AND due > 0',
    nextDue: 'SELECT min(due) AS due FROM envelopes WHERE lane = ? AND due > ?',
    postpone: 'UPDATE envelopes SET due = ?, attempts = attempts + 1 WHERE id = ?',
    release: 'UPDATE envelopes SET due = 1 WHERE lane = ? AND due > 1',
    addRow: 'INSERT INTO bodies VALUES (?, ?)',
    row: 'SELECT bytes FROM bodies WHERE id = ?',
    removeRows: `DELETE FROM bodies WHERE ${OF_BODY}`,
    measureRows: `SELECT count(*) AS count, total(length(bytes)) AS size FROM bodies WHERE ${OF_BODY}`,
    addOpening: 'INSERT OR IGNORE INTO openings VALUES (?)',
    removeOpening: 'DELETE FROM openings WHERE id = ?',
    addDrop: `INSERT INTO drops VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity`,
    subtractDrop: 'UPDATE drops SET quantity = quantity - ? WHERE dsn = ? AND reason = ? AND category = ?',
    clearDrops: 'DELETE FROM drops WHERE quantity <= 0',
    drops: 'SELECT reason, category, quantity FROM drops WHERE dsn = ? AND quantity > 0 LIMIT 500',
    unreported: 'SELECT DISTINCT dsn FROM drops'
  }
  return Object.fromEntries(Object.entries(prepared).map(([name, sql]) => [name, db.prepare(sql)])) as {
    [Name in keyof typeof prepared]: ReturnType<DatabaseSync['prepare']>
  }
}

/** Reads the lanes of a file, by id. */
export const readLanes = (db: DatabaseSync): Map<number, LaneRow> =>
  new Map((db.prepare('SELECT id, dsn, lane FROM lanes').all() as unknown as LaneRow[]).map((lane) => [lane.id, lane]))

/**
 * Reads the rows of a body.
 * @param row statement that returns the bytes of a key
 * @returns undefined if a row is missing or the body has another size
 * @throws Error if a page of the file is damaged
 */
export function readBody(
  row: ReturnType<DatabaseSync['prepare']>,
  { id, rows, size }: Pick<EnvelopeRow, 'id' | 'rows' | 'size'>
): Uint8Array[] | undefined {
  const parts: Uint8Array[] = []
  let read = 0
  for (let seq = 0; seq < rows; seq++) {
    const found = row.get(rowKey(id, seq)) as { bytes: Uint8Array } | undefined
    if (found === undefined) return undefined
    parts.push(found.bytes)
    read += found.bytes.length
  }
  return read === size ? parts : undefined
}

/** Lanes above which those without an envelope are removed at a start. A guess. */
const MANY_LANES = 100

/** `id IS NOT NULL` is always true: without a condition, SQLite writes a page even if there is nothing to delete. */
const SWEEP = `BEGIN IMMEDIATE;
  DELETE FROM bodies WHERE id IN (
    SELECT bodies.id FROM openings CROSS JOIN bodies
      ON bodies.id >= openings.id * ${ROWS_PER_ENVELOPE} AND bodies.id < (openings.id + 1) * ${ROWS_PER_ENVELOPE});
  DELETE FROM openings WHERE id IS NOT NULL;
  DELETE FROM lanes WHERE (SELECT count(*) FROM lanes) > ${MANY_LANES} AND id NOT IN (SELECT lane FROM envelopes);
  UPDATE envelopes SET due = 1 WHERE due > 1; COMMIT`

/** On a full disk, the next start sweeps. Complete envelopes can be delivered in the meantime. */
function sweep(db: DatabaseSync): void {
  try {
    db.exec(SWEEP)
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    if (!isFull(error)) throw error
  }
}

export type Tables = ReturnType<typeof openTables>
