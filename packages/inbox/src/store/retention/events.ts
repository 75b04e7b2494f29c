import type { Store } from '../store.ts'
import { CHUNK } from './chunk.ts'
import { removeEmptyIssues } from './issues.ts'

/** Tables whose rows are deleted by the time of receipt, largest first. Payloads are deleted with their events. */
const TABLES = ['event', 'span', 'log', 'attachment', 'raw_item', 'vital', 'feedback', 'check_in'] as const

/** The largest tables. If the store exceeds its size, their rows are deleted, and those of sessions. */
const BULK = ['event', 'span', 'log', 'attachment', 'raw_item', 'vital'] as const

type Table = (typeof TABLES)[number]

/** Deletes a day, or a chunk of rows, received before a time. @returns number of deleted rows; 0 if none are left */
export function removeBefore(store: Store, received: number): number {
  const dropped = store.dropDay(received)
  if (dropped > 0) return dropped
  for (const table of TABLES) {
    const rows = removeOldest(store, table, received)
    if (rows > 0) return rows
  }
  return removeSessions(store, received)
}

/**
 * Deletes a chunk of the oldest rows, whatever their age, and of the open issues whose events are gone: a program that
 * sends a new issue each time must not fill the store with them. @returns number of deleted rows; 0 if none are left
 */
export function removeSome(store: Store): number {
  let oldest: { table: Table; received: number } | undefined
  for (const table of BULK) {
    const row = store.get<{ received: number | null }>(`SELECT min(received) AS received FROM ${table}`)
    if (row?.received != null && row.received < (oldest?.received ?? Infinity))
      oldest = { table, received: row.received }
  }
  const issues = removeEmptyIssues(store, oldest?.received ?? Infinity)
  if (issues > 0) return issues
  const session =
    store.get<{ started: number | null }>('SELECT min(started) AS started FROM session')?.started ?? Infinity
  return oldest === undefined || session < oldest.received
    ? removeSessions(store, Infinity)
    : removeOldest(store, oldest.table, Infinity)
}

const removeSessions = (store: Store, started: number): number =>
  store.run(
    `DELETE FROM session WHERE (project, sid) IN
       (SELECT project, sid FROM session WHERE started < ? ORDER BY started LIMIT ${CHUNK})`,
    started
  ).changes

function removeOldest(store: Store, table: Table, received: number): number {
  // The table is WITHOUT ROWID, so rows are deleted by key.
  if (table === 'vital')
    return store.run(
      `DELETE FROM vital WHERE (trace_id, name) IN
         (SELECT trace_id, name FROM vital WHERE received < ? ORDER BY received LIMIT ${CHUNK})`,
      received
    ).changes
  const isDaily = table === 'event' || table === 'span' || table === 'log'
  const chosen = `SELECT id FROM ${table} WHERE received < ?1${isDaily ? ' AND id < ?2' : ''} ORDER BY received LIMIT ${CHUNK}`
  const values = isDaily ? [received, store.firstDailyId] : [received]
  if (table === 'event') store.write(`DELETE FROM event_payload WHERE event IN (${chosen})`, ...values)
  return store.run(`DELETE FROM ${table} WHERE id IN (${chosen})`, ...values).changes
}
