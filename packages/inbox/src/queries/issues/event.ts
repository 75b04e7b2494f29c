import { zstdDecompressSync } from 'node:zlib'
import { InboxEventNotFound } from '../../errors.ts'
import type { EventDetail, Grouping } from '../../store/model.ts'
import type { Row, Store } from '../../store/store.ts'
import { askAttachments, askFilesOfFeedback } from './attachments.ts'
import { EVENT_COLUMNS, EVENT_JOINS, toEventRow, type StoredEvent } from './events.ts'
import { toPlain } from '../plain-row.ts'
import { canSee } from '../scope.ts'
import type { EventView } from './event-types.ts'

/** Events to search for one with a payload. During a flood only every hundredth payload is stored. */
const LOOKED_AT = 500

/** Maximum bytes of a payload: the largest event a client may send, plus source lines. */
const MAX_BYTES = 16 * 1024 ** 2

type FoundEvent = StoredEvent & { project: number; why: string | null }

const COLUMNS = `${EVENT_COLUMNS}, e.project, k.why`
const JOINS = `${EVENT_JOINS} LEFT JOIN issue_key k ON k.id = e.key`

/**
 * Asks for one event of an issue: the given one, or the newest with a payload. The result throws InboxEventNotFound.
 */
export function askEvent(store: Store, input: { id: number; eventId?: string }): () => EventView {
  const find = askOptionalEvent(store, input)
  return () => {
    const event = find()
    if (!event) throw new InboxEventNotFound()
    return event
  }
}

/**
 * The same; undefined if none is given and the issue has none: its events were deleted to free space. The result throws
 * InboxEventNotFound.
 */
export function askOptionalEvent(
  store: Store,
  { id, eventId }: { id: number; eventId?: string }
): () => EventView | undefined {
  const rows = eventId === undefined ? askNewest(store, id) : askById(store, id, eventId)
  return () => {
    const [found] = rows()
    if (found && canSee(store, found.project)) return readEvent(store, id, found)
    if (eventId !== undefined) throw new InboxEventNotFound()
    return undefined
  }
}

function readEvent(store: Store, id: number, { project, why, ...found }: FoundEvent): EventView {
  const place = { project, eventId: found.eventId }
  const askedDetail = found.payload === null ? undefined : askDetail(store, found.id)
  const askedOlder = askNeighbour(store, id, found.id, 'older')
  const askedNewer = askNeighbour(store, id, found.id, 'newer')
  const attachments = askAttachments(store, place)
  const feedback = askFeedback(store, place)
  const [detail, older, newer] = [askedDetail?.(), askedOlder(), askedNewer()]
  return {
    row: toEventRow(found),
    ...(detail && { detail }),
    ...(why !== null && { why: JSON.parse(why) as Grouping['why'] }),
    ...(older !== undefined && { older }),
    ...(newer !== undefined && { newer }),
    attachments: attachments(),
    feedback: feedback()
  }
}

const askNewest = (store: Store, issue: number): (() => FoundEvent[]) =>
  store.ask(
    `SELECT ${COLUMNS} FROM event e ${JOINS} WHERE e.id = coalesce(
       (SELECT c.id FROM (SELECT id FROM event WHERE issue = ?1 ORDER BY id DESC LIMIT ?2) c
        WHERE EXISTS (SELECT 1 FROM event_payload WHERE event = c.id) ORDER BY c.id DESC LIMIT 1),
       (SELECT id FROM event WHERE issue = ?1 ORDER BY id DESC LIMIT 1))`,
    issue,
    LOOKED_AT
  )

/** Asks for the event in the issue's own project, by its id with or without dashes. */
const askById = (store: Store, issue: number, eventId: string): (() => FoundEvent[]) =>
  store.ask(
    `SELECT ${COLUMNS} FROM issue i JOIN event e ON e.project = i.project AND e.event_id = ? AND e.issue = i.id ${JOINS}
     WHERE i.id = ?`,
    eventId.replaceAll('-', '').toLowerCase(),
    issue
  )

function askNeighbour(store: Store, issue: number, event: number, which: 'older' | 'newer'): () => string | undefined {
  const rows = store.ask<{ event_id: string }>(
    which === 'older'
      ? 'SELECT event_id FROM event WHERE issue = ? AND id < ? ORDER BY id DESC LIMIT 1'
      : 'SELECT event_id FROM event WHERE issue = ? AND id > ? ORDER BY id LIMIT 1',
    issue,
    event
  )
  return () => rows()[0]?.event_id
}

/**
 * Asks for the payload; undefined if it cannot be read: it is damaged, or a newer version of Hull wrote it in another
 * format.
 */
export function askDetail(store: Store, event: number): () => EventDetail | undefined {
  const payloads = store.ask<StoredPayload>('SELECT codec, body FROM event_payload WHERE event = ?', event)
  return () => {
    const stored = payloads()
    try {
      return stored.map(unpackDetail)[0]
    } catch {
      return undefined
    }
  }
}

/** A row of `event_payload`. */
export interface StoredPayload {
  codec: string
  body: Uint8Array
}

/** Undefined if a newer version of Hull wrote it in another format. @throws Error if it is damaged */
export function unpackDetail({ codec, body }: StoredPayload): EventDetail | undefined {
  if (codec !== 'zstd') return undefined
  return JSON.parse(zstdDecompressSync(body, { maxOutputLength: MAX_BYTES }).toString()) as EventDetail
}

function askFeedback(
  store: Store,
  { project, eventId }: { project: number; eventId: string }
): () => EventView['feedback'] {
  const rows = store.ask<Row & { id: number }>(
    `SELECT id, name, email, message, at FROM feedback WHERE about = ? AND project = ? ORDER BY id DESC LIMIT 20`,
    eventId,
    project
  )
  // The plus keeps SQLite from reading all feedback of the project.
  const files = askFilesOfFeedback(store, 'f.about = ? AND +f.project = ?', eventId, project)
  return () =>
    rows().map(({ id, ...feedback }) => ({
      ...toPlain<EventView['feedback'][number]>(feedback),
      attachments: files().get(id) ?? []
    }))
}

/** Undefined if there is none, or if it was too large to store. */
export function getAttachment(
  store: Store,
  { id }: { id: number }
): { filename: string; contentType?: string; body: Uint8Array } | undefined {
  const found = store.get<Row & { project: number }>(
    'SELECT project, filename, content_type AS contentType, body FROM attachment WHERE id = ?',
    id
  )
  if (!found || found['body'] === null || !canSee(store, found.project)) return undefined
  const { project: _project, ...file } = found
  return toPlain(file)
}
