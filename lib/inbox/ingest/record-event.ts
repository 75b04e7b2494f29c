import { constants, zstdCompressSync } from 'node:zlib'
import { HOUR } from '../buckets.ts'
import type { EventDetail, Grouping } from '../model.ts'
import { followEvent, STATE_COLUMNS, type IssueStateRow } from '../states/issue-state.ts'
import type { Store } from '../store.ts'
import { countFrames, type OwnFrames } from '../symbolication/index.ts'
import type { IngestContext } from './context.ts'
import { countFigures } from './event-figures.ts'
import { findKey } from './find-key.ts'
import { countTags } from './issue-tags.ts'
import { differ, updateSearch, wordsOf, type IssueWords } from './issue-words.ts'
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
 * Writes an event and everything that is counted by it, inside a transaction.
 * @returns its issue; alerting when that is new or came back
 */
export function recordEvent(record: EventRecord, context: IngestContext): { issue: number; isAlerting: boolean } {
  const { detail, release, visitor, frames } = record
  const { store, project } = context
  const words = wordsOf(detail)
  const { id: key, issue, isNew } = findKey(record, words, context)
  const state = countEvent(record, words, context, issue)
  const hour = Math.floor(detail.at / HOUR)
  const event = insertEvent(record, context, issue, key)
  if (!isKept(countHour(store, issue, hour))) context.drop('sampled', 'error', 1)
  else if (!record.keepsPayload) context.drop('full', 'error', 1)
  else store.run(`INSERT INTO event_payload (event, codec, body) VALUES (?, 'zstd', ?)`, event, pack(detail))
  countTags(store, issue, detail)
  const place = { project, hour, environment: detail.environment, release: release ?? 0 }
  countFigures(store, place, detail.level, visitor)
  countFrames(store, place, frames)
  return { issue, isAlerting: isNew || state === 'regressed' || state === 'unresolved' }
}

const pack = (detail: EventDetail): Uint8Array => zstdCompressSync(JSON.stringify(detail), ZSTD)

/** @returns the issue's new state; undefined where it stays */
function countEvent(
  { detail: { at }, release, visitor }: EventRecord,
  words: IssueWords,
  context: IngestContext,
  issue: number
) {
  const { store, receivedAt } = context
  const isNewVisitor = visitor !== undefined && meetVisitor(store, issue, visitor, at)
  const row = store.get<IssueStateRow & IssueWords & { last_seen: number }>(
    `UPDATE issue SET events = events + 1, visitors = visitors + ?, first_seen = min(first_seen, ?),
       last_seen = max(last_seen, ?), last_release = nullif(max(coalesce(last_release, 0), ?), 0)
     WHERE id = ? RETURNING ${STATE_COLUMNS}, last_seen, type, value, culprit, level`,
    isNewVisitor ? 1 : 0,
    at,
    at,
    release ?? 0,
    issue
  )!
  // It is called what it was called last.
  if (at === row.last_seen && differ(row, words)) {
    const { type, value, culprit, level } = words
    store.run(
      'UPDATE issue SET type = ?, value = ?, culprit = ?, level = ? WHERE id = ?',
      type,
      value,
      culprit,
      level,
      issue
    )
    updateSearch(store, issue, row, words)
  }
  return followEvent(store, row, release, receivedAt)
}

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

/** @returns how many the issue has in this hour */
const countHour = (store: Store, issue: number, hour: number): number =>
  store.get<{ events: number }>(
    `INSERT INTO issue_hour (issue, hour, events) VALUES (?, ?, 1)
     ON CONFLICT (issue, hour) DO UPDATE SET events = events + 1 RETURNING events`,
    issue,
    hour
  )!.events
