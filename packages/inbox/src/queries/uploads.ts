import type { Store } from '../store/store.ts'

/** Sizes of the parts that are stored, by checksum. */
export function listChunks(store: Store, { sha1s }: { sha1s: string[] }): Record<string, number> {
  const rows = store.all<{ sha1: string; size: number }>(
    'SELECT sha1, size FROM json_each(?) AS wanted JOIN upload_chunk ON sha1 = wanted.value',
    JSON.stringify(sha1s)
  )
  return Object.fromEntries(rows.map(({ sha1, size }) => [sha1, size]))
}

export const getChunk = (store: Store, { sha1 }: { sha1: string }): Uint8Array | undefined =>
  store.get<{ body: Uint8Array }>('SELECT body FROM upload_chunk WHERE sha1 = ?', sha1)?.body
