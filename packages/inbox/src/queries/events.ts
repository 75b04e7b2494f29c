import { MAX_EVENT_COUNT } from '../web/view.ts'
import type { Store } from '../store/store.ts'
import { placeById, toPage, toPageRequest } from './cursor.ts'
import { requireIssue } from './require-issue.ts'
import type { EventList, EventRow } from './event-types.ts'

/** Events of a page. */
export const EVENTS = 25

/** Sorted by id, which is the order of arrival. */
export const EVENT_ORDER = 'event'

export interface StoredEvent {
  id: number
  event_id: string
  at: number
  version: string | null
  environment: string
  url: string | null
  browser: string | null
  visitor: string | null
  trace_id: string | null
  payload: number | null
}

export const EVENT_COLUMNS = `e.id, e.event_id, e.at, r.version, e.environment, e.url, e.browser, e.visitor, e.trace_id,
  p.event AS payload`

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

export function toEventRow(row: StoredEvent): EventRow {
  const { id, event_id: eventId, at, version, environment, url, browser, visitor, trace_id: traceId } = row
  return {
    id,
    eventId,
    at,
    ...(version !== null && { release: version }),
    environment,
    ...(url !== null && { url }),
    ...(browser !== null && { browser }),
    ...(visitor !== null && { visitor }),
    ...(traceId !== null && { traceId }),
    hasPayload: row.payload !== null
  }
}
