import { differ, titleOf, updateSearch, type IssueTitle } from '../ingest/issue.ts'
import { askDetail } from '../queries/issues/event.ts'
import { countNew } from '../store/projects.ts'
import { updateRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

/** Newest events of an issue to search for one with a stored payload. */
const NEWEST = 1_000

type Times = Record<'first_seen' | 'last_seen', number> & Record<'first_release' | 'last_release', number | null>

/** Saved with a merge, for its undoing. */
export interface MergeBefore {
  /** Ids of the issues that were merged. */
  from: number[]
  /** Those of the issue that remained. Undefined after a merge of an earlier version. */
  into?: Times
}

/** Corrects both issues after the last event has moved: times, releases and titles follow from their own events. */
export function settle(store: Store, issue: number, into: number): void {
  const before = findFirstRelease(store, issue)
  const undone = findUndoneMerge(store, issue, into)
  settleTimes(store, { issue, into, before: undone?.into })
  store.write('UPDATE issue SET last_seen = first_seen WHERE id = ? AND events = 0 AND last_seen < first_seen', into)
  countNew(store, before, -1)
  countNew(store, findFirstRelease(store, issue), 1)
  countNew(store, findFirstRelease(store, into), 1)
  const [stayed, left] = [findIssueTitle(store, issue), findIssueTitle(store, into)]
  // one of the issues still has the other's title
  const areSame = stayed && left && !differ(stayed, left)
  if (areSame) settleWords(store, issue)
  // a single key may have the title of an issue that had several
  if (areSame || !undone) settleWords(store, into)
}

const findIssueTitle = (store: Store, issue: number): IssueTitle | undefined =>
  store.get<IssueTitle>('SELECT type, value, culprit, level FROM issue WHERE id = ?', issue)

const findFirstRelease = (store: Store, issue: number): number | null =>
  store.get<{ first_release: number | null }>('SELECT first_release FROM issue WHERE id = ?', issue)?.first_release ??
  null

interface Settled {
  issue: number
  into: number
  /** Times and releases of the first issue before a merge that is undone. */
  before: Times | undefined
}

/**
 * Recalculates the first issue's times and releases. One that reaches further than the other issue's is its own, because
 * it did not come with the events that moved. For the rest there are two sources: what was saved with an undone merge,
 * and the events and releases that the issue still has; without either, it stays as it is.
 */
function settleTimes(store: Store, { issue, into, before }: Settled): void {
  const [own, gone] = [findTimes(store, issue), findTimes(store, into)]
  if (!own || !gone) return
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
  const hasOwnFirst = gone.first_release === null || (own.first_release ?? Infinity) < gone.first_release
  const hasOwnLast = gone.last_release === null || (own.last_release ?? 0) > gone.last_release
  store.write(
    'UPDATE issue SET first_seen = ?, last_seen = ?, first_release = ?, last_release = ? WHERE id = ?',
    own.first_seen < gone.first_seen
      ? own.first_seen
      : (pick(Math.min, before?.first_seen, stayed.first) ?? own.first_seen),
    own.last_seen > gone.last_seen ? own.last_seen : (pick(Math.max, before?.last_seen, stayed.last) ?? own.last_seen),
    hasOwnFirst ? own.first_release : (before?.first_release ?? releases.first ?? (before ? null : own.first_release)),
    hasOwnLast
      ? own.last_release
      : (pick(Math.max, before?.last_release, releases.last) ?? (before ? null : own.last_release)),
    issue
  )
}

const findTimes = (store: Store, issue: number): Times | undefined =>
  store.get<Times>('SELECT first_seen, last_seen, first_release, last_release FROM issue WHERE id = ?', issue)

/** Finds the merge whose undoing splits an issue off; undefined if a key of it was split off. */
function findUndoneMerge(store: Store, issue: number, into: number): MergeBefore | undefined {
  const merge = store.get<{ id: number; before: string }>(
    `SELECT id, before FROM activity WHERE issue = ? AND kind = 'merged' AND json_extract(data, '$.from') IS NOT NULL
     ORDER BY id DESC LIMIT 1`,
    issue
  )
  const before = merge && (JSON.parse(merge.before) as MergeBefore)
  const isUndone =
    before?.from.includes(into) &&
    store.get(
      `SELECT 1 FROM activity
       WHERE issue = ? AND id > ? AND kind = 'undone' AND json_extract(data, '$.kind') = 'merged' LIMIT 1`,
      issue,
      merge!.id
    ) !== undefined
  return isUndone ? before : undefined
}

/** The lower or higher of those that are known. */
function pick(choose: (...numbers: number[]) => number, ...numbers: (number | null | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== null && number !== undefined)
  return known.length === 0 ? undefined : choose(...known)
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
  updateRow(store, 'issue', issue, { type, value, culprit, level })
  updateSearch(store, issue, row, words)
}
