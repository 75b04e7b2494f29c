import { HOUR } from '@hull/common/time.ts'
import { countTags, uncountTags, type Tagged } from '../ingest/issue-tags.ts'
import { findDetail } from '../ingest/event.ts'
import type { Store } from '../store/store.ts'
import type { Job, JobWork } from './jobs.ts'
import { settle } from './settle.ts'

interface EventRow {
  id: number
  key: number
  at: number
  release: number | null
  version: string | null
  environment: string
  route: string | null
  url: string | null
  browser: string | null
  visitor: string | null
}

/** Events per chunk. Each costs as much as ten rows of another job, because its tags are counted again. */
const MAX_EVENTS = 25
const ROWS_PER_EVENT = 10

/** Moves the events of some grouping keys to another issue, one by one, together with their counts. */
export const splitRows: JobWork = (store, job, limit) => {
  const { id, issue, after } = job
  const count = Math.min(limit, MAX_EVENTS)
  const rows = store.all<EventRow>(
    `SELECT event.id, key, at, release, version, environment, route, url, browser, visitor FROM event
     LEFT JOIN release ON release.id = event.release WHERE issue = ? AND event.id > ? ORDER BY event.id LIMIT ?`,
    issue,
    after,
    count
  )
  const keys = new Set(JSON.parse(job.keys) as number[])
  for (const row of rows) if (keys.has(row.key)) moveEvent(store, job, row)
  store.run('UPDATE issue_chore SET after = ? WHERE id = ?', rows.at(-1)?.id ?? after, id)
  if (rows.length === count) return { done: false, rows: count * ROWS_PER_EVENT }
  if (job.into_issue !== null) settle(store, issue, job.into_issue)
  store.run(`UPDATE issue_chore SET kind = 'recount', after = 0 WHERE id = ?`, id)
  return { done: false, rows: rows.length * ROWS_PER_EVENT }
}

function moveEvent(store: Store, { issue, into_issue: into }: Job, row: EventRow): void {
  if (into === null) return
  store.run('UPDATE event SET issue = ? WHERE id = ?', into, row.id)
  const tagged = toTagged(row, findDetail(store, row.id))
  countTags(store, into, tagged)
  uncountTags(store, issue, tagged)
  moveHour(store, issue, into, Math.floor(row.at / HOUR))
  const isNewVisitor = row.visitor !== null && moveVisitor(store, issue, into, row.visitor, row.at)
  store.run(
    `UPDATE issue SET events = events + 1, visitors = visitors + ?1, first_seen = min(first_seen, ?2),
       last_seen = max(last_seen, ?3), first_release = min(coalesce(first_release, ?4), coalesce(?4, first_release)),
       last_release = max(coalesce(last_release, ?4), coalesce(?4, last_release)) WHERE id = ?5`,
    isNewVisitor ? 1 : 0,
    row.at,
    row.at,
    row.release,
    into
  )
  store.run(
    `UPDATE issue SET events = max(0, events - 1), ignored_until_events = max(1, ignored_until_events - 1) WHERE id = ?`,
    issue
  )
}

/** Tags from the payload; without a stored payload, from the row. */
function toTagged({ at, version, environment, route, url, browser }: EventRow, detail: Tagged | undefined): Tagged {
  if (detail) return detail
  return {
    at,
    environment,
    tags: [],
    ...(version !== null && { release: version }),
    ...(route !== null && { route }),
    ...(url !== null && { url }),
    ...(browser !== null && { browser })
  }
}

function moveHour(store: Store, issue: number, into: number, hour: number): void {
  store.run(
    `INSERT INTO issue_hour (issue, hour, events) VALUES (?, ?, 1)
     ON CONFLICT (issue, hour) DO UPDATE SET events = issue_hour.events + 1`,
    into,
    hour
  )
  store.run('UPDATE issue_hour SET events = events - 1 WHERE issue = ? AND hour = ?', issue, hour)
  store.run('DELETE FROM issue_hour WHERE issue = ? AND hour = ? AND events <= 0', issue, hour)
}

/**
 * Visitors who also met the first issue are restored by `recount`. @returns whether the visitor is new to the other
 * issue
 */
function moveVisitor(store: Store, issue: number, into: number, visitor: string, at: number): boolean {
  const { changes: gone } = store.run('DELETE FROM issue_visitor WHERE visitor = ? AND issue = ?', visitor, issue)
  if (gone > 0) store.run('UPDATE issue SET visitors = max(0, visitors - 1) WHERE id = ?', issue)
  const isNew =
    store.run(
      'INSERT INTO issue_visitor (visitor, issue, last_seen) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      visitor,
      into,
      at
    ).changes > 0
  if (!isNew)
    store.run(
      'UPDATE issue_visitor SET last_seen = ?1 WHERE visitor = ?2 AND issue = ?3 AND last_seen < ?1',
      at,
      visitor,
      into
    )
  return isNew
}
