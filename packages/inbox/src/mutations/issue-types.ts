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
  /** Activity entries, for {@link IssueChanges.undo}. */
  undo: number[]
}

/** Changes of issues, their comments and their followers. */
export interface IssueChanges {
  resolveIssues: (input: Selection & { inNext?: boolean }) => Changed
  /**
   * Ignores issues: until that many more events, until a time, or forever if neither is given.
   * @param events number of further events
   * @param until milliseconds since the epoch
   * @throws InboxIgnoreInvalid
   */
  ignoreIssues: (input: Selection & { events?: number; until?: number }) => Changed
  reopenIssues: (input: Selection) => Changed
  /**
   * Assigns issues to a person who can read their projects. A state that was changed meanwhile is no conflict.
   * @param assignee null for nobody
   * @throws InboxAssigneeInvalid
   */
  assignIssues: (input: Selection & { assignee: number | null }) => Changed
  /**
   * Moves all events, keys and counts of the other issues into `into`.
   * @throws InboxMergeProjects
   * @throws InboxIssueBusy
   */
  mergeIssues: (input: Selection & { into: number }) => Changed
  /**
   * Moves the events of one grouping key into an issue of their own, under its former id if that is free.
   * @throws InboxIssueNotFound
   * @throws InboxKeyAlone
   * @throws InboxIssueBusy
   */
  unmergeKey: (input: { issue: number; key: number; who: Who }) => { issue: number; changed: number[] }
  /** Deletes issues with all their data. A later event creates a new issue. @throws InboxIssueBusy */
  deleteIssues: (input: Selection) => { deleted: number[]; conflicts: Changed['conflicts'] }
  /** Undoes a change of state or a merge. Issues that changed since are reported as conflicts. */
  undo: (input: { activities: number[]; who: Who }) => Changed
  /**
   * Adds a comment to an issue's activity.
   * @returns the entry's id
   * @throws InboxIssueNotFound
   * @throws InboxCommentInvalid
   */
  addComment: (input: { issue: number; text: string; who: Who }) => number
  /**
   * Replaces the text of an own comment.
   * @throws InboxCommentNotFound
   * @throws InboxCommentForeign
   * @throws InboxCommentInvalid
   */
  changeComment: (input: { issue: number; comment: number; text: string; who: Who }) => void
  /** Deletes an own comment. @throws InboxCommentNotFound @throws InboxCommentForeign */
  removeComment: (input: { issue: number; comment: number; who: Who }) => void
  /** Sends a person mails about further changes of an issue. @throws InboxIssueNotFound */
  followIssue: (input: { issue: number; who: Who }) => void
  unfollowIssue: (input: { issue: number; who: Who }) => void
}
