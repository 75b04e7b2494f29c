import { zstdDecompressSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Store } from '../store/store.ts'
import { MAX_MAP_BYTES, MAX_PARSED_BYTES } from './limits.ts'
import { ParsedMap } from './parsed-map.ts'

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
