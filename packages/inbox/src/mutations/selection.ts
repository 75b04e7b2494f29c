import { InboxNothingSelected, InboxTooManySelected } from '../errors.ts'
import type { IssueStateRow } from '../store/issue-state.ts'
import { askLastChange } from '../store/last-change.ts'
import type { Store } from '../store/store.ts'
import { insertRow } from '../store/rows.ts'
import type { Changed, Selection } from './issue-types.ts'

/** Maximum issues per change, which take about 50 ms. */
const MAX_SELECTED = 1_000

/** Ids of issues in an entry of the activity or of the audit log. */
const MAX_LISTED = 20

/** An issue as stored before the change. */
export interface IssueRow extends IssueStateRow {
  type: string
  value: string
  culprit: string
  level: string
  side: string
  first_seen: number
  last_seen: number
  first_release: number | null
  last_release: number | null
  visitors: number
  in_old_release: number
  changed: number | null
  version: number
  /** Id of a person. */
  assignee: number | null
}

type Conflict = Changed['conflicts'][number]

export const findIssue = (store: Store, id: number): IssueRow | undefined =>
  store.get<IssueRow>('SELECT * FROM issue WHERE id = ?', id)

/**
 * Issues that may be changed, and those that somebody else changed since the user saw them.
 * @throws InboxNothingSelected
 * @throws InboxTooManySelected
 */
export function readSelected(
  store: Store,
  { issues }: Pick<Selection, 'issues'>
): { rows: IssueRow[]; conflicts: Conflict[] } {
  checkSelected(issues)
  const rows: IssueRow[] = []
  const conflicts: Conflict[] = []
  for (const [id, version] of new Map(issues.map((issue) => [issue.id, issue.version]))) {
    const row = findIssue(store, id)
    if (!row) continue
    if (version === undefined || version === row.version) rows.push(row)
    else conflicts.push(toConflict(store, row))
  }
  return { rows, conflicts }
}

/** Checks the number of issues, or of changes to undo. @throws InboxNothingSelected @throws InboxTooManySelected */
export function checkSelected(selected: readonly unknown[]): void {
  if (selected.length === 0) throw new InboxNothingSelected()
  if (selected.length > MAX_SELECTED) throw new InboxTooManySelected(MAX_SELECTED)
}

/** Person and time of an issue's latest change. */
export function toConflict(store: Store, { id, state, changed, last_seen: seen }: IssueRow): Conflict {
  const last = askLastChange(store, id)()
  return { id, state, at: last?.at ?? changed ?? seen, ...(last?.name != null && { who: last.name }) }
}

export const toTitle = ({ type, value }: IssueRow): string => `${type}: ${value}`.slice(0, 200).toWellFormed()

export const listIds = (ids: readonly number[]): string => ids.slice(0, MAX_LISTED).join(', ')

export interface Entry {
  issue: number
  at: number
  who: number
  kind: 'resolved' | 'ignored' | 'reopened' | 'assigned' | 'merged' | 'unmerged' | 'undone' | 'commented'
  data?: Record<string, string | number | boolean | null>
  /** State before the change, for the mutation `undo`; without it the change cannot be undone. */
  before?: object
}

/** Adds an entry to an issue's activity. @returns the entry's id */
export const recordActivity = (store: Store, { issue, at, who, kind, data = {}, before }: Entry): number =>
  insertRow(store, 'activity', {
    issue,
    at,
    who,
    kind,
    data: JSON.stringify(data),
    before: before && JSON.stringify(before)
  })
