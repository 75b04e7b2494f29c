import { askSetting } from '../../store/stored-settings.ts'
import { IDS_PER_DAY, type Store } from '../../store/store.ts'
import type { Storage } from './health-types.ts'

/** Asks for the contents of the store. */
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

/**
 * Asks for the number of rows, from the first and last id of each day: PostgreSQL begins a day at its own id, and a file
 * has all ids in the first. Rows deleted individually are still counted until all older rows have been removed.
 */
function askCount(store: Store, table: 'event' | 'span'): () => number {
  const next = `(first / ${IDS_PER_DAY} + 1) * ${IDS_PER_DAY}`
  const rows = store.ask<{ rows: number | null }>(
    `WITH RECURSIVE day (first) AS (
       SELECT min(id) FROM ${table}
       UNION ALL
       SELECT (SELECT min(id) FROM ${table} WHERE id >= ${next}) FROM day WHERE first IS NOT NULL
     )
     SELECT CAST(sum((SELECT max(id) FROM ${table} WHERE id < ${next}) - first + 1) AS BIGINT) AS rows
     FROM day WHERE first IS NOT NULL`
  )
  return () => rows()[0]!.rows ?? 0
}
