import { listReaders } from '../store/people.ts'
import type { Store } from '../store/store.ts'
import { askIssue } from './require-issue.ts'
import { projectsOf } from './scope.ts'
import type { Assignee } from './types.ts'

/** People who can read a project, or one of those that the person reads. */
export const listAssignees = (store: Store, { project }: { project?: number }): Assignee[] =>
  listReaders(store, projectsOf(store, project)).map(({ id, name }) => ({ id, name }))

/** @throws InboxIssueNotFound */
export function isFollowing(store: Store, { issue, person }: { issue: number; person: number }): boolean {
  const requireIssue = askIssue(store, issue)
  const rows = store.ask('SELECT 1 FROM issue_follower WHERE issue = ? AND person = ?', issue, person)
  requireIssue()
  return rows().length > 0
}
