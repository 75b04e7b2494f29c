import { zstdCompressSync } from 'node:zlib'
import type { SQLInputValue } from 'node:sqlite'
import { HOUR } from '@hull/common/time.ts'
import { addAlertFact } from '../alerts/facts.ts'
import type { AccumulatedIssue, BatchAccumulator } from './batch-accumulator.ts'
import type { IngestContext } from './context.ts'
import { addIssue, readKeys, titleOf, toKeyName, type IssueTitle } from './issue.ts'
import { tagsOf } from './issue-tags.ts'
import { recordErrorVisitors, recordIssueVisitors, type ErrorVisitor, type IssueVisitor } from './visitors.ts'
import { applyEventToState } from '../store/issue-state.ts'
import type { EventDetail, Grouping, Level } from '../store/model.ts'
import type { FigurePlace } from '../store/rollups.ts'
import type { Store } from '../store/store.ts'
import type { OwnFrames } from '../symbolication/symbolicator.ts'

/** An event that is grouped, to be stored. */
export interface EventRecord {
  detail: EventDetail
  grouping: Grouping
  frames: OwnFrames
  release: number | null
  visitor: string | undefined
  /** Whether there is room for the payload. */
  keepsPayload: boolean
  context: IngestContext
}

/**
 * Stores new events. Call it inside a transaction; the batch then writes the counts.
 * @returns the ids of their issues
 */
export function recordEvents(store: Store, records: readonly EventRecord[], batch: BatchAccumulator): Set<number> {
  const changed = new Set<number>()
  const keys = readKeys(store, records)
  batch.readIssues(
    records.flatMap(({ grouping, detail, context }) => {
      const key = keys.get(toKeyName(context.project, grouping.key))
      return key === undefined ? [] : { issue: key.issue, hour: Math.floor(detail.at / HOUR) }
    })
  )
  const seen: Seen = { issues: [], errors: [] }
  const rows: SQLInputValue[][] = []
  const payloads = new Map<string, Uint8Array>()
  for (const record of records) {
    const { detail, release, visitor, context, grouping } = record
    const { project, receivedAt } = context
    const words = titleOf(detail)
    const name = toKeyName(project, grouping.key)
    const known = keys.get(name)
    const key = known ?? addIssue(record, words, context)
    keys.set(name, key)
    if (known === undefined) batch.addIssue(key.issue, toNewIssue(record, key.issue, words), detail.environment)
    const { issue: id } = key
    const issue = batch.issue(id)
    const hour = Math.floor(detail.at / HOUR)
    const isKeptWhole = isKept(batch.eventsIn(id, hour) + 1)
    const counted = { ...issue, events: issue.events + 1 }
    const event = { release, environment: detail.environment, now: receivedAt, stored: context.now }
    const state = applyEventToState(store, counted, event)
    rows.push(toRow(record, id, key.id))
    if (isKeptWhole && record.keepsPayload) payloads.set(toEventName(project, detail.eventId), pack(detail))
    if (known === undefined)
      addAlertFact(store, { project, kind: 'new', subject: id, at: receivedAt, environment: detail.environment })
    if (!isKeptWhole) context.drop('sampled', 'error', 1)
    else if (!record.keepsPayload) context.drop('full', 'error', 1)
    countEvent(record, words, issue, batch)
    if (visitor !== undefined) seen.issues.push({ issue: id, visitor, at: detail.at })
    countFigures(record, hour, seen)
    if (state !== undefined) batch.flushIssue(id)
    changed.add(id)
  }
  insertEvents(store, rows, payloads)
  countVisitors(store, seen, batch)
  return changed
}

/** Counts an event for its issue. */
function countEvent(
  { detail, release }: EventRecord,
  words: IssueTitle,
  issue: AccumulatedIssue,
  batch: BatchAccumulator
) {
  const { at } = detail
  // The newest event names the issue.
  if (at >= issue.last_seen) Object.assign(issue, words)
  issue.events++
  issue.first_seen = Math.min(issue.first_seen, at)
  issue.last_seen = Math.max(issue.last_seen, at)
  if (release !== null) issue.last_release = Math.max(issue.last_release ?? 0, release)
  batch.countHour(issue.id, Math.floor(at / HOUR))
  for (const [name, value] of tagsOf(detail)) batch.countTag(issue.id, name, value, at)
}

