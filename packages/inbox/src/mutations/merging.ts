import {
  InboxIssueNotFound,
  InboxKeyAlone,
  InboxKeyMoved,
  InboxMergeProjects,
  InboxNothingSelected
} from '../errors.ts'
import { addJob, refuseBusy, workAtOnce } from '../jobs/jobs.ts'
import type { MergeBefore } from '../jobs/settle.ts'
import { boundTags, mergeTags } from '../ingest/issue-tags.ts'
import { countNew } from '../store/projects.ts'
import type { Store } from '../store/store.ts'
import {
  countUnstored,
  findMergedIssue,
  findWords,
  insertIssue,
  restoreFollowers,
  writeMergedWords,
  type MergedIssue
} from './merged-issue.ts'
import { findIssue, listIds, readSelected, recordActivity, toTitle, type IssueRow } from './selection.ts'
import type { Changed, Selection } from './issue-types.ts'
import type { Who } from './author.ts'

/**
 * Moves all events, keys and counts of the other issues into `into`.
 * @throws InboxMergeProjects
 * @throws InboxIssueBusy
 */
export function mergeIssues(store: Store, input: Selection & { into: number }, now = Date.now()): Changed {
  const { into, who } = input
  const { rows, conflicts } = readSelected(store, input)
  if (input.issues.every(({ id }) => id === into)) throw new InboxNothingSelected()
  const target = findIssue(store, into)
  if (!target) throw new InboxIssueNotFound()
  const others = rows.filter(({ id }) => id !== into)
  if (others.length === 0 || conflicts.some(({ id }) => id === into)) return { changed: [], conflicts, undo: [] }
  if (others.some(({ project }) => project !== target.project)) throw new InboxMergeProjects()
  const ids = others.map(({ id }) => id)
  for (const id of [into, ...ids]) refuseBusy(store, id)

  for (const other of others) absorb(store, other, into, who, now)
  boundTags(store, into)
  writeMergedWords(store, into)
  workAtOnce(
    store,
    ids.map((issue) => addJob(store, 'move', { issue, into }))
  )
  const data = { issues: ids.length, from: listIds(ids), title: toTitle(others[0]!) }
  const { first_seen, last_seen, first_release, last_release } = target
  const before: MergeBefore = { from: ids, into: { first_seen, last_seen, first_release, last_release } }
  const entry = recordActivity(store, { issue: into, at: now, who, kind: 'merged', data, before })
  return { changed: [into, ...ids], conflicts, undo: [entry] }
}

/**
 * Moves the events of one grouping key into an issue of their own, under its former id if that is free.
 * @throws InboxIssueNotFound
 * @throws InboxKeyAlone
 * @throws InboxIssueBusy
 */
export function unmergeKey(
  store: Store,
  { issue: id, key, who }: { issue: number; key: number; who: Who },
  now = Date.now()
): { issue: number; changed: number[] } {
  const parent = findIssue(store, id)
  if (!parent) throw new InboxIssueNotFound()
  const found = store.get<{ merged_from: number | null }>(
    'SELECT merged_from FROM issue_key WHERE id = ? AND issue = ?',
    key,
    id
  )
  if (!found) throw new InboxKeyMoved()
  const { keys } = store.get<{ keys: number }>('SELECT count(*) AS keys FROM issue_key WHERE issue = ?', id)!
  if (keys < 2) throw new InboxKeyAlone()
  refuseBusy(store, id)

  const from = found.merged_from
  const saved = from === null ? undefined : findMergedIssue(store, from)
  // a saved state of several keys says nothing about the times and releases of one of them
  const isUnknown = saved?.keys.length !== 1
  const like = saved ?? { issue: parent, keys: [key], words: { ...findWords(store, id), merged: null } }
  const open = { state: 'unresolved', resolved_release: null, resolved_in_next: 0, in_old_release: 0 } as const
  const made = split(store, id, {
    ...like,
    issue: {
      ...like.issue,
      ...open,
      ignored_until_events: null,
      ignored_until: null,
      changed: now,
      ...(isUnknown && { first_seen: parent.first_seen, last_seen: parent.last_seen })
    },
    keys: [key],
    ...(isUnknown && { isUnknown, unstored: undefined }),
    id: from !== null && !findIssue(store, from) ? from : null
  })
  store.write(
    'INSERT INTO issue_follower (issue, person) SELECT ?, person FROM issue_follower WHERE issue = ?',
    made,
    id
  )
  recordActivity(store, { issue: id, at: now, who, kind: 'unmerged', data: { issue: made } })
  recordActivity(store, { issue: made, at: now, who, kind: 'unmerged', data: { from: id } })
  return { issue: made, changed: [id, made] }
}

