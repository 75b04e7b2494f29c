import { isErrorCode } from '@hull/common/is-error-code.ts'
import { DAY } from '@hull/common/time.ts'
import { clip } from '@hull/common/visible-text.ts'
import type { Inbox } from '../../store/inbox.ts'
import type { IssueDetail, IssueRow } from '../../queries/issues/issue-types.ts'
import { clipIssue } from './clip.ts'
import { findIssue } from './find-issue.ts'

/** Maximum issues in one address: a page of the list. */
const MAX_PICKED = 50

/** Maximum candidates to offer for a merge. */
const CANDIDATES = 10

/** Milliseconds to search back for candidates: longer than any retention period. */
const LOOK_BACK = 400 * DAY

/** Maximum characters of a search. */
const MAX_QUERY = 500

/** An issue on the merge page. */
export type PickedIssue = Pick<
  IssueRow,
  'id' | 'project' | 'type' | 'value' | 'culprit' | 'events' | 'firstSeen' | 'version'
>

/** The issues in an address, `?issue=12&issue=14`, sorted by events, then by age. */
export async function readPicked(inbox: Pick<Inbox, 'queries'>, search: URLSearchParams): Promise<PickedIssue[]> {
  const ids = [...new Set(search.getAll('issue'))].slice(0, MAX_PICKED)
  const found = await Promise.all(ids.map((id) => findIssue(inbox, id)))
  return found
    .filter((issue): issue is IssueDetail => issue !== undefined && !('mergedInto' in issue))
    .map(toPicked)
    .toSorted((a, b) => b.events - a.events || a.id - b.id)
}

/**
 * Candidates to merge with the selected issues: results of the search, or issues of the same type. Excludes issues of
 * other projects, which cannot be merged.
 */
export async function findCandidates(
  { queries }: Pick<Inbox, 'queries'>,
  { issues, query, now }: { issues: PickedIssue[]; query: string | null; now: number }
): Promise<{ candidates: PickedIssue[]; query: string; queryError?: string }> {
  const [first] = issues
  const typed = clip(query?.trim() ?? '', MAX_QUERY)
  if (!first) return { candidates: [], query: typed }
  const picked = new Set(issues.map(({ id }) => id))
  const view = { since: now - LOOK_BACK, until: now, project: first.project }
  const words = typed === '' ? `"${first.type.replaceAll('"', ' ').slice(0, 200)}"` : typed
  try {
    const list = await queries.listIssues({ view, query: words, limit: CANDIDATES + picked.size })
    const candidates = list.issues.filter(({ id }) => !picked.has(id)).slice(0, CANDIDATES)
    return { candidates: candidates.map(toPicked), query: typed }
  } catch (error) {
    if (!isErrorCode(error, 'APP_INBOX_QUERY_INVALID')) throw error
    return { candidates: [], query: typed, queryError: (error as Error).message }
  }
}

function toPicked(issue: IssueRow): PickedIssue {
  const { id, project, type, value, culprit, events, firstSeen, version } = clipIssue(issue)
  return { id, project, type, value, culprit, events, firstSeen, version }
}
