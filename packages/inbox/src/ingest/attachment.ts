import type { IngestContext, Item } from './context.ts'
import { idOf, textOf } from './fields.ts'

/** Bytes that are kept of one attachment; of a larger one only its name and size. Ours: a picture of a screen fits. */
const MAX_BYTES = 1024 * 1024

/** Attachments of one event that are kept. Ours. */
const MAX_ATTACHMENTS = 10

/** Stores a file that was sent with an event. Several files of one event may have the same name, or none. */
export function storeAttachment({ header, payload }: Item, context: IngestContext): void {
  const { store, project, receivedAt } = context
  const eventId = idOf(context.eventId, 32)
  if (eventId === undefined) throw new TypeError('an attachment belongs to an event')
  const body = payload.byteLength > MAX_BYTES ? null : payload
  const stored = store.all<{ filename: string; isSame: number }>(
    'SELECT filename, size = ? AND body IS ? AS isSame FROM attachment WHERE project = ? AND event_id = ?',
    payload.byteLength,
    body,
    project,
    eventId
  )
  const sentName = textOf(header['filename'], 200) ?? 'unnamed'
  let filename = sentName
  for (let copy = 2; ; copy++) {
    const namesake = stored.find((attachment) => attachment.filename === filename)
    if (namesake === undefined) break
    // The same content again: a client that did not get the answer has sent the envelope a second time.
    if (namesake.isSame === 1) return
    filename = toNumberedName(sentName, copy)
  }
  if (stored.length >= MAX_ATTACHMENTS) return context.drop('too_many_attachments', 'attachment', 1)
  if (body === null) context.drop('too_large', 'attachment', 1)
  store.run(
    `INSERT INTO attachment (project, event_id, filename, content_type, size, body, received)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    project,
    eventId,
    filename,
    textOf(header['content_type'], 100) ?? null,
    payload.byteLength,
    body,
    receivedAt
  )
}

/** `screen.png` becomes `screen (2).png`. */
const toNumberedName = (name: string, number: number): string => name.replace(/(\.[^./\\]+)?$/, ` (${number})$1`)
