import type { Grouping, IssueState, Level, Side, View } from '../../store/model.ts'
import type { Cursors, PageInput } from '../cursor.ts'

export interface IssueRow {
  id: number
  project: number
  type: string
  value: string
  /** `file:function` of the innermost in-app frame, or the route. */
  culprit: string
  level: Level
  side: Side
  state: IssueState
  /** Unresolved, never changed, and first seen in the newest release or in the last 24 hours. */
  isNew: boolean
  firstSeen: number
  lastSeen: number
  firstRelease?: string
  lastRelease?: string
  /** Total. */
  events: number
  /** Total. */
  visitors: number
  /** Events in the view's range, in whole hours or days as in the overview. */
  eventsInRange: number
  /** Events per point of the range, oldest first. */
  points: number[]
  /** Version of the state. A change sends the version that the user saw. */
  version: number
  /** Person to whom the issue is assigned. @default nobody */
  assignee?: Assignee
}

/** A person to whom issues can be assigned. */
export interface Assignee {
  id: number
  name: string
}

/** Order of a list of issues. `events` counts the events of the range, `visitors` every visitor. */
export type IssueSort = 'last' | 'first' | 'events' | 'visitors'

export interface IssueListQuery extends PageInput {
  view: View
  /**
   * Search text; packages/inbox/src/web/search/index.ts documents the syntax. @default is:unresolved, which includes
   * regressed issues
   */
  query?: string
  /** Person that `assigned:me` means. @default nobody */
  me?: number
  /** @default last */
  sort?: IssueSort
}

export interface IssueList extends Cursors {
  issues: IssueRow[]
  /** Issues on all pages, counted up to MAX_COUNT + 1. */
  total: number
  /** Issues of each tab with the same search, release and environment, MAX_COUNT + 1 at most; `unresolved` are the regressed ones too. */
  counts: Record<IssueState, number>
}

export interface IssueDetail extends IssueRow {
  resolvedRelease?: string
  resolvedInNext: boolean
  ignoredUntilEvents?: number
  ignoredUntil?: number
  /** Events of older releases received since the issue was resolved. */
  inOldRelease: number
  keys: (Grouping & { id: number; created: number; mergedFrom?: number })[]
  /** Newest first. */
  activity: ActivityRow[]
  /** Whether there are older entries. */
  hasMoreActivity: boolean
}

export interface ActivityRow {
  id: number
  at: number
  /** Name of the person; undefined if an event caused the change. */
  who?: string
  /** Id of the person. */
  person?: number
  /** `created`, `resolved`, `ignored`, `reopened`, `assigned`, `regressed`, `merged`, `unmerged`, `undone`, `commented`. */
  kind: string
  data: Record<string, string | number | boolean | null>
  /** False for a comment, which changes nothing. */
  isLastChange: boolean
  /** The newest change, and it can be undone. */
  canUndo: boolean
}

export interface CommentRow {
  id: number
  at: number
  /** Name of the person. */
  who?: string
  text: string
}

export interface CommentsInput extends PageInput {
  /** Id of the issue. */
  id: number
  /** Id of the newest comment of the first page. @default the newest of all */
  newest?: number
}

export interface CommentList {
  /** Newest first. */
  comments: CommentRow[]
  /** Cursor of the next page; undefined on the last. */
  next?: string
}

export interface TagShare {
  name: string
  /** Most frequent first. */
  values: { value: string; events: number; share: number }[]
  /** Events with values that are not listed. */
  others: number
}
