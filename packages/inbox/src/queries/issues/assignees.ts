import { askReaders } from '../../store/people.ts'
import type { Store } from '../../store/store.ts'
import { askIssue } from './require-issue.ts'
import { projectsOf } from '../scope.ts'
import type { Assignee } from './issue-types.ts'

/** Asks for the people who can read a project, or one of those that the person reads, by name. */
export function askAssignees(store: Store, { project }: { project?: number }): () => Assignee[] {
  const readers = askReaders(store, projectsOf(store, project))
  return () => readers().map(({ id, name }) => ({ id, name }))
}

/** Asks whether a person follows an issue. The result throws InboxIssueNotFound. */
export function askFollowing(store: Store, { issue, person }: { issue: number; person: number }): () => boolean {
  const requireIssue = askIssue(store, issue)
  const rows = store.ask('SELECT 1 FROM issue_follower WHERE issue = ? AND person = ?', issue, person)
  return () => {
    requireIssue()
    return rows().length > 0
  }
}
