import { clip } from '@hull/common/visible-text.ts'
import type { Inbox } from '../../store/inbox.ts'
import type { IssueDetail, IssueRow } from '../../queries/types.ts'
import { clipIssue } from './clip.ts'
import { findIssue } from './find-issue.ts'

/** Issues that one address may name: a page of the list. */
const MAX_PICKED = 50

/** Issues offered for a merge. */
const CANDIDATES = 10

/** Milliseconds back that candidates are looked for: longer than any retention keeps. */
const LOOK_BACK = 400 * 86_400_000

/** Characters of a search. */
const MAX_QUERY = 500

/** An issue as the merge page shows it. */
export type PickedIssue = Pick<
  IssueRow,
  'id' | 'project' | 'type' | 'value' | 'culprit' | 'events' | 'firstSeen' | 'lastSeen' | 'version'
>

/** The issues that an address names, `?issue=12&issue=14`, the one with the most events first; of equals the oldest. */
export async function readPicked(inbox: Pick<Inbox, 'queries'>, search: URLSearchParams): Promise<PickedIssue[]> {
  const ids = [...new Set(search.getAll('issue'))].slice(0, MAX_PICKED)
  const found = await Promise.all(ids.map((id) => findIssue(inbox, id)))
  return found
    .filter((issue): issue is IssueDetail => issue !== undefined && !('mergedInto' in issue))
    .map(toPicked)
    .toSorted((a, b) => b.events - a.events || a.id - b.id)
}

/**
 * Issues to merge with the picked ones: what a search finds, or without one issues of the same type. Those of another
 * project are left out, since they cannot be merged.
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
    if ((error as { code?: unknown }).code !== 'APP_INBOX_QUERY_INVALID') throw error
    return { candidates: [], query: typed, queryError: (error as Error).message }
  }
}

function toPicked(issue: IssueRow): PickedIssue {
  const { id, project, type, value, culprit, events, firstSeen, lastSeen, version } = clipIssue(issue)
  return { id, project, type, value, culprit, events, firstSeen, lastSeen, version }
}
