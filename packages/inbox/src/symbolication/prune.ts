import { readSetting } from '../store/stored-settings.ts'
import type { Store } from '../store/store.ts'

/** Rows to a call: a build has some fifty files. */
const CHUNK = 500

export interface PruneOptions {
  /** Milliseconds since the epoch: maps that nobody needed since go. */
  before: number
}

/**
 * Forgets the maps of releases that are in no tab any more: nothing was resolved by them and no event came of their
 * release since `before`. Those of the running release stay.
 * @returns files forgotten, at most 500; call again until none are
 */
export function pruneMaps(store: Store, { before }: PruneOptions): number {
  const { changes } = store.run(
    `DELETE FROM source_map_file WHERE (file, release) IN (
       SELECT file, release FROM source_map_file AS old WHERE last_used < ?1
         AND release IS NOT ?2
         AND NOT EXISTS (SELECT 1 FROM release WHERE version = old.release AND last_seen >= ?1)
       LIMIT ?3)`,
    before,
    running(store),
    CHUNK
  )
  removeUnnamed(store)
  return changes
}

/** Forgets releases, the one that was of no use for the longest time first, until the maps take no more than `maxBytes`. */
export function removeOldest(store: Store, maxBytes: number): void {
  removeUnnamed(store)
  for (;;) {
    const { bytes } = store.get<{ bytes: number }>(`SELECT coalesce(sum(length(body)), 0) AS bytes FROM source_map`)!
    if (bytes <= maxBytes) return
    const oldest = store.get<{ release: string }>(
      `SELECT release FROM source_map_file WHERE release IS NOT ?
       GROUP BY release ORDER BY max(last_used), max(imported) LIMIT 1`,
      running(store)
    )
    if (oldest === undefined) return
    store.run(`DELETE FROM source_map_file WHERE release = ?`, oldest.release)
    removeUnnamed(store)
  }
}

const running = (store: Store) => readSetting(store, 'maps_release') ?? null

/** Maps that are of no file any more. */
function removeUnnamed(store: Store) {
  store.run(`DELETE FROM source_map WHERE debug_id NOT IN (SELECT debug_id FROM source_map_file)`)
}
