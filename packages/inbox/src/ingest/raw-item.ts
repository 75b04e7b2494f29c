import type { IngestContext, Item } from './context.ts'
import { idOf, textOf } from './fields.ts'

/** Bytes that are kept of an item that is not understood; of a larger one only its type and size. Ours. */
const MAX_BYTES = 64 * 1024

/** Keeps an item of a type that is not understood as it came. */
export function storeRaw({ type, payload }: Item, { store, project, receivedAt, eventId }: IngestContext): void {
  store.run(
    'INSERT INTO raw_item (project, received, type, event_id, size, body) VALUES (?, ?, ?, ?, ?, ?)',
    project,
    receivedAt,
    textOf(type, 64) ?? '',
    idOf(eventId, 32) ?? null,
    payload.byteLength,
    payload.byteLength > MAX_BYTES ? null : payload
  )
}
