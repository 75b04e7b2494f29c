import { zstdDecompressSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { HOUR } from '@hull/common/time.ts'
import type { Side } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { MAX_MAP_BYTES, MAX_PARSED_BYTES } from './limits.ts'
import { ParsedMap } from './parsed-map.ts'

/** Milliseconds between updates of a map's `last_used`: each one is a write. */
const TOUCH_INTERVAL = HOUR

/** Maximum files whose last update is remembered. */
const MAX_TOUCHED = 10_000

/** A file name with a content hash: `assets/index-Cqq41uWn.js`. */
const HASHED = /-[\w-]{8}\.[cm]?js$/

/** Maximum folders in a path. A server's prefix or a folder on the disk may precede the build's own path. */
const MAX_DEPTH = 32

export interface FoundMap {
  /** Key of the stored map. */
  debugId: string
  /** The built file: `client/assets/…`, `server/index.js`. Undefined for an uploaded map, whose build is unknown. */
  file?: string
}

interface UploadedMap {
  id: number
  map: string
}

/** Finds the source map of a frame's file. */
export class MapFinder {
  readonly #store: Store
  readonly #touched = new LRUCache<string, number>({ max: MAX_TOUCHED })

  constructor(store: Store) {
    this.#store = store
  }

  /** Finds a map of this application's builds by the debug id that the event contains. */
  byDebugId(debugId: string, now: number): FoundMap | undefined {
    const found = this.#store.get<{ debugId: string; file: string; release: string }>(
      `SELECT debug_id AS debugId, file, release FROM source_map_file WHERE debug_id = ? ORDER BY imported DESC LIMIT 1`,
      debugId.toLowerCase()
    )
    if (found) this.#touch(found.file, found.release, now)
    return found
  }

  /** Finds an uploaded map by the debug id that the event contains. */
  inUploadsByDebugId(project: number, debugId: string, now: number): FoundMap | undefined {
    return this.#use(
      this.#store.get(
        `SELECT id, map FROM uploaded_map WHERE project = ? AND debug_id = ? ORDER BY uploaded DESC, id DESC LIMIT 1`,
        project,
        debugId.toLowerCase()
      ),
      now
    )
  }

  /** Finds an uploaded map by the release and the path of the code, of which the upload knows an end. */
  inUploads(project: number, path: string, release: string, now: number): FoundMap | undefined {
    const parts = toParts(path)
    return this.#use(
      this.#store.get(
        `SELECT id, map FROM uploaded_map
         WHERE project = ? AND release = ? AND file IN (SELECT value FROM json_each(?))
         ORDER BY length(file) DESC, uploaded DESC, id DESC LIMIT 1`,
        project,
        release,
        JSON.stringify(parts.map((_, at) => parts.slice(at).join('/')))
      ),
      now
    )
  }

  /** Updates `last_used` of an uploaded map. */
  #use(found: UploadedMap | undefined, now: number): FoundMap | undefined {
    if (found === undefined) return undefined
    if (this.#isDue(String(found.id), now))
      this.#store.run(`UPDATE uploaded_map SET last_used = ? WHERE id = ?`, now, found.id)
    return { debugId: found.map }
  }

  /**
   * Finds a map of this application's builds by file name: in the event's release; if it is not there and the name has a
   * content hash, in the newest release with that name.
   * @param path path of the file as it ran, from a URL or a disk
   */
  byName(path: string, side: 'client' | 'server', release: string | undefined, now: number): FoundMap | undefined {
    const names = JSON.stringify(toNames(path, side))
    const found =
      this.#store.get<FoundMap & { file: string; release: string }>(
        `SELECT debug_id AS debugId, file, release FROM source_map_file
         WHERE file IN (SELECT value FROM json_each(?)) AND release = ? ORDER BY length(file) DESC LIMIT 1`,
        names,
        release ?? ''
      ) ?? (HASHED.test(path) ? this.#newest(names) : undefined)
    if (found) this.#touch(found.file, found.release, now)
    return found
  }

  #newest(names: string) {
    return this.#store.get<FoundMap & { file: string; release: string }>(
      `SELECT debug_id AS debugId, file, release FROM source_map_file
       WHERE file IN (SELECT value FROM json_each(?)) ORDER BY length(file) DESC, imported DESC LIMIT 1`,
      names
    )
  }

  /** Updates `last_used`, so that the map is not pruned. */
  #touch(file: string, release: string, now: number) {
    if (!this.#isDue(`${release}\0${file}`, now)) return
    this.#store.run(
      `UPDATE source_map_file SET last_used = ? WHERE file = ? AND release = ? AND last_used < ?`,
      now,
      file,
      release,
      now - TOUCH_INTERVAL
    )
  }

  #isDue(key: string, now: number): boolean {
    if (now - (this.#touched.get(key) ?? 0) < TOUCH_INTERVAL) return false
    this.#touched.set(key, now)
    return true
  }
}

