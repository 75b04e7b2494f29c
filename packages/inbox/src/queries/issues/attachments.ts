import type { SQLInputValue } from 'node:sqlite'
import type { Store } from '../../store/store.ts'

/** A file that was sent with an event or with feedback. */
export interface AttachmentRow {
  id: number
  filename: string
  contentType?: string
  /** Bytes. */
  size: number
  /** Whether its content is stored. */
  kept: boolean
}

interface StoredAttachment {
  id: number
  filename: string
  content_type: string | null
  size: number
  kept: number
}

const COLUMNS = 'a.id, a.filename, a.content_type, a.size, a.body IS NOT NULL AS kept'

/** Maximum files of an event. */
const MAX_FILES = 50

/** Maximum files of all feedback of a page. Ours. */
const MAX_LISTED = 500

/** Asks for the files of an event. */
export function askAttachments(
  store: Store,
  { project, eventId }: { project: number; eventId: string }
): () => AttachmentRow[] {
  const rows = store.ask<StoredAttachment>(
    `SELECT ${COLUMNS} FROM attachment a WHERE project = ? AND event_id = ? ORDER BY filename LIMIT ${MAX_FILES}`,
    project,
    eventId
  )
  return () => rows().map(toAttachment)
}

/**
 * Asks for the files of feedback, such as screenshots, by the id of its row. An older report has the id of its event,
 * which has the files itself.
 * @param condition SQL on `f`, the feedback
 */
export function askFilesOfFeedback(
  store: Store,
  condition: string,
  ...values: SQLInputValue[]
): () => Map<number, AttachmentRow[]> {
  const rows = store.ask<StoredAttachment & { feedback: number }>(
    `SELECT f.id AS feedback, ${COLUMNS} FROM feedback f
     JOIN attachment a ON a.project = f.project AND a.event_id = f.event_id
     WHERE ${condition} AND f.event_id IS DISTINCT FROM f.about ORDER BY a.filename LIMIT ${MAX_LISTED}`,
    ...values
  )
  return () => {
    const found = Map.groupBy(rows(), ({ feedback }) => feedback)
    return new Map([...found].map(([feedback, files]) => [feedback, files.map(toAttachment)]))
  }
}

const toAttachment = ({ id, filename, content_type: contentType, size, kept }: StoredAttachment): AttachmentRow => ({
  id,
  filename,
  ...(contentType !== null && { contentType }),
  size,
  kept: kept !== 0
})
