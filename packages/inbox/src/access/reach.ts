import { InboxIssueNotFound, InboxRoleTooLow } from '../errors.ts'
import type { Changes } from '../mutations/index.ts'
import type { Queries } from '../queries/index.ts'
import type { Inbox, Promised } from '../store/inbox.ts'
import type { Role } from '../store/model.ts'
import { isAtLeast, roleIn, seesAll, type Grants } from './roles.ts'

/** Role in the project that each change of issues needs. */
export const ISSUE_CHANGES = {
  resolveIssues: 'member',
  ignoreIssues: 'member',
  reopenIssues: 'member',
  assignIssues: 'member',
  mergeIssues: 'member',
  unmergeKey: 'member',
  undo: 'member',
  addComment: 'member',
  changeComment: 'member',
  removeComment: 'member',
  followIssue: 'viewer',
  unfollowIssue: 'viewer',
  deleteIssues: 'admin'
} as const satisfies { [Name in keyof Changes]?: Role }

type IssueChanges = Pick<Promised<Changes>, keyof typeof ISSUE_CHANGES>

/** The part of the inbox that a person's roles reach: other projects do not exist in it. */
export interface Reach {
  queries: Promised<Queries>
  changes: IssueChanges
}

interface Targets {
  issues?: { id: number; version?: number }[]
  issue?: number
  into?: number
  activities?: number[]
}

/** Limits an inbox to the projects and rights of a person, as they are now. */
export function toReach(
  { queries, queriesFor, changes }: Pick<Inbox, 'queries' | 'queriesFor' | 'changes'>,
  grants: Grants
): Reach {
  const isWhole = seesAll(grants) && Object.keys(grants.projects).length === 0
  if (isWhole && grants.role === 'admin') return { queries, changes }
  const reached = seesAll(grants) ? queries : queriesFor({ role: grants.role, projects: grants.projects })
  const checked = Object.entries(ISSUE_CHANGES).map(([name, least]) => [
    name,
    async (input: Targets) =>
      (changes[name as keyof typeof ISSUE_CHANGES] as (input: Targets) => Promise<unknown>)(
        await checkTargets(reached, grants, least, input)
      )
  ])
  return { queries: reached, changes: Object.fromEntries(checked) as IssueChanges }
}

/**
 * Leaves out issues that the person does not see.
 * @throws InboxIssueNotFound if the change is about an issue that the person does not see
 * @throws InboxRoleTooLow if the person has a lower role in a project
 */
async function checkTargets(queries: Reach['queries'], grants: Grants, least: Role, input: Targets): Promise<Targets> {
  const { issues, issue, into, activities } = input
  const needed = [issue, into].filter((id) => id !== undefined)
  const found = await queries.findProjects({
    issues: [...needed, ...(issues ?? []).map(({ id }) => id)],
    ...(activities && { activities })
  })
  if (found.some(({ project }) => !isAtLeast(roleIn(grants, project), least))) throw new InboxRoleTooLow(least)
  const seen = new Set(found.map(({ id }) => id))
  const visible = issues?.filter(({ id }) => seen.has(id))
  if (needed.some((id) => !seen.has(id)) || (issues?.length && visible?.length === 0)) throw new InboxIssueNotFound()
  return {
    ...input,
    ...(visible && { issues: visible }),
    ...(activities && { activities: activities.filter((id) => seen.has(id)) })
  }
}