/** Parts of a path; none if it leads upwards or is too deep. */
function toParts(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return parts.length > MAX_DEPTH || parts.includes('..') ? [] : parts
}

/** Possible names of a file in the build, longest first. */
function toNames(path: string, side: 'client' | 'server'): string[] {
  const parts = toParts(path)
  const names = parts.map((_, at) => parts.slice(at).join('/'))
  return side === 'client' ? names.map((name) => `client/${name}`) : names.filter((name) => name.startsWith('server/'))
}

/** Maximum characters of a file name; longer ones are ignored. */
const MAX_LENGTH = 2048

/** An address of code: from a server, a disk, or an app, as React Native, Capacitor, Ionic and Tauri serve theirs. */
const ADDRESS = /^((https?|app|capacitor|file|ionic|tauri):\/\/[^/?#]*)([^?#]*)/i

interface CodePath {
  path: string
  /** The half of the build that contains the file. */
  half: 'client' | 'server'
  /** Origin of the file's URL. */
  origin?: string
}

/** Returns the path of a frame's file; undefined for `data:`, `blob:` and anything else that is not a file. */
export function toCodePath(file: string, side: Side): CodePath | undefined {
  if (file.length > MAX_LENGTH) return undefined
  const [, origin, scheme, rest] = ADDRESS.exec(file) ?? []
  if (origin === undefined) {
    // A single letter is a drive, not a scheme.
    if (/^[a-z][a-z0-9+.-]+:/i.test(file)) return undefined
    const path = file.replaceAll('\\', '/')
    return { path, half: side === 'browser' ? 'client' : 'server' }
  }
  const path = decode(rest!)
  if (path === undefined) return undefined
  if (scheme!.toLowerCase().startsWith('http')) return { path, half: 'client', origin }
  if (side === 'browser' && scheme!.toLowerCase() === 'file') return undefined
  return { path, half: side === 'browser' ? 'client' : 'server' }
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** Size in the cache of an unreadable map. Caching the failure saves reading the map again. */
const BROKEN = 1024

/** Cache of the parsed maps used last. Parsing a map takes as long as resolving ten thousand frames. */
export class MapCache {
  readonly #store: Store
  /** Values are wrapped in an object, because the cache cannot store `undefined`. */
  readonly #maps: LRUCache<string, { map: ParsedMap | undefined }>

  constructor(store: Store, maxBytes = MAX_PARSED_BYTES) {
    this.#store = store
    // A map larger than the cache is kept alone, because parsing it for every frame would be slower.
    this.#maps = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ map }) => Math.min(map?.cost ?? BROKEN, maxBytes)
    })
  }

  /** Estimated bytes of the cached maps. */
  get bytes(): number {
    return this.#maps.calculatedSize
  }

  /** @returns undefined if the map does not exist or cannot be read */
  get(debugId: string, file?: string): ParsedMap | undefined {
    const known = this.#maps.get(debugId)
    if (known !== undefined) return known.map
    const map = this.#read(debugId, file)
    this.#maps.set(debugId, { map })
    return map
  }

  #read(debugId: string, file: string | undefined): ParsedMap | undefined {
    const row = this.#store.get<{ body: Uint8Array }>(`SELECT body FROM source_map WHERE debug_id = ?`, debugId)
    if (row === undefined) return undefined
    try {
      return new ParsedMap(file, zstdDecompressSync(row.body, { maxOutputLength: MAX_MAP_BYTES }))
    } catch {
      return undefined
    }
  }
}
