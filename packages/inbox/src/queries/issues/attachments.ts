import type { SQLInputValue } from 'node:sqlite'
import type { Row, Store } from '../../store/store.ts'
import { toPlain } from '../plain-row.ts'

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

const COLUMNS = 'a.id, a.filename, a.content_type AS contentType, a.size, a.body IS NOT NULL AS kept'

/** Maximum files of an event. */
const MAX_FILES = 50

/** Maximum files of all feedback of a page. Ours. */
const MAX_LISTED = 500

/** Asks for the files of an event. */
export function askAttachments(
  store: Store,
  { project, eventId }: { project: number; eventId: string }
): () => AttachmentRow[] {
  const rows = store.ask(
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
  const rows = store.ask<Row & { feedback: number }>(
    `SELECT f.id AS feedback, ${COLUMNS} FROM feedback f
     JOIN attachment a ON a.project = f.project AND a.event_id = f.event_id
     WHERE ${condition} AND f.event_id IS DISTINCT FROM f.about ORDER BY a.filename LIMIT ${MAX_LISTED}`,
    ...values
  )
  return () => {
    const found = Map.groupBy(rows(), ({ feedback }) => feedback)
    return new Map(
      [...found].map(([feedback, files]) => [
        feedback,
        files.map(({ feedback: _feedback, ...file }) => toAttachment(file))
      ])
    )
  }
}

const toAttachment = (row: Row): AttachmentRow => ({ ...toPlain<AttachmentRow>(row), kept: row['kept'] === 1 })
