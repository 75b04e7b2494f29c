import { MAX_EVENT_COUNT } from '../../web/view.ts'
import type { Row, Store } from '../../store/store.ts'
import { placeById, toPage, toPageRequest } from '../cursor.ts'
import { toPlain } from '../plain-row.ts'
import { requireIssue } from './require-issue.ts'
import type { EventList, EventRow } from './event-types.ts'

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
export function listEvents(store: Store, { id, ...input }: { id: number; cursor?: string; limit?: number }): EventList {
  requireIssue(store, id)
  const request = toPageRequest(EVENT_ORDER, input, EVENTS)
  const { size, place, isBefore } = request
  const found = store.all<StoredEvent>(
    `SELECT ${EVENT_COLUMNS} FROM event e ${EVENT_JOINS} WHERE e.issue = ? AND e.id ${isBefore ? '>' : '<'} ?
     ORDER BY e.id ${isBefore ? 'ASC' : 'DESC'} LIMIT ?`,
    id,
    place?.id ?? Number.MAX_SAFE_INTEGER,
    size + 1
  )
  const { rows, ...cursors } = toPage(EVENT_ORDER, request, found, placeById)
  return { events: rows.map(toEventRow), ...cursors, total: countEvents(store, id) }
}

const countEvents = (store: Store, issue: number): number =>
  store.get<{ events: number }>(
    'SELECT count(*) AS events FROM (SELECT 1 FROM event INDEXED BY event_by_issue WHERE issue = ? LIMIT ?) AS found',
    issue,
    MAX_EVENT_COUNT + 1
  )!.events

export const toEventRow = ({ payload, ...row }: StoredEvent): EventRow => ({
  ...toPlain<EventRow>(row),
  hasPayload: payload !== null
})
