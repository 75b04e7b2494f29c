import { constants, zstdCompressSync } from 'node:zlib'
import { HOUR } from '@hull/common/time.ts'
import type { FigurePlace } from '../store/rollups.ts'
import type { EventDetail, Grouping } from '../store/model.ts'
import { followEvent } from '../store/issue-state.ts'
import type { Store } from '../store/store.ts'
import type { OwnFrames } from '../symbolication/symbolicator.ts'
import type { IngestContext } from './context.ts'
import type { BatchAccumulator } from './batch-accumulator.ts'
import { isError, meetError } from './event-figures.ts'
import { findKey } from './find-key.ts'
import { tagsOf } from './issue-tags.ts'
import { titleOf } from './issue-title.ts'
import { isKept } from './spike.ts'

/** Measured: four times smaller for a tenth of a millisecond; higher levels cost much and win little. */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

export interface EventRecord {
  detail: EventDetail
  grouping: Grouping
  frames: OwnFrames
  release: number | null
  visitor: string | undefined
  /** Whether there is room for its payload. */
  keepsPayload: boolean
}

/** Whether an event came before. */
export const hasEvent = (store: Store, project: number, eventId: string): boolean =>
  store.get('SELECT 1 FROM event WHERE project = ? AND event_id = ?', project, eventId) !== undefined

/**
 * Writes an event, inside a transaction. What it adds to is in the batch afterwards: whatever can fail comes before that.
 * @returns its issue; alerting when that is new or came back
 */
export function recordEvent(
  record: EventRecord,
  context: IngestContext,
  batch: BatchAccumulator
): { issue: number; isAlerting: boolean } {
  const { detail, release, visitor, frames } = record
  const { store, project, receivedAt } = context
  const { at, environment, level } = detail
  const words = titleOf(detail)
  const { id: key, issue: id, isNew } = findKey(record, words, context)
  const issue = batch.issue(id)
  const hour = Math.floor(at / HOUR)
  const isKeptWhole = isKept(batch.eventsIn(id, hour) + 1)
  const isNewVisitor = visitor !== undefined && meetVisitor(store, id, visitor, at)
  const state = followEvent(store, { ...issue, events: issue.events + 1 }, release, receivedAt)
  const event = insertEvent(record, context, id, key)
  if (isKeptWhole && record.keepsPayload)
    store.run(`INSERT INTO event_payload (event, codec, body) VALUES (?, 'zstd', ?)`, event, pack(detail))
  const place: FigurePlace = { project, hour, environment, release: release ?? 0 }
  const figures = isError(level) && visitor !== undefined ? meetError(store, place, visitor) : []

  if (!isKeptWhole) context.drop('sampled', 'error', 1)
  else if (!record.keepsPayload) context.drop('full', 'error', 1)
  // It is called what it was called last.
  if (at >= issue.last_seen) Object.assign(issue, words)
  issue.events++
  if (isNewVisitor) issue.visitors++
  issue.first_seen = Math.min(issue.first_seen, at)
  issue.last_seen = Math.max(issue.last_seen, at)
  if (release !== null) issue.last_release = Math.max(issue.last_release ?? 0, release)
  batch.countHour(id, hour)
  for (const [name, value] of tagsOf(detail)) batch.countTag(id, name, value, at)
  if (isError(level)) batch.countFigure(place, 'errors')
  for (const figure of figures) batch.countFigure(place, figure)
  batch.countFrames(place, frames)
  if (state !== undefined) batch.settle(id)
  return { issue: id, isAlerting: isNew || state === 'regressed' || state === 'unresolved' }
}

const pack = (detail: EventDetail): Uint8Array => zstdCompressSync(JSON.stringify(detail), ZSTD)

/** Whether the issue had not met the visitor before. */
function meetVisitor(store: Store, issue: number, visitor: string, at: number): boolean {
  const { changes } = store.run(
    'UPDATE issue_visitor SET last_seen = max(last_seen, ?) WHERE visitor = ? AND issue = ?',
    at,
    visitor,
    issue
  )
  if (changes > 0) return false
  store.run('INSERT INTO issue_visitor (visitor, issue, last_seen) VALUES (?, ?, ?)', visitor, issue, at)
  return true
}

function insertEvent(
  { detail, release, visitor }: EventRecord,
  context: IngestContext,
  issue: number,
  key: number
): number {
  const { eventId, at, level, environment, route, url, browser, digest, traceId, spanId } = detail
  return context.store.run(
    `INSERT INTO event (project, event_id, issue, key, at, received, level, release, environment, route, url, browser,
       visitor, digest, trace_id, span_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    context.project,
    eventId,
    issue,
    key,
    at,
    context.receivedAt,
    level,
    release,
    environment,
    route ?? null,
    url ?? null,
    browser ?? null,
    visitor ?? null,
    digest ?? null,
    traceId ?? null,
    spanId ?? null
  ).id
}
