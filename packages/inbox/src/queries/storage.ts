import { readSetting } from '../store/stored-settings.ts'
import type { Store } from '../store/store.ts'
import type { Storage } from './types.ts'

/**
 * Contents of the file. Counts are derived from the first and last id, since rows are added at one end and removed at
 * the other.
 */
export function readStorage(store: Store): Storage {
  const { oldest } = store.get<{ oldest: number | null }>('SELECT min(received) AS oldest FROM event')!
  return {
    bytes: store.usedBytes(),
    maxBytes: readSetting(store, 'max_bytes') ?? 0,
    retentionDays: readSetting(store, 'retention_days') ?? 0,
    ...(oldest !== null && { oldest }),
    events: countByIds(store, 'event'),
    spans: countByIds(store, 'span')
  }
}

/** Rows deleted individually are still counted until all older rows have been removed. */
function countByIds(store: Store, table: 'event' | 'span'): number {
  const row = store.get<{ first: number | null; last: number | null }>(
    `SELECT (SELECT min(id) FROM ${table}) AS first, (SELECT max(id) FROM ${table}) AS last`
  )!
  return row.first === null ? 0 : row.last! - row.first + 1
}
