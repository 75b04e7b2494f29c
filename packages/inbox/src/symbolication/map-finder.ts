import { zstdDecompressSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Side } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { MAX_MAP_BYTES, MAX_PARSED_BYTES } from './limits.ts'
import { ParsedMap } from './parsed-map.ts'

/** Milliseconds between two notes that a map is of use: each is a write. */
const NOTE_INTERVAL = 3_600_000

/** Notes that are remembered. */
const MAX_NOTES = 10_000

/** A name that the build made of the code in it: `assets/index-Cqq41uWn.js`. */
const HASHED = /-[\w-]{8}\.[cm]?js$/

/** Folders of a path that may stand before the build's own: of a server behind a prefix, of a project on a disk. */
const MAX_DEPTH = 32

export interface FoundMap {
  debugId: string
  /** What it is the map of: `client/assets/…`, `server/index.js`. */
  file: string
}

/** Finds the map of a file that a frame names. */
export class MapFinder {
  readonly #store: Store
  readonly #notes = new LRUCache<string, number>({ max: MAX_NOTES })

  constructor(store: Store) {
    this.#store = store
  }

  /** By the id that an event brings. */
  byDebugId(debugId: string, now: number): FoundMap | undefined {
    const found = this.#store.get<FoundMap & { release: string }>(
      `SELECT debug_id AS debugId, file, release FROM source_map_file WHERE debug_id = ? ORDER BY imported DESC LIMIT 1`,
      debugId.toLowerCase()
    )
    if (found) this.#note(found.file, found.release, now)
    return found
  }

  /**
   * By name: in the release the event is of; else, where the name says what is in the file, in the newest that has it.
   * @param path of the file as it ran: that of a URL, or of a disk
   */
  byName(path: string, side: 'client' | 'server', release: string | undefined, now: number): FoundMap | undefined {
    const names = toNames(path, side)
    for (const file of names) {
      const found = this.#store.get<FoundMap>(
        `SELECT debug_id AS debugId, file FROM source_map_file WHERE file = ? AND release = ?`,
        file,
        release ?? ''
      )
      if (!found) continue
      this.#note(file, release ?? '', now)
      return found
    }
    if (!HASHED.test(path)) return undefined
    for (const file of names) {
      const found = this.#store.get<FoundMap & { release: string }>(
        `SELECT debug_id AS debugId, file, release FROM source_map_file WHERE file = ? ORDER BY imported DESC LIMIT 1`,
        file
      )
      if (!found) continue
      this.#note(file, found.release, now)
      return found
    }
    return undefined
  }

  /** Keeps it from being pruned. */
  #note(file: string, release: string, now: number) {
    const key = `${release}\0${file}`
    if (now - (this.#notes.get(key) ?? 0) < NOTE_INTERVAL) return
    this.#notes.set(key, now)
    this.#store.run(
      `UPDATE source_map_file SET last_used = ? WHERE file = ? AND release = ? AND last_used < ?`,
      now,
      file,
      release,
      now - NOTE_INTERVAL
    )
  }
}

/** What a file may be called in the build, the longest first. */
function toNames(path: string, side: 'client' | 'server'): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.length > MAX_DEPTH || parts.includes('..')) return []
  const names = parts.map((_, at) => parts.slice(at).join('/'))
  return side === 'client' ? names.map((name) => `client/${name}`) : names.filter((name) => name.startsWith('server/'))
}

/** Characters of a file name that is looked at. */
const MAX_LENGTH = 2048

interface CodePath {
  path: string
  /** Which half of a build it is looked for in. */
  half: 'client' | 'server'
  /** Of a URL. */
  origin?: string
}

/** Where the code of a frame is, by what a stack calls it; undefined for `data:`, `blob:` and all else that is no file. */
export function toCodePath(file: string, side: Side): CodePath | undefined {
  if (file.length > MAX_LENGTH) return undefined
  const [, origin, scheme, rest] = /^((https?|app|file):\/\/[^/?#]*)([^?#]*)/i.exec(file) ?? []
  if (origin === undefined) {
    // One letter is a drive.
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

/** Bytes by which a map that cannot be read counts: that it cannot is worth remembering. */
const BROKEN = 1024

/** Parsed maps, the ones used last: reading one takes as long as resolving ten thousand frames. */
export class MapCache {
  readonly #store: Store
  /** Holds an object for each id, since the cache has no place for `undefined`. */
  readonly #maps: LRUCache<string, { map: ParsedMap | undefined }>

  constructor(store: Store, maxBytes = MAX_PARSED_BYTES) {
    this.#store = store
    // A map that is larger than the cache is kept alone: to parse it for every frame would be worse.
    this.#maps = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ map }) => Math.min(map?.cost ?? BROKEN, maxBytes)
    })
  }

  /** Bytes that the maps take, by estimate. */
  get bytes(): number {
    return this.#maps.calculatedSize
  }

  /** @returns undefined where there is none, or none that can be read */
  get(debugId: string, file: string): ParsedMap | undefined {
    const known = this.#maps.get(debugId)
    if (known !== undefined) return known.map
    const map = this.#read(debugId, file)
    this.#maps.set(debugId, { map })
    return map
  }

  #read(debugId: string, file: string): ParsedMap | undefined {
    const row = this.#store.get<{ body: Uint8Array }>(`SELECT body FROM source_map WHERE debug_id = ?`, debugId)
    if (row === undefined) return undefined
    try {
      return new ParsedMap(file, zstdDecompressSync(row.body, { maxOutputLength: MAX_MAP_BYTES }))
    } catch {
      return undefined
    }
  }
}
