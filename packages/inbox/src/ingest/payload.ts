import { zstdDecompressSync } from 'node:zlib'
import type { EventDetail } from '../store/model.ts'
import type { Store } from '../store/store.ts'

/** Bytes of a payload as JSON; an event is let in with 1 MiB. */
const MAX_PAYLOAD = 16 * 1024 ** 2

/** What an event says; undefined where its payload was not kept, or is damaged. */
export function findDetail(store: Store, event: number): EventDetail | undefined {
  const row = store.get<{ body: Uint8Array }>('SELECT body FROM event_payload WHERE event = ?', event)
  if (!row) return undefined
  try {
    return JSON.parse(zstdDecompressSync(row.body, { maxOutputLength: MAX_PAYLOAD }).toString()) as EventDetail
  } catch {
    return undefined
  }
}
