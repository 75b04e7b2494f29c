import { askSetting } from '../store/stored-settings.ts'
import type { Store } from '../store/store.ts'
import type { Storage } from './health-types.ts'

/**
 * Asks for the contents of the store. Counts are derived from the first and last id, since rows are added at one end and
 * removed at the other.
 */
export function askStorage(store: Store): () => Storage {
  const received = store.ask<{ oldest: number | null }>('SELECT min(received) AS oldest FROM event')
  const maxBytes = askSetting(store, 'max_bytes')
  const retentionDays = askSetting(store, 'retention_days')
  const events = askCount(store, 'event')
  const spans = askCount(store, 'span')
  return () => {
    const { oldest } = received()[0]!
    return {
      bytes: store.usedBytes(),
      maxBytes: maxBytes() ?? 0,
      retentionDays: retentionDays() ?? 0,
      ...(oldest !== null && { oldest }),
      events: events(),
      spans: spans()
    }
  }
}

/** Rows deleted individually are still counted until all older rows have been removed. */
function askCount(store: Store, table: 'event' | 'span'): () => number {
  const rows = store.ask<{ first: number | null; last: number | null }>(
    `SELECT (SELECT min(id) FROM ${table}) AS first, (SELECT max(id) FROM ${table}) AS last`
  )
  return () => {
    const { first, last } = rows()[0]!
    return first === null ? 0 : last! - first + 1
  }
}
