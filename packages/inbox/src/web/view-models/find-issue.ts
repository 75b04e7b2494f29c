import { toId } from '../../to-id.ts'
import type { Inbox } from '../../store/inbox.ts'
import type { IssueDetail } from '../../queries/issue-types.ts'

/** Finds the issue of an address, or the one it was merged into; undefined if there is neither. */
export async function findIssue(
  { queries }: Pick<Inbox, 'queries'>,
  name: string
): Promise<IssueDetail | { mergedInto: number } | undefined> {
  const id = toId(name)
  if (id === 0) return undefined
  try {
    return await queries.getIssue({ id })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'APP_INBOX_ISSUE_NOT_FOUND') throw error
    const mergedInto = await queries.findMerged({ id })
    return mergedInto === undefined ? undefined : { mergedInto }
  }
}
