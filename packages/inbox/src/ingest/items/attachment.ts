import type { IngestContext, Item } from '../context.ts'
import { toText } from '../fields.ts'

/** Attachments, as the inbox stores them. */
export interface AttachmentLimits {
  /** Largest attachment in bytes; of a larger one, only name and size are stored. */
  maxBytes: number
  /** Attachments of one event. */
  perEvent: number
  /** Bytes of all attachments of a project. Above it, the retention deletes the content of the oldest. */
  perProject: number
}

/** A screenshot fits into 1 MiB. Guesses, and the defaults of the settings. */
export const ATTACHMENT_LIMITS: AttachmentLimits = { maxBytes: 1024 ** 2, perEvent: 10, perProject: 256 * 1024 ** 2 }

/** Reads an attachment of an event. */
export function storeAttachment(item: Item, context: IngestContext): void {
  const { eventId } = context
  if (eventId === undefined) throw new TypeError('an attachment belongs to an event')
  context.batch.later.add(() => writeAttachment(item, eventId, context))
}

/** Stores an attachment. Attachments of the same event may have the same name, or none. */
function writeAttachment({ header, payload }: Item, eventId: string, context: IngestContext): void {
  const { store, project, receivedAt, attachments } = context
  const body = payload.byteLength > attachments.maxBytes ? null : payload
  const stored = store.all<{ filename: string; isSame: number }>(
    'SELECT filename, size = ? AND body IS NOT DISTINCT FROM ? AS isSame FROM attachment WHERE project = ? AND event_id = ?',
    payload.byteLength,
    body,
    project,
    eventId
  )
  const sentName = toText(header['filename'], 200) ?? 'unnamed'
  let filename = sentName
  for (let copy = 2; ; copy++) {
    const namesake = stored.find((attachment) => attachment.filename === filename)
    if (namesake === undefined) break
    // The same content: the client received no answer and sent the envelope again.
    if (namesake.isSame === 1) return
    filename = toNumberedName(sentName, copy)
  }
  if (stored.length >= attachments.perEvent) return context.drop('too_many_attachments', 'attachment', 1)
  if (body === null) context.drop('too_large', 'attachment', 1)
  store.write(
    `INSERT INTO attachment (project, event_id, filename, content_type, size, body, received)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    project,
    eventId,
    filename,
    toText(header['content_type'], 100) ?? null,
    payload.byteLength,
    body,
    receivedAt
  )
}

/** Numbers a file name: `screen.png` becomes `screen (2).png`. */
const toNumberedName = (name: string, number: number): string => name.replace(/(\.[^./\\]+)?$/, ` (${number})$1`)