/**
 * Restores issues as they were before the merge, with the events received under their keys since.
 * @returns the ids of the restored issues
 */
export function takeApart(store: Store, parent: IssueRow, from: readonly number[], who: Who, now: number): number[] {
  refuseBusy(store, parent.id)
  return from.flatMap((id) => {
    const merged = findMergedIssue(store, id)
    if (!merged || findIssue(store, id)) return []
    split(store, parent.id, { ...merged, id })
    restoreFollowers(store, id, parent.id, merged)
    recordActivity(store, { issue: id, at: now, who, kind: 'unmerged', data: { from: parent.id } })
    return id
  })
}

/** Merges an issue into another. Its events and visitors are moved by a job. */
function absorb(store: Store, other: IssueRow, into: number, who: Who, now: number): void {
  const { id } = other
  const words = findWords(store, id)
  const keys = store.all<{ id: number }>(
    'UPDATE issue_key SET issue = ?, merged_from = coalesce(merged_from, issue) WHERE issue = ? RETURNING id',
    into,
    id
  )
  const followers = store.all<{ person: number }>('SELECT person FROM issue_follower WHERE issue = ?', id)
  const added = store.all<{ person: number }>(
    `INSERT INTO issue_follower (issue, person) SELECT ?, person FROM issue_follower WHERE issue = ?
     ON CONFLICT DO NOTHING RETURNING person`,
    into,
    id
  )
  const before: MergedIssue = {
    issue: other,
    keys: keys.map((key) => key.id),
    words,
    unstored: countUnstored(store, other),
    followers: followers.map(({ person }) => person),
    addedFollowers: added.map(({ person }) => person)
  }
  recordActivity(store, { issue: id, at: now, who, kind: 'merged', data: { into }, before })
  store.write(
    `INSERT INTO issue_hour (issue, hour, events) SELECT ?, hour, events FROM issue_hour WHERE issue = ?
     ON CONFLICT (issue, hour) DO UPDATE SET events = issue_hour.events + excluded.events`,
    into,
    id
  )
  store.write('DELETE FROM issue_hour WHERE issue = ?', id)
  mergeTags(store, id, into)
  store.write('DELETE FROM issue_search WHERE rowid = ?', id)
  store.write('DELETE FROM issue WHERE id = ?', id)
  addFigures(store, other, into)
}

function addFigures(store: Store, other: IssueRow, into: number): void {
  const before = findIssue(store, into)!
  store.write(
    `UPDATE issue SET events = events + ?1, visitors = visitors + ?2, first_seen = min(first_seen, ?3),
       last_seen = max(last_seen, ?4), first_release = min(coalesce(first_release, ?5), coalesce(?5, first_release)),
       last_release = max(coalesce(last_release, ?6), coalesce(?6, last_release)),
       ignored_until_events = ignored_until_events + ?1, version = version + 1 WHERE id = ?7`,
    other.events,
    other.visitors,
    other.first_seen,
    other.last_seen,
    other.first_release,
    other.last_release,
    into
  )
  // two new issues became one
  const after = findIssue(store, into)!
  countNew(store, before.first_release, -1)
  countNew(store, other.first_release, -1)
  countNew(store, after.first_release, 1)
}

interface Part extends MergedIssue {
  /** Id for the restored issue; null for a new id. */
  id: number | null
  isUnknown?: boolean
}

function split(store: Store, parent: number, { id, issue, keys, words, isUnknown, unstored }: Part): number {
  const { events, visitors } = unstored ?? { events: 0, visitors: 0 }
  const empty = { ...issue, events, visitors, version: issue.version + 1 }
  // overwritten by the times of the first event that moves
  const unknown = { first_seen: issue.last_seen, last_seen: issue.first_seen, first_release: null, last_release: null }
  const made = insertIssue(store, { ...empty, ...(isUnknown && unknown) }, id, words)
  for (const key of keys)
    store.write(
      'UPDATE issue_key SET issue = ?1, merged_from = nullif(merged_from, ?1) WHERE id = ?2 AND issue = ?3',
      made,
      key,
      parent
    )
  if (id === null) store.write('UPDATE issue_key SET merged_from = NULL WHERE issue = ?', made)
  writeMergedWords(store, parent)
  store.write(
    `UPDATE issue SET events = max(0, events - ?1), visitors = max(0, visitors - ?2),
       ignored_until_events = max(1, ignored_until_events - ?1), version = version + 1 WHERE id = ?3`,
    events,
    visitors,
    parent
  )
  workAtOnce(store, [addJob(store, 'split', { issue: parent, into: made, keys })])
  return made
}
