import { InboxIssueNotFound } from '../errors.ts'
import type { Store } from '../store/store.ts'

/** Project of an issue. @throws InboxIssueNotFound */
export function requireIssue(store: Store, id: number): { project: number } {
  const issue = store.get<{ project: number }>('SELECT project FROM issue WHERE id = ?', id)
  if (!issue) throw new InboxIssueNotFound()
  return issue
}