/** Whether the level counts as an error; other levels are messages. */
export const isError = (level: Level): boolean => level === 'fatal' || level === 'error'

/** Visitors of the events of a batch. */
interface Seen {
  issues: IssueVisitor[]
  errors: ErrorVisitor[]
}

function countFigures({ detail, release, visitor, frames, context }: EventRecord, hour: number, seen: Seen): void {
  const { project, batch } = context
  const place: FigurePlace = { project, hour, environment: detail.environment, release: release ?? 0 }
  if (isError(detail.level)) {
    batch.rollups.countFigure(place, 'errors')
    if (visitor !== undefined) seen.errors.push({ place, visitor })
  }
  batch.rollups.countFigure(place, 'frames', frames.own)
  batch.rollups.countFigure(place, 'frames_unresolved', frames.unresolved)
}

function countVisitors(store: Store, { issues, errors }: Seen, batch: BatchAccumulator): void {
  for (const { issue } of recordIssueVisitors(store, issues)) batch.issue(issue).visitors++
  for (const { place, name } of recordErrorVisitors(store, errors)) batch.rollups.countFigure(place, name)
}

/** The row of an issue before its first event. */
const toNewIssue = ({ detail, context }: EventRecord, id: number, words: IssueTitle): AccumulatedIssue => ({
  id,
  project: context.project,
  state: 'unresolved',
  resolved_release: null,
  resolved_in_next: 0,
  ignored_until_events: null,
  ignored_until: null,
  changed: null,
  events: 0,
  visitors: 0,
  first_seen: detail.at,
  last_seen: detail.at,
  last_release: null,
  side: detail.side,
  ...words
})

/** zstd's default level. Measured: a quarter of the size in a tenth of a millisecond; higher ones gain little. */
const pack = (detail: EventDetail): Uint8Array => zstdCompressSync(JSON.stringify(detail))

const toEventName = (project: number, eventId: string): string => `${project} ${eventId}`

function toRow({ detail, release, visitor, context }: EventRecord, issue: number, key: number): SQLInputValue[] {
  const { eventId, at, level, environment, route, url, browser, digest, traceId, spanId } = detail
  return [
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
  ]
}

const INTO_EVENT = `INSERT INTO event (project, event_id, issue, key, at, received, level, release, environment, route, url,
  browser, visitor, digest, trace_id, span_id)`

/** @param payloads by project and id of the event */
function insertEvents(store: Store, rows: readonly SQLInputValue[][], payloads: Map<string, Uint8Array>): void {
  if (payloads.size === 0) return store.insertRows(INTO_EVENT, rows)
  const inserted = store.insertRowsReturning<{ id: number; project: number; eventId: string }>(
    INTO_EVENT,
    rows,
    'RETURNING id, project, event_id AS "eventId"'
  )
  store.insertRows(
    'INSERT INTO event_payload (event, codec, body)',
    inserted.flatMap(({ id, project, eventId }) => {
      const body = payloads.get(toEventName(project, eventId))
      return body === undefined ? [] : [[id, 'zstd', body]]
    })
  )
}

/*
 * Events of an issue that floods the inbox are alike. Each event is counted and has a row, but only some have a
 * payload. The limits are guesses: people do not read more than a hundred an hour.
 */

/** Events of an issue per hour that are all stored with payloads. Above it, every tenth is. */
const ALL = 100

/** Events of an issue per hour above which only every hundredth is stored with its payload. */
const TENTH = 1_000

/** Whether an event's payload is stored. @param number position of the event in its issue's hour, from 1 */
function isKept(number: number): boolean {
  if (number <= ALL) return true
  return number % (number <= TENTH ? 10 : 100) === 0
}
