import { zstdDecompressSync } from 'node:zlib'
import type { FigureName } from '../store/rollups.ts'
import type { StoreHealth } from '../queries/overview/health-types.ts'
import { askSetting } from '../store/stored-settings.ts'
import type { Store } from '../store/store.ts'
import { MAX_MAP_BYTES } from './limits.ts'
import { functionAt, ParsedMap } from './parsed-map.ts'

/** Maximum bytes of a map that is read as a sample. The smallest pages' maps have 2 KB. */
const MAX_SAMPLE_BYTES = 64 * 1024

/** Columns of the first line to try for the sample. */
const SAMPLE_COLUMNS = 400

/** Asks for the number of unresolved frames of the team's own code since an hour. @param project @default all */
export function askFrameFigures(
  store: Store,
  { project, sinceHour }: { project?: number; sinceHour: number }
): () => StoreHealth['unresolved'] {
  const sum = (name: FigureName) =>
    store.ask<{ quantity: number }>(
      project === undefined
        ? `SELECT coalesce(sum(quantity), 0) AS quantity FROM figure_hour
           WHERE project IN (SELECT id FROM project) AND name = ?1 AND hour >= ?2`
        : `SELECT coalesce(sum(quantity), 0) AS quantity FROM figure_hour WHERE project = ?3 AND name = ?1 AND hour >= ?2`,
      name,
      sinceHour,
      ...(project === undefined ? [] : [project])
    )
  const frames = sum('frames_unresolved')
  const of = sum('frames')
  return () => ({ frames: frames()[0]!.quantity, of: of()[0]!.quantity })
}

/**
 * Asks for the number of stored maps, and for a sample position of the running release, which is resolved with the same
 * reader as for an event.
 */
export function askMaps(store: Store): () => StoreHealth['maps'] {
  const stored = store.ask<{ maps: number; bytes: number }>(
    `SELECT count(*) AS maps, coalesce(sum(length(body)), 0) AS bytes FROM source_map`
  )
  const found = store.ask<{ releases: number }>(
    `SELECT count(*) AS releases FROM
       (SELECT 0 AS project, release FROM source_map_file UNION SELECT project, release FROM uploaded_map) AS found`
  )
  const running = askSetting(store, 'maps_release')
  return () => {
    const { maps, bytes } = stored()[0]!
    const { releases } = found()[0]!
    const sample = findSample(store, running() ?? '')
    return { maps, releases, bytes, ...(sample && { sample }) }
  }
}

/** Tries the smallest maps of a release: a page's map is read in less than a millisecond. */
function findSample(store: Store, release: string): StoreHealth['maps']['sample'] {
  const small = store.all<{ file: string; body: Uint8Array }>(
    `SELECT file, body FROM source_map_file JOIN source_map USING (debug_id)
     WHERE release = ? AND file LIKE 'client/%' AND size <= ?
     ORDER BY size DESC LIMIT 5`,
    release,
    MAX_SAMPLE_BYTES
  )
  for (const { file, body } of small) {
    try {
      const map = new ParsedMap(file, zstdDecompressSync(body, { maxOutputLength: MAX_MAP_BYTES }))
      for (let column = 1; column <= SAMPLE_COLUMNS; column++) {
        const place = map.find(1, column)
        const name = place?.source.inApp ? functionAt(place) : undefined
        if (place && name !== undefined) return { file: place.source.file, function: name, line: place.line }
      }
    } catch {
      // Try the next map.
    }
  }
  return undefined
}
