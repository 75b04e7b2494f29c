import type { Store } from '../store/store.ts'
import { writeAssignee } from './assignment.ts'
import { insertRow } from '../store/rows.ts'
import type { IssueRow } from './selection.ts'
import { isAmong } from '../queries/sql.ts'

/** Maximum characters of search text taken from merged issues. */
const MAX_WORDS = 4_000

/** Maximum characters of the addresses in it, so that there is room for the titles of all. */
const MAX_ADDRESSES = 400

/** Search text of an issue besides its title. */
interface Words {
  url: string | null
  /** Text of the issues merged into it. */
  merged: string | null
}

/** Saved state of an issue that was merged into another. */
export interface MergedIssue {
  issue: IssueRow
  /** Ids of its grouping keys. */
  keys: number[]
  words: Words
  /** Events and visitors that were counted but no longer stored. Undefined after a merge of an earlier version. */
  unstored?: { events: number; visitors: number }
  /** Ids of the people who followed it. Undefined after a merge of an earlier version. */
  followers?: number[]
  /** Those of them who follow the other issue because of the merge. */
  addedFollowers?: number[]
}

/** Saved state from the issue's latest merge; undefined if it was never merged. */
export function findMergedIssue(store: Store, id: number): MergedIssue | undefined {
  const row = store.get<{ before: string }>(
    `SELECT before FROM activity WHERE issue = ? AND kind = 'merged' AND json_extract(data, '$.into') IS NOT NULL
     ORDER BY id DESC LIMIT 1`,
    id
  )
  return row && (JSON.parse(row.before) as MergedIssue)
}

/** Counts an issue's events and visitors that the retention has deleted: its totals still include them. */
export function countUnstored(store: Store, { id, events, visitors }: IssueRow): MergedIssue['unstored'] {
  const stored = store.get<{ events: number; visitors: number }>(
    `SELECT (SELECT count(*) FROM event WHERE issue = ?1) AS events,
       (SELECT count(*) FROM issue_visitor WHERE issue = ?1) AS visitors`,
    id
  )!
  return { events: Math.max(0, events - stored.events), visitors: Math.max(0, visitors - stored.visitors) }
}

export const findWords = (store: Store, issue: number): Words =>
  store.get<Words>('SELECT url, merged FROM issue_search WHERE rowid = ?', issue) ?? { url: null, merged: null }

/** Rebuilds the search text that an issue has from the issues merged into it. */
export function writeMergedWords(store: Store, issue: number): void {
  const sources = store.all<{ id: number }>(
    'SELECT DISTINCT merged_from AS id FROM issue_key WHERE issue = ? AND merged_from IS NOT NULL LIMIT 100',
    issue
  )
  const words = sources.flatMap(({ id }) => {
    const merged = findMergedIssue(store, id)
    if (!merged) return []
    const { type, value, culprit } = merged.issue
    return `${type} ${value} ${culprit} ${(merged.words.url ?? '').slice(0, MAX_ADDRESSES)}`
  })
  store.write(
    'UPDATE issue_search SET merged = ? WHERE rowid = ?',
    words.length > 0 ? words.join('\n').slice(0, MAX_WORDS).toWellFormed() : null,
    issue
  )
}

/** Gives a restored issue its followers back, as far as they are not removed. @param parent issue it was merged into */
export function restoreFollowers(store: Store, issue: number, parent: number, merged: MergedIssue): void {
  const { followers = [], addedFollowers = [] } = merged
  store.write(
    `INSERT INTO issue_follower (issue, person) SELECT ?, id FROM person
     WHERE removed IS NULL AND ${isAmong('id')}`,
    issue,
    JSON.stringify(followers)
  )
  store.write(
    `DELETE FROM issue_follower WHERE issue = ? AND ${isAmong('person')}`,
    parent,
    JSON.stringify(addedFollowers)
  )
}

/** Inserts an issue without events. @param id null for a new id @returns the issue's id */
export function insertIssue(store: Store, issue: Omit<IssueRow, 'id'>, id: number | null, words: Words): number {
  const columns = Object.fromEntries(
    (Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]).map((name) => [name, issue[name]])
  )
  const made = insertRow(store, 'issue', { ...(id !== null && { id }), ...columns })
  // The assignee may have been removed since the merge. A merge of an earlier version saved none.
  writeAssignee(store, made, issue.assignee ?? null)
  store.write(
    'INSERT INTO issue_search (rowid, type, value, culprit, url, merged) VALUES (?, ?, ?, ?, ?, ?)',
    made,
    issue.type,
    issue.value,
    issue.culprit,
    words.url,
    words.merged
  )
  return made
}

/** Columns to restore: the row that a merge saved may be of another version of the table. */
const COLUMNS = {
  project: true,
  type: true,
  value: true,
  culprit: true,
  level: true,
  side: true,
  state: true,
  resolved_release: true,
  resolved_in_next: true,
  ignored_until_events: true,
  ignored_until: true,
  first_seen: true,
  last_seen: true,
  first_release: true,
  last_release: true,
  events: true,
  visitors: true,
  in_old_release: true,
  changed: true,
  version: true
} satisfies Record<keyof Omit<IssueRow, 'id' | 'assignee'>, true>
