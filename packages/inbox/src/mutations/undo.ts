import { tellFollowers } from '../alerts/followers.ts'
import type { MergeBefore } from '../jobs/settle.ts'
import { askLastChange } from '../store/last-change.ts'
import { OPEN_STATES } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { findAssigneeName, writeAssignee } from './assignment.ts'
import { takeApart } from './merging.ts'
import { checkSelected, findIssue, recordActivity, toConflict, type IssueRow } from './selection.ts'
import type { Changed } from './issue-types.ts'
import type { Who } from './author.ts'

interface ActivityRow {
  id: number
  issue: number
  kind: string
  before: string | null
}

/**
 * Columns that a change of state saves. The time of the change before is one of them, so that an issue that was new is
 * new again.
 */
const SAVED = [
  'state',
  'resolved_release',
  'resolved_in_next',
  'ignored_until_events',
  'ignored_until',
  'in_old_release',
  'changed'
] as const

type StateBefore = Pick<IssueRow, (typeof SAVED)[number]>

/** Values of an issue that a change of state saves, for its undoing. */
export const toBefore = (issue: IssueRow): StateBefore =>
  Object.fromEntries(SAVED.map((column) => [column, issue[column]])) as StateBefore

/**
 * Undoes changes of state, assignments and merges that are the newest entries of their issues. Issues that changed since
 * are reported as conflicts.
 */
export function undo(store: Store, { activities, who }: { activities: number[]; who: Who }, now = Date.now()): Changed {
  checkSelected(activities)
  const result: Changed = { changed: [], conflicts: [], undo: [] }
  for (const id of new Set(activities)) {
    const entry = store.get<ActivityRow>('SELECT id, issue, kind, before FROM activity WHERE id = ?', id)
    const issue = entry && findIssue(store, entry.issue)
    if (!entry || !issue || entry.before === null) continue
    if (askLastChange(store, issue.id)()?.id !== entry.id) {
      result.conflicts.push(toConflict(store, issue))
      continue
    }
    // first, since the jobs that take a merge apart look for it
    recordActivity(store, { issue: issue.id, at: now, who, kind: 'undone', data: { kind: entry.kind } })
    result.changed.push(issue.id, ...takeBack(store, issue, { ...entry, before: entry.before }, who, now))
  }
  return result
}

/** @returns ids of the restored issues */
function takeBack(
  store: Store,
  issue: IssueRow,
  { kind, before }: { kind: string; before: string },
  who: Who,
  now: number
): number[] {
  if (kind === 'merged') return takeApart(store, issue, (JSON.parse(before) as MergeBefore).from, who, now)
  const { id, project } = issue
  if (kind === 'assigned') {
    writeAssignee(store, id, (JSON.parse(before) as Pick<IssueRow, 'assignee'>).assignee)
    tellFollowers(store, { issue: id, project, kind: 'assigned', at: now, who, detail: findAssigneeName(store, id) })
    return []
  }
  const restored = JSON.parse(before) as StateBefore
  restoreState(store, id, restored)
  const isOpen = OPEN_STATES.includes(restored.state)
  tellFollowers(store, { issue: id, project, kind: isOpen ? 'unresolved' : restored.state, at: now, who })
  return []
}

function restoreState(store: Store, id: number, before: StateBefore): void {
  store.write(
    `UPDATE issue SET ${SAVED.map((column) => `${column} = ?, `).join('')}version = version + 1 WHERE id = ?`,
    ...SAVED.map((column) => before[column]),
    id
  )
}
