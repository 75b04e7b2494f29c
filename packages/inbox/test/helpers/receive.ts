import { ATTACHMENT_LIMITS } from '../../src/ingest/items/attachment.ts'
import { groupEvent } from '../../src/grouping/group.ts'
import { BatchAccumulator } from '../../src/ingest/batch-accumulator.ts'
import { recordEvents, type EventRecord } from '../../src/ingest/record-event.ts'
import type { IngestContext } from '../../src/ingest/context.ts'
import type { EventDetail } from '../../src/store/model.ts'
import { Releases } from '../../src/store/projects.ts'
import type { Store } from '../../src/store/store.ts'
import { createEvent } from './event.ts'

const HOUR = 3_600_000

let number = 0

export interface Received extends Partial<EventDetail> {
  /** The grouping key of the event. */
  group: string
  visitor?: string
  project?: number
  keepsPayload?: boolean
}

/**
 * Stores an event as ingest does, by default an hour after the previous one.
 * @returns its issue
 */
export const receive = (store: Store, event: Received): number => receiveAll(store, [event])[0]!

/**
 * Stores events as ingest does, in one batch.
 * @returns their issues
 */
export function receiveAll(store: Store, events: readonly Received[]): number[] {
  const batch = new BatchAccumulator(store)
  const issues = recordEvents(
    store,
    events.map((event) => toRecord(store, batch, event)),
    batch
  )
  batch.write()
  return [...issues]
}

function toRecord(
  store: Store,
  batch: BatchAccumulator,
  { group, visitor, project = 1, keepsPayload = true, ...over }: Received
): EventRecord {
  number++
  const detail = createEvent({
    eventId: number.toString(16).padStart(32, '0'),
    at: number * HOUR,
    fingerprint: [group],
    ...over
  })
  const releases = new Releases(store)
  const releaseOf = (version: string | undefined) =>
    version === undefined ? null : releases.getOrCreateId(project, version, detail.at)
  const context: IngestContext = {
    store,
    attachments: ATTACHMENT_LIMITS,
    linesLeft: 1_000,
    project,
    receivedAt: detail.at,
    now: detail.at,
    nameOf: (_kind, name) => name,
    environmentOf: String,
    releaseOf,
    visitorOf: () => visitor,
    batch,
    drop: () => {}
  }
  return {
    detail,
    grouping: groupEvent(detail),
    frames: { own: 0, unresolved: 0 },
    release: releaseOf(detail.release),
    visitor,
    keepsPayload,
    context
  }
}

/** Returns all stored data of issues, for comparison with an earlier state. */
export const listFigures = (store: Store) => ({
  issues: store.all(
    `SELECT id, type, value, state, first_seen, last_seen, first_release, last_release, events, visitors FROM issue ORDER BY id`
  ),
  hours: store.all('SELECT * FROM issue_hour ORDER BY issue, hour'),
  tags: store.all('SELECT issue, name, value, events FROM issue_tag ORDER BY issue, name, value'),
  visitors: store.all('SELECT * FROM issue_visitor ORDER BY issue, visitor'),
  keys: store.all('SELECT id, issue, merged_from FROM issue_key ORDER BY id'),
  events: store.all('SELECT id, issue FROM event ORDER BY id'),
  words: store.all('SELECT rowid AS id, type, value, culprit, url, merged FROM issue_search ORDER BY rowid'),
  releases: store.all('SELECT id, new_issues FROM release ORDER BY id')
})
