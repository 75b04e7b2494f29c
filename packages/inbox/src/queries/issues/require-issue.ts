import { InboxIssueNotFound } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { canSee, visibleOf } from '../scope.ts'
import { isAmong, toList } from '../sql.ts'

/** Project of an issue. @throws InboxIssueNotFound */
export const requireIssue = (store: Store, id: number): { project: number } => askIssue(store, id)()

/** Asks for the project of an issue. The result throws InboxIssueNotFound. */
export function askIssue(store: Store, id: number): () => { project: number } {
  const read = askProject(store, id)
  return () => {
    const project = read()
    if (project === undefined) throw new InboxIssueNotFound()
    return { project }
  }
}

function askProject(store: Store, id: number): () => number | undefined {
  const rows = store.ask<{ project: number }>('SELECT project FROM issue WHERE id = ?', id)
  return () => {
    const [issue] = rows()
    return issue && canSee(store, issue.project) ? issue.project : undefined
  }
}

/** Asks whether the issue exists for the person for whom the query runs. Reads nothing if the query is for everybody. */
export function askIsVisible(store: Store, id: number): () => boolean {
  if (store.grants === undefined) return () => true
  const project = askProject(store, id)
  return () => project() !== undefined
}

/** Projects of issues, and of the issues of activity entries. Unknown ids are left out. */
export function findProjects(
  store: Store,
  { issues = [], activities = [] }: { issues?: number[]; activities?: number[] }
): { id: number; project: number }[] {
  const rows = [
    ...store.all<{ id: number; project: number }>(
      `SELECT id, project FROM issue WHERE ${isAmong('id')}`,
      toList(issues)
    ),
    ...store.all<{ id: number; project: number }>(
      `SELECT activity.id, issue.project FROM activity JOIN issue ON issue.id = activity.issue
       WHERE ${isAmong('activity.id')}`,
      toList(activities)
    )
  ]
  return visibleOf(store, rows).map(({ id, project }) => ({ id, project }))
}
