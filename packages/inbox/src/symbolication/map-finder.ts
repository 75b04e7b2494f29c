import { LRUCache } from 'lru-cache'
import type { Store } from '../store/store.ts'

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
