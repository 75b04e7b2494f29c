import { zstdDecompressSync } from 'node:zlib'
import type { Store } from '../store.ts'
import { MAX_MAP_BYTES, MAX_PARSED_BYTES } from './limits.ts'
import { ParsedMap } from './parsed-map.ts'

/** Bytes by which a map that cannot be read counts: that it cannot is worth remembering. */
const BROKEN = 1024

/** Parsed maps, the ones used last: reading one takes as long as resolving ten thousand frames. */
export class MapCache {
  readonly #store: Store
  readonly #maxBytes: number
  readonly #maps = new Map<string, ParsedMap | undefined>()
  #bytes = 0

  constructor(store: Store, maxBytes = MAX_PARSED_BYTES) {
    this.#store = store
    this.#maxBytes = maxBytes
  }

  /** Bytes that the maps take, by estimate. */
  get bytes(): number {
    return this.#bytes
  }

  /** @returns undefined where there is none, or none that can be read */
  get(debugId: string, file: string): ParsedMap | undefined {
    if (this.#maps.has(debugId)) {
      const map = this.#maps.get(debugId)
      this.#maps.delete(debugId)
      this.#maps.set(debugId, map)
      return map
    }
    const map = this.#read(debugId, file)
    this.#maps.set(debugId, map)
    this.#bytes += costOf(map)
    for (const [oldest, old] of this.#maps) {
      if (this.#bytes <= this.#maxBytes || oldest === debugId) break
      this.#maps.delete(oldest)
      this.#bytes -= costOf(old)
    }
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

const costOf = (map: ParsedMap | undefined) => map?.cost ?? BROKEN
