import { readSetting } from '../store/stored-settings.ts'
import type { Store } from '../store/store.ts'

/** Maximum rows per call. A build has about fifty files. */
const CHUNK = 500

export interface PruneOptions {
  /** Milliseconds since the epoch. Maps not used since then are deleted. */
  before: number
}

/**
 * Deletes the maps of releases that no visitor uses any more: since `before`, no frame was resolved with the map and
 * its release was not seen. Keeps the maps of the running release.
 * @returns number of deleted files, at most 500 of each kind; call again until it is 0
 */
export function pruneMaps(store: Store, { before }: PruneOptions): number {
  const { changes } = store.run(
    `DELETE FROM source_map_file WHERE (file, release) IN (
       SELECT file, release FROM source_map_file AS old WHERE last_used < ?1
         AND release IS DISTINCT FROM ?2
         AND NOT EXISTS (SELECT 1 FROM release WHERE version = old.release AND last_seen >= ?1)
       LIMIT ?3)`,
    before,
    running(store),
    CHUNK
  )
  const uploaded = store.run(
    `DELETE FROM uploaded_map WHERE id IN (
       SELECT id FROM uploaded_map AS old WHERE last_used < ?1
         AND NOT EXISTS (SELECT 1 FROM release WHERE project = old.project AND version = old.release AND last_seen >= ?1)
       LIMIT ?2)`,
    before,
    CHUNK
  )
  removeUnreferenced(store)
  return changes + uploaded.changes
}

/**
 * Deletes the maps of the least recently used releases until the maps take at most `maxBytes`. Keeps the running
 * release.
 */
export function removeOldest(store: Store, maxBytes: number): void {
  removeUnreferenced(store)
  for (;;) {
    const { bytes } = store.get<{ bytes: number }>(`SELECT coalesce(sum(length(body)), 0) AS bytes FROM source_map`)!
    if (bytes <= maxBytes) return
    const oldest = store.get<{ project: number | null; release: string }>(
      `SELECT NULL AS project, release, max(last_used) AS used, max(imported) AS stored FROM source_map_file
         WHERE release IS DISTINCT FROM ? GROUP BY release
       UNION ALL
       SELECT project, release, max(last_used), max(uploaded) FROM uploaded_map GROUP BY project, release
       ORDER BY used, stored LIMIT 1`,
      running(store)
    )
    if (oldest === undefined) return
    const { project, release } = oldest
    if (project === null) store.write(`DELETE FROM source_map_file WHERE release = ?`, release)
    else store.write(`DELETE FROM uploaded_map WHERE project = ? AND release = ?`, project, release)
    removeUnreferenced(store)
  }
}

const running = (store: Store) => readSetting(store, 'maps_release') ?? null

/** Deletes the maps that no file refers to. */
function removeUnreferenced(store: Store) {
  store.write(
    `DELETE FROM source_map WHERE debug_id NOT IN (SELECT debug_id FROM source_map_file)
       AND debug_id NOT IN (SELECT map FROM uploaded_map)`
  )
}
