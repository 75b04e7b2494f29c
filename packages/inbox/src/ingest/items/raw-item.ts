import type { IngestContext, Item } from '../context.ts'
import { toText } from '../fields.ts'

/** Maximum bytes of an unknown item; of a larger one, only type and size are stored. Ours. */
const MAX_RAW_BYTES = 64 * 1024

/** Stores an item of an unknown type as it is. */
export function storeRaw({ type, payload }: Item, { batch, project, receivedAt, eventId }: IngestContext): void {
  batch.rows.add({
    into: 'INSERT INTO raw_item (project, received, type, event_id, size, body)',
    values: [
      project,
      receivedAt,
      toText(type, 64) ?? '',
      eventId ?? null,
      payload.byteLength,
      payload.byteLength > MAX_RAW_BYTES ? null : payload
    ]
  })
}
