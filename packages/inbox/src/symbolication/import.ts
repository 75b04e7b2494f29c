import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAP_LIST, type MapEntry } from '@hull/common/source-map-list.ts'
import { writeRow } from '../store/rows.ts'
import { writeSetting } from '../store/stored-settings.ts'
import type { Store } from '../store/store.ts'
import { MAX_MAP_BYTES } from './limits.ts'
import { removeOldest } from './prune.ts'

/** Maps per transaction, which takes some ten milliseconds. */
const BATCH = 16

export interface ImportOptions {
  /** Folder of the build's maps: `dist/maps`. */
  folder: string
  /** Release of the build. */
  release: string
  /** Milliseconds since the epoch. */
  now: number
}

export interface ImportResult {
  /** Number of maps stored by this import. */
  imported: number
  /** Number of maps that were already stored. */
  known: number
  /** Maps not stored, because they are missing, too large, or differ from the build's list. */
  refused: { file: string; why: string }[]
}

/**
 * Stores a build's source maps as the build has compressed them; {@link pruneMaps} deletes them when their release is
 * out of use. Takes the ids of known maps from the build's list, without reading the files. Does nothing if there is no
 * list, as in development. Writes in several transactions.
 */
export function importMaps(store: Store, { folder, release, now }: ImportOptions): ImportResult {
  const result: ImportResult = { imported: 0, known: 0, refused: [] }
  const entries = readList(folder)
  writeSetting(store, 'maps_release', release)
  for (let at = 0; at < entries.length; at += BATCH)
    store.transaction(() => {
      for (const entry of entries.slice(at, at + BATCH)) {
        const why = importMap(store, entry, { folder, release, now }, result)
        if (why !== undefined) result.refused.push({ file: entry.file, why })
      }
    })
  store.write(`UPDATE source_map_file SET last_used = ? WHERE release = ? AND last_used < ?`, now, release, now)
  removeOldest(store)
  return result
}

/** @returns the reason if the map was refused */
function importMap(
  store: Store,
  { file, debugId, size, hash }: MapEntry,
  { folder, release, now }: ImportOptions,
  result: ImportResult
): string | undefined {
  const known = store.get<{ map: string }>(
    `SELECT debug_id AS map FROM source_map_file JOIN source_map USING (debug_id) WHERE file = ? AND release = ?`,
    file,
    release
  )
  if (known?.map === debugId) {
    result.known++
    return undefined
  }
  if (store.get(`SELECT 1 FROM source_map WHERE debug_id = ?`, debugId) === undefined) {
    if (size > MAX_MAP_BYTES) return `larger than ${MAX_MAP_BYTES} bytes`
    const body = readIfThere(join(folder, `${file}.map.zst`))
    if (body === undefined) return 'it is not there'
    if (createHash('sha256').update(body).digest('hex') !== hash) return 'it is not the one that the build wrote'
    store.write('INSERT INTO source_map (debug_id, size, body) VALUES (?, ?, ?)', debugId, size, body)
    result.imported++
  } else result.known++
  writeRow(
    store,
    'source_map_file',
    { file, release, debug_id: debugId, imported: now, last_used: now },
    `ON CONFLICT (file, release)
     DO UPDATE SET debug_id = excluded.debug_id, imported = excluded.imported, last_used = excluded.last_used`
  )
  return undefined
}

function readList(folder: string): MapEntry[] {
  const text = readIfThere(join(folder, MAP_LIST))
  if (text === undefined) return []
  try {
    const list: unknown = JSON.parse(text.toString())
    return Array.isArray(list) ? list.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(value: unknown): value is MapEntry {
  const { file, debugId, size, hash } = (value ?? {}) as Partial<MapEntry>
  if (typeof file !== 'string' || typeof debugId !== 'string' || typeof hash !== 'string') return false
  if (!Number.isSafeInteger(size) || Number(size) < 0) return false
  return /^(?:client|server)\//.test(file) && !file.split('/').includes('..') && /^[0-9a-f-]{36}$/.test(debugId)
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
