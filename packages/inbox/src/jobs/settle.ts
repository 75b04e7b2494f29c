import { differ, titleOf, updateSearch, type IssueTitle } from '../ingest/issue.ts'
import { askDetail } from '../queries/event.ts'
import { countNew } from '../store/projects.ts'
import type { Store } from '../store/store.ts'

/** Newest events of an issue to search for one with a stored payload. */
const NEWEST = 1_000

/** Corrects both issues after the last event has moved: times, releases and titles follow from their own events. */
export function settle(store: Store, issue: number, into: number): void {
  const before = findFirstRelease(store, issue)
  settleTimes(store, issue, into)
  store.write('UPDATE issue SET last_seen = first_seen WHERE id = ? AND events = 0 AND last_seen < first_seen', into)
  countNew(store, before, -1)
  countNew(store, findFirstRelease(store, issue), 1)
  countNew(store, findFirstRelease(store, into), 1)
  const [stayed, left] = [findIssueTitle(store, issue), findIssueTitle(store, into)]
  // one of the issues still has the other's title
  if (stayed && left && !differ(stayed, left)) for (const id of [issue, into]) settleWords(store, id)
}

const findIssueTitle = (store: Store, issue: number): IssueTitle | undefined =>
  store.get<IssueTitle>('SELECT type, value, culprit, level FROM issue WHERE id = ?', issue)

const findFirstRelease = (store: Store, issue: number): number | null =>
  store.get<{ first_release: number | null }>('SELECT first_release FROM issue WHERE id = ?', issue)?.first_release ??
  null

/** Recalculates the first issue's times and releases where they came from events that moved. */
function settleTimes(store: Store, issue: number, into: number): void {
  const stayed = store.get<{ first: number | null; last: number | null }>(
    `SELECT (SELECT at FROM event WHERE issue = ?1 ORDER BY id LIMIT 1) AS first,
       (SELECT at FROM event WHERE issue = ?1 ORDER BY id DESC LIMIT 1) AS last`,
    issue
  )!
  const releases = store.get<{ first: number | null; last: number | null }>(
    `SELECT min(release.id) AS first, max(release.id) AS last FROM issue
     JOIN issue_tag ON issue_tag.issue = issue.id AND issue_tag.name = 'release'
     JOIN release ON release.project = issue.project AND release.version = issue_tag.value WHERE issue.id = ?`,
    issue
  )!
  store.write(
    `UPDATE issue SET
       first_seen = CASE WHEN issue.first_seen < gone.first_seen THEN issue.first_seen
         ELSE coalesce(?3, issue.first_seen) END,
       last_seen = CASE WHEN issue.last_seen > gone.last_seen THEN issue.last_seen
         ELSE coalesce(?4, issue.last_seen) END,
       first_release = CASE WHEN issue.first_release < gone.first_release THEN issue.first_release
         ELSE coalesce(?5, issue.first_release) END,
       last_release = CASE WHEN issue.last_release > gone.last_release THEN issue.last_release
         ELSE coalesce(?6, issue.last_release) END
     FROM issue AS gone WHERE issue.id = ?1 AND gone.id = ?2`,
    issue,
    into,
    stayed.first,
    stayed.last,
    releases.first,
    releases.last
  )
}

/** Takes the title from the newest event with a payload. */
function settleWords(store: Store, issue: number): void {
  const newest = store.get<{ id: number }>(
    `SELECT id FROM (SELECT id FROM event WHERE issue = ? ORDER BY id DESC LIMIT ?) AS newest
     WHERE EXISTS (SELECT 1 FROM event_payload WHERE event = id) ORDER BY id DESC LIMIT 1`,
    issue,
    NEWEST
  )
  const detail = newest && askDetail(store, newest.id)()
  const row = findIssueTitle(store, issue)
  if (!detail || !row) return
  const words = titleOf(detail)
  const { type, value, culprit, level } = words
  store.write(
    'UPDATE issue SET type = ?, value = ?, culprit = ?, level = ? WHERE id = ?',
    type,
    value,
    culprit,
    level,
    issue
  )
  updateSearch(store, issue, row, words)
}
