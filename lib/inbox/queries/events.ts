import type { Store } from '../store.ts'
import { readCursor, writeCursor } from './cursor.ts'
import type { EventRow } from './types.ts'

const DEFAULT_EVENTS = 25
const MAX_EVENTS = 200

/** In the order in which they came. */
const ORDER = 'event'

interface StoredEvent {
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

/** The events of an issue, the newest first. @throws InboxCursorInvalid */
export function listEvents(
  store: Store,
  { id, cursor, limit = DEFAULT_EVENTS }: { id: number; cursor?: string; limit?: number }
): { events: EventRow[]; next?: string } {
  const shown = Math.min(Math.max(Math.trunc(limit), 1), MAX_EVENTS)
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(ORDER, cursor).id
  const rows = store.all<StoredEvent>(
    `SELECT ${EVENT_COLUMNS} FROM event e ${EVENT_JOINS} WHERE e.issue = ? AND e.id < ? ORDER BY e.id DESC LIMIT ?`,
    id,
    before,
    shown + 1
  )
  const events = rows.slice(0, shown).map(toEventRow)
  const last = events.at(-1)
  return {
    events,
    ...(rows.length > shown && last && { next: writeCursor(ORDER, { value: 0, id: last.id, isBefore: false }) })
  }
}

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

export type { StoredEvent }
