import { isAtLeast, roleIn } from '../../access/roles.ts'
import type { Reader } from '../../access/guard.ts'
import type { IssueListQuery } from '../../queries/issues/issue-types.ts'
import { MAX_CHANGED } from '../view.ts'

/** Issues to read at a time. */
const ROWS = 200

/** Changes of the selected issues only: a merge is of some, and a removal cannot be undone. */
const OF_SELECTED = new Set<unknown>(['merge', 'delete', 'undo'])

/** Whether the form of the list requests a change of all matching issues. */
export const isOfMatching = (form: FormData): boolean =>
  form.get('all') === 'matching' && !OF_SELECTED.has(form.get('do'))

/** Selects in a form the issues of a list that the person may change, at most {@link MAX_CHANGED}, in its order. */
export async function selectMatching(
  { queries, person }: Pick<Reader, 'queries' | 'person'>,
  form: FormData,
  input: IssueListQuery
): Promise<void> {
  const issues: string[] = []
  let cursor: string | undefined
  do {
    const list = await queries.listIssues({ ...input, limit: ROWS, cursor })
    for (const { id, version, project } of list.issues)
      if (isAtLeast(roleIn(person, project), 'member')) issues.push(`${id}:${version}`)
    cursor = list.next
  } while (cursor !== undefined && issues.length < MAX_CHANGED)
  form.delete('issue')
  for (const issue of issues.slice(0, MAX_CHANGED)) form.append('issue', issue)
}
