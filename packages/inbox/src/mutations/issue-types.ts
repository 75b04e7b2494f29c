import type { IssueState } from '../store/model.ts'
import type { Who } from './author.ts'

/**
 * Issues to change, at most 1,000, with the version that the user saw; without a version, the change is made in any
 * case. Deleted issues, and issues that the change does not apply to, are not in `changed`.
 */
export interface Selection {
  issues: { id: number; version?: number }[]
  who: Who
}

export interface Changed {
  /** Ids of the changed issues. */
  changed: number[]
  /** Ids of issues that somebody else changed in the meantime; they were not changed again. */
  conflicts: { id: number; state: IssueState; who?: string; at: number }[]
  /** Activity entries, for the mutation `undo`. */
  undo: number[]
}
