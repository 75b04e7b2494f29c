import { HOUR } from '@hull/common/time.ts'
import { removeOldest } from '../symbolication/prune.ts'
import { writeRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { describeUpload, recordAudit } from './audit.ts'
import type { TokenAuthor } from './release-types.ts'

/** Milliseconds after which the parts of an unfinished bundle are deleted. A guess. */
const MAX_AGE = HOUR

/** Stores a part of a bundle. Above `maxBytes` of all parts, the oldest are deleted. */
export function addChunk(
  store: Store,
  { sha1, body, maxBytes, at }: { sha1: string; body: Uint8Array; maxBytes: number; at: number }
): void {
  store.write(
    `INSERT INTO upload_chunk (sha1, size, received, body) VALUES (?, ?, ?, ?)
     ON CONFLICT (sha1) DO UPDATE SET size = excluded.size, received = excluded.received, body = excluded.body`,
    sha1,
    body.length,
    at,
    body
  )
  store.write(
    `DELETE FROM upload_chunk WHERE sha1 IN (SELECT sha1 FROM
       (SELECT sha1, sum(size) OVER (ORDER BY received DESC, sha1) AS total FROM upload_chunk) AS sums WHERE total > ?)`,
    maxBytes
  )
}

/**
 * Deletes the parts of a bundle that is complete, or was refused, and maps above the limit. Records how many maps were
 * stored.
 * @param release empty without one @param maps number of stored maps
 */
export function endUpload(
  store: Store,
  input: TokenAuthor & { sha1s: string[]; projects: number[]; release: string; maps: number }
): void {
  const { sha1s, projects, release, maps, by, token } = input
  store.write('DELETE FROM upload_chunk WHERE sha1 IN (SELECT value FROM json_each(?))', JSON.stringify(sha1s))
  if (maps === 0) return
  const subject = [release, `${maps} ${maps === 1 ? 'map' : 'maps'}`].filter((text) => text !== '').join(' · ')
  recordAudit(store, 'maps-uploaded', { who: by, detail: describeUpload(store, subject, projects, token) })
  removeOldest(store)
}

/** Deletes parts of bundles whose upload was not finished, a few at a time. @param now milliseconds since the epoch */
export function removeOldChunks(store: Store, now: number): void {
  store.write(
    'DELETE FROM upload_chunk WHERE sha1 IN (SELECT sha1 FROM upload_chunk WHERE received < ? LIMIT 16)',
    now - MAX_AGE
  )
}

/** Stores an uploaded source map. */
export function addUploadedMap(
  store: Store,
  input: {
    projects: number[]
    /** Empty without a release. */
    release: string
    /** Empty without a debug id. */
    debugId: string
    /** Path of the code. */
    file: string
    /** Hash of the map. */
    map: string
    /** Bytes of the map. */
    size: number
    /** The map, compressed by zstd. */
    body: Uint8Array
    at: number
    /**
     * Whether to delete maps of the project with the most, above the limit of all maps. It reads the size of each map, so
     * it is too slow for every map of a bundle.
     */
    prunes: boolean
  }
): void {
  const { projects, release, debugId, file, map, size, body, at, prunes } = input
  store.write('INSERT INTO source_map (debug_id, size, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', map, size, body)
  for (const project of projects)
    writeRow(
      store,
      'uploaded_map',
      { project, release, debug_id: debugId, file, map, uploaded: at, last_used: at },
      `ON CONFLICT (project, release, file, debug_id)
       DO UPDATE SET map = excluded.map, uploaded = excluded.uploaded, last_used = excluded.last_used`
    )
  if (prunes) removeOldest(store)
}
