import { HOUR } from '@hull/common/time.ts'
import { countTags, uncountTags, type Tagged } from '../ingest/issue-tags.ts'
import { askDetail } from '../queries/issues/event.ts'
import { toPlain } from '../queries/plain-row.ts'
import { recordIssueVisitors } from '../ingest/visitors.ts'
import type { Store } from '../store/store.ts'
import type { JobWork } from './jobs.ts'
import { settle } from './settle.ts'
import { isAmong } from '../queries/sql.ts'

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

/** Moves the events of some grouping keys to another issue, together with their counts. */
export const splitRows: JobWork = (store, job, limit) => {
  const { id, issue, into_issue: into, after } = job
  const count = Math.min(limit, MAX_EVENTS)
  const rows = store.all<EventRow>(
    `SELECT event.id, key, at, release, version, environment, route, url, browser, visitor FROM event
     LEFT JOIN release ON release.id = event.release WHERE issue = ? AND event.id > ? ORDER BY event.id LIMIT ?`,
    issue,
    after,
    count
  )
  const keys = new Set(JSON.parse(job.keys) as number[])
  const moved = rows.filter(({ key }) => keys.has(key))
  if (into !== null && moved.length > 0) moveEvents(store, issue, into, moved)
  store.write('UPDATE issue_chore SET after = ? WHERE id = ?', rows.at(-1)?.id ?? after, id)
  if (rows.length === count) return { done: false, rows: count * ROWS_PER_EVENT }
  if (into !== null) settle(store, issue, into)
  store.write(`UPDATE issue_chore SET kind = 'recount', after = 0 WHERE id = ?`, id)
  return { done: false, rows: rows.length * ROWS_PER_EVENT }
}

function moveEvents(store: Store, issue: number, into: number, rows: readonly EventRow[]): void {
  const details = rows.map(({ id }) => askDetail(store, id))
  const tagged = rows.map((row, index) => toTagged(row, details[index]!()))
  store.write(`UPDATE event SET issue = ? WHERE ${isAmong('id')}`, into, JSON.stringify(rows.map(({ id }) => id)))
  countTags(store, into, tagged)
  uncountTags(store, issue, tagged)
  moveHours(store, issue, into, rows)
  const visitors = moveVisitors(store, issue, into, rows)
  const times = rows.map(({ at }) => at)
  const releases = rows.flatMap(({ release }) => release ?? [])
  store.write(
    `UPDATE issue SET events = events + ?1, visitors = visitors + ?2, first_seen = min(first_seen, ?3),
       last_seen = max(last_seen, ?4), first_release = min(coalesce(first_release, ?5), coalesce(?5, first_release)),
       last_release = max(coalesce(last_release, ?6), coalesce(?6, last_release)) WHERE id = ?7`,
    rows.length,
    visitors.added,
    Math.min(...times),
    Math.max(...times),
    releases.length === 0 ? null : Math.min(...releases),
    releases.length === 0 ? null : Math.max(...releases),
    into
  )
  store.write(
    `UPDATE issue SET events = max(0, events - ?1), visitors = max(0, visitors - ?2),
       ignored_until_events = max(1, ignored_until_events - ?1) WHERE id = ?3`,
    rows.length,
    visitors.gone,
    issue
  )
}

/** Tags from the payload; without a stored payload, from the row. */
const toTagged = ({ at, version: release, environment, route, url, browser }: EventRow, detail?: Tagged): Tagged =>
  detail ?? {
    ...toPlain<Omit<Tagged, 'tags'>>({ at, release, environment, route, url, browser }),
    tags: []
  }

/** The events that have moved, by hour. */
function moveHours(store: Store, issue: number, into: number, rows: readonly EventRow[]): void {
  const hours = [...Map.groupBy(rows, ({ at }) => Math.floor(at / HOUR))]
  store.insertRows(
    'INSERT INTO issue_hour (issue, hour, events)',
    hours.flatMap(([hour, { length }]) => [
      [into, hour, length],
      [issue, hour, -length]
    ]),
    'ON CONFLICT (issue, hour) DO UPDATE SET events = issue_hour.events + excluded.events'
  )
  store.write('DELETE FROM issue_hour WHERE issue = ? AND events <= 0', issue)
}

/**
 * Visitors who also met the first issue are restored by `recount`. @returns how many are gone from the first issue, and
 * new to the other
 */
function moveVisitors(store: Store, issue: number, into: number, rows: readonly EventRow[]) {
  const seen = rows.flatMap(({ visitor, at }) => (visitor === null ? [] : { issue: into, visitor, at }))
  if (seen.length === 0) return { gone: 0, added: 0 }
  const { changes: gone } = store.run(
    'DELETE FROM issue_visitor WHERE issue = ? AND visitor IN (SELECT value FROM json_each(?))',
    issue,
    JSON.stringify([...new Set(seen.map(({ visitor }) => visitor))])
  )
  return { gone, added: recordIssueVisitors(store, seen).length }
}
