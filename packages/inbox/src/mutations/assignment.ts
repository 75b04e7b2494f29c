import { follow, tellFollowers } from '../alerts/followers.ts'
import { InboxAssigneeInvalid } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { reads, readsProject } from '../store/people.ts'
import { readSelected, recordActivity } from './selection.ts'
import type { Changed, Selection } from './issue-types.ts'

/**
 * Assigns issues to a person who can read their projects. A state that was changed meanwhile is no conflict.
 * @param assignee null for nobody
 * @throws InboxAssigneeInvalid
 */
export function assignIssues(
  store: Store,
  { issues, who, assignee }: Selection & { assignee: number | null },
  now = Date.now()
): Changed {
  const { rows } = readSelected(store, { issues: issues.map(({ id }) => ({ id })) })
  const name = assignee === null ? undefined : findName(store, assignee)
  const changed: number[] = []
  const undo: number[] = []
  for (const issue of rows) {
    if (issue.assignee === assignee) continue
    if (assignee !== null && !readsProject(store, assignee, issue.project)) throw new InboxAssigneeInvalid()
    writeAssignee(store, issue.id, assignee)
    const entry = { issue: issue.id, at: now, who, kind: 'assigned', before: { assignee: issue.assignee } } as const
    undo.push(recordActivity(store, { ...entry, data: name === undefined ? {} : { to: name } }))
    changed.push(issue.id)
    if (assignee !== null) follow(store, issue.id, [assignee])
    tellFollowers(store, { issue: issue.id, project: issue.project, kind: 'assigned', at: now, who, detail: name })
  }
  return { changed, conflicts: [], undo }
}

function findName(store: Store, person: number): string {
  const found = store.get<{ name: string }>('SELECT name FROM person WHERE id = ? AND removed IS NULL', person)
  if (!found) throw new InboxAssigneeInvalid()
  return found.name
}

/** @param assignee nobody if the person was removed or lost the role in the project meanwhile */
export function writeAssignee(store: Store, issue: number, assignee: number | null): void {
  store.write(
    `UPDATE issue SET assignee = (SELECT id FROM person WHERE id = ? AND removed IS NULL AND ${reads('issue.project')})
       WHERE id = ?`,
    assignee,
    issue
  )
}

/** Name of the person to whom an issue is assigned; undefined if it is assigned to nobody. */
export const findAssigneeName = (store: Store, issue: number): string | undefined =>
  store.get<{ name: string }>('SELECT name FROM person WHERE id = (SELECT assignee FROM issue WHERE id = ?)', issue)
    ?.name
