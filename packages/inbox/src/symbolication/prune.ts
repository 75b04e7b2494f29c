import { readSetting } from '../store/stored-settings.ts'
import type { Store } from '../store/store.ts'
import { MAX_STORED_BYTES } from './limits.ts'

/** Maximum rows per call. A build has about fifty files. */
const CHUNK = 500

/** Maximum share of the store that maps take: the retention deletes events instead when the store is full. A guess. */
const MAX_SHARE = 0.25

/** Number for the builds of the application among those of projects, which begin at 1. */
const BUILDS = 0

/**
 * Deletes the maps of releases that no visitor uses any more: since `before`, no frame was resolved with the map and
 * its release was not seen. Keeps the maps of the running release.
 * @param before milliseconds since the epoch
 * @returns number of deleted files, at most 500 of each kind; call again until it is 0
 */
export function pruneMaps(store: Store, before: number): number {
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
 * Deletes maps until they take at most `maxBytes`, by default a quarter of the store and 256 MiB: those of the least
 * recently used release of the project with the most bytes, so that a project with many uploads does not delete the maps
 * of the others. Maps without a release are deleted one by one. The builds of the application count as a project of
 * their own. Keeps the running release.
 */
export function removeOldest(store: Store, maxBytes = maxBytesOf(store)): void {
  removeUnreferenced(store)
  for (;;) {
    const { bytes } = store.get<{ bytes: number }>(`SELECT coalesce(sum(length(body)), 0) AS bytes FROM source_map`)!
    if (bytes <= maxBytes) return
    const oldest = store.get<{ project: number; release: string; single: string | null }>(
      `WITH file (project, release, map, used, stored) AS (
         SELECT ${BUILDS}, release, debug_id, last_used, imported FROM source_map_file
         UNION ALL
         SELECT project, release, map, last_used, uploaded FROM uploaded_map
       ), share (project, bytes) AS (
         SELECT maps.project, sum(length(source_map.body)) FROM (SELECT DISTINCT project, map FROM file) AS maps
         JOIN source_map ON source_map.debug_id = maps.map GROUP BY maps.project
       )
       SELECT file.project, file.release, file.single FROM (
         SELECT *, CASE WHEN project <> ${BUILDS} AND release = '' THEN map END AS single FROM file
       ) AS file JOIN share ON share.project = file.project
       WHERE file.project <> ${BUILDS} OR file.release IS DISTINCT FROM ?
       GROUP BY file.project, file.release, file.single, share.bytes
       ORDER BY share.bytes DESC, max(file.used), max(file.stored) LIMIT 1`,
      running(store)
    )
    if (oldest === undefined) return
    const { project, release, single } = oldest
    if (project === BUILDS) store.write(`DELETE FROM source_map_file WHERE release = ?`, release)
    else
      store.write(
        `DELETE FROM uploaded_map WHERE project = ? AND release = ? AND map = coalesce(?, map)`,
        project,
        release,
        single
      )
    removeUnreferenced(store)
  }
}

function maxBytesOf(store: Store): number {
  const ofStore = readSetting(store, 'max_bytes') ?? 0
  return ofStore === 0 ? MAX_STORED_BYTES : Math.min(MAX_STORED_BYTES, ofStore * MAX_SHARE)
}

const running = (store: Store) => readSetting(store, 'maps_release') ?? null

/** Deletes the maps that no file refers to. */
function removeUnreferenced(store: Store) {
  store.write(
    `DELETE FROM source_map WHERE debug_id NOT IN (SELECT debug_id FROM source_map_file)
       AND debug_id NOT IN (SELECT map FROM uploaded_map)`
  )
}
