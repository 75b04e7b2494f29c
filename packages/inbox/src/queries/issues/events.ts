import { MAX_COUNT } from '../../web/view.ts'
import type { Row, Store } from '../../store/store.ts'
import { toPlain } from '../plain-row.ts'
import { countUpTo, readPageById } from '../read-page.ts'
import { requireIssue } from './require-issue.ts'
import type { EventList, EventRow } from './event-types.ts'
import type { PageInput } from '../cursor.ts'

/** Events of a page. */
export const EVENTS = 25

/** Sorted by id, which is the order of arrival. */
export const EVENT_ORDER = 'event'

/** An event with the columns of {@link EVENT_COLUMNS}. */
export type StoredEvent = Row & { id: number; eventId: string; payload: number | null }

export const EVENT_COLUMNS = `e.id, e.event_id AS eventId, e.at, r.version AS release, e.environment, e.url, e.browser,
  e.visitor, e.trace_id AS traceId, p.event AS payload`

export const EVENT_JOINS = 'LEFT JOIN release r ON r.id = e.release LEFT JOIN event_payload p ON p.event = e.id'

/** Events of an issue, newest first. @throws InboxCursorInvalid @throws InboxIssueNotFound */
export function listEvents(store: Store, { id, ...input }: PageInput & { id: number }): EventList {
  requireIssue(store, id)
  const { rows, ...cursors } = readPageById<StoredEvent>(store, EVENT_ORDER, input, EVENTS, {
    select: `SELECT ${EVENT_COLUMNS} FROM event e ${EVENT_JOINS} WHERE e.issue = ?`,
    id: 'e.id',
    of: id
  })
  const total = countUpTo(store, MAX_COUNT + 1, 'event INDEXED BY event_by_issue WHERE issue = ?', id)
  return { events: rows.map(toEventRow), ...cursors, total }
}

export const toEventRow = ({ payload, ...row }: StoredEvent): EventRow => ({
  ...toPlain<EventRow>(row),
  hasPayload: payload !== null
})
