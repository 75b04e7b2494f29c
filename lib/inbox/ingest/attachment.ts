import type { IngestContext, Item } from './context.ts'
import { idOf, textOf } from './fields.ts'

/** Bytes that are kept of one attachment; of a larger one only its name and size. Ours: a picture of a screen fits. */
const MAX_BYTES = 1024 * 1024

/** Attachments of one event that are kept. Ours. */
const MAX_ATTACHMENTS = 10

/** A file that was sent with an event. */
export function storeAttachment({ header, payload }: Item, context: IngestContext): void {
  const { store, project, receivedAt } = context
  const eventId = idOf(context.eventId, 32)
  if (eventId === undefined) throw new TypeError('an attachment belongs to an event')
  const { count } = store.get<{ count: number }>(
    'SELECT count(*) AS count FROM attachment WHERE project = ? AND event_id = ?',
    project,
    eventId
  )!
  if (count >= MAX_ATTACHMENTS) return context.drop('too_many_attachments', 'attachment', 1)
  if (payload.byteLength > MAX_BYTES) context.drop('too_large', 'attachment', 1)
  store.run(
    `INSERT OR IGNORE INTO attachment (project, event_id, filename, content_type, size, body, received)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    project,
    eventId,
    textOf(header['filename'], 200) ?? 'unnamed',
    textOf(header['content_type'], 100) ?? null,
    payload.byteLength,
    payload.byteLength > MAX_BYTES ? null : payload,
    receivedAt
  )
}
