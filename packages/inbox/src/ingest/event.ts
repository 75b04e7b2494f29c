import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { HOUR } from '@hull/common/time.ts'
import { addAlertFact } from '../alerts/facts.ts'
import { groupEvent } from '../grouping/group.ts'
import type { BatchAccumulator } from './batch-accumulator.ts'
import type { IngestContext, Item, ItemHandler } from './context.ts'
import { recordErrorVisitor, recordIssueVisitor } from './visitors.ts'
import { tagsOf } from './issue-tags.ts'
import { findKey, titleOf } from './issue.ts'
import { normaliseEvent } from './normalise/event.ts'
import { applyEventToState } from '../store/issue-state.ts'
import type { EventDetail, Grouping, Level } from '../store/model.ts'
import type { FigurePlace } from '../store/rollups.ts'
import type { Store } from '../store/store.ts'
import type { OwnFrames, Symbolicator } from '../symbolication/symbolicator.ts'

/** Issues with changes. */
interface NewsCollector {
  issues: Set<number>
  /** Those that are new, regressed or reopened. */
  alerting: Set<number>
}

interface EventHandlerOptions {
  batch: BatchAccumulator
  news: NewsCollector
  symbolicator: Symbolicator
  /** Whether there is currently room for payloads. */
  keepsPayloads: () => boolean
}

/**
 * Creates the handler of events: it normalises, symbolicates, groups and stores them. It ignores an event that was
 * stored before.
 */
export function createEventHandler({ news, batch, symbolicator, keepsPayloads }: EventHandlerOptions): ItemHandler {
  return function storeEvent({ payload }: Item, context: IngestContext): void {
    const { detail, visitor: hint, userAgent, debugIds } = normaliseEvent(payload, context)
    if (hasEvent(context.store, context.project, detail.eventId)) return
    detail.environment = context.environmentOf(detail.environment)
    const frames = symbolicator.resolve(detail, debugIds, context.project)
    const record = {
      detail,
      grouping: groupEvent(detail),
      frames,
      release: context.releaseOf(detail.release),
      visitor: context.visitorOf(hint, userAgent, detail.side === 'browser'),
      keepsPayload: keepsPayloads()
    }
    const { issue, isAlerting } = recordEvent(record, context, batch)
    news.issues.add(issue)
    if (isAlerting) news.alerting.add(issue)
  }
}

/** Whether the level counts as an error; other levels are messages. */
export const isError = (level: Level): boolean => level === 'fatal' || level === 'error'

/** Measured: a quarter of the size in a tenth of a millisecond; higher levels cost much and gain little. */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

export interface EventRecord {
  detail: EventDetail
  grouping: Grouping
  frames: OwnFrames
  release: number | null
  visitor: string | undefined
  /** Whether there is room for the payload. */
  keepsPayload: boolean
}

/** Whether the event was stored before. */
const hasEvent = (store: Store, project: number, eventId: string): boolean =>
  store.get('SELECT 1 FROM event WHERE project = ? AND event_id = ?', project, eventId) !== undefined

/**
 * Stores an event. Call it inside a transaction. The counts in the batch are changed last, after everything that can
 * fail.
 * @returns the issue, and whether it is new, regressed or reopened
 */
export function recordEvent(
  record: EventRecord,
  context: IngestContext,
  batch: BatchAccumulator
): { issue: number; isAlerting: boolean } {
  const { detail, release, visitor, frames } = record
  const { store, project, receivedAt, rollups } = context
  const { at, environment, level } = detail
  const words = titleOf(detail)
  const { id: key, issue: id, isNew } = findKey(record, words, context)
  const issue = batch.issue(id)
  const hour = Math.floor(at / HOUR)
  const isKeptWhole = isKept(batch.eventsIn(id, hour) + 1)
  const isNewVisitor = visitor !== undefined && recordIssueVisitor(store, id, visitor, at)
  const state = applyEventToState(store, { ...issue, events: issue.events + 1 }, release, receivedAt)
  const event = insertEvent(record, context, id, key)
  if (isKeptWhole && record.keepsPayload)
    store.run(`INSERT INTO event_payload (event, codec, body) VALUES (?, 'zstd', ?)`, event, pack(detail))
  if (isNew) addAlertFact(store, { project, kind: 'new', subject: id, at: receivedAt })
  const place: FigurePlace = { project, hour, environment, release: release ?? 0 }
  const figures = isError(level) && visitor !== undefined ? recordErrorVisitor(store, place, visitor) : []

  if (!isKeptWhole) context.drop('sampled', 'error', 1)
  else if (!record.keepsPayload) context.drop('full', 'error', 1)
  // The newest event names the issue.
  if (at >= issue.last_seen) Object.assign(issue, words)
  issue.events++
  if (isNewVisitor) issue.visitors++
  issue.first_seen = Math.min(issue.first_seen, at)
  issue.last_seen = Math.max(issue.last_seen, at)
  if (release !== null) issue.last_release = Math.max(issue.last_release ?? 0, release)
  batch.countHour(id, hour)
  for (const [name, value] of tagsOf(detail)) batch.countTag(id, name, value, at)
  if (isError(level)) rollups.countFigure(place, 'errors')
  for (const figure of figures) rollups.countFigure(place, figure)
  rollups.countFigure(place, 'frames', frames.own)
  rollups.countFigure(place, 'frames_unresolved', frames.unresolved)
  if (state !== undefined) batch.flushIssue(id)
  return { issue: id, isAlerting: isNew || state === 'regressed' || state === 'unresolved' }
}

const pack = (detail: EventDetail): Uint8Array => zstdCompressSync(JSON.stringify(detail), ZSTD)

function insertEvent(
  { detail, release, visitor }: EventRecord,
  context: IngestContext,
  issue: number,
  key: number
): number {
  const { eventId, at, level, environment, route, url, browser, digest, traceId, spanId } = detail
  return context.store.insert(
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

/** Maximum bytes of a payload as JSON; an accepted event has at most 1 MiB. */
const MAX_PAYLOAD = 16 * 1024 ** 2

/** Returns the payload of an event; undefined if it was not stored or is damaged. */
export function findDetail(store: Store, event: number): EventDetail | undefined {
  const row = store.get<{ body: Uint8Array }>('SELECT body FROM event_payload WHERE event = ?', event)
  if (!row) return undefined
  try {
    return JSON.parse(zstdDecompressSync(row.body, { maxOutputLength: MAX_PAYLOAD }).toString()) as EventDetail
  } catch {
    return undefined
  }
}
