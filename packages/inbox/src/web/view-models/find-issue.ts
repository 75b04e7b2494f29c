import { isErrorCode } from '@hull/common/is-error-code.ts'
import { notFound, redirect, type Ctx } from '@hull/shell/client'
import { toId } from '../../to-id.ts'
import { withView, type InboxView } from '../view.ts'
import type { Inbox } from '../../store/inbox.ts'
import type { IssueDetail } from '../../queries/issues/issue-types.ts'

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
    if (!isErrorCode(error, 'APP_INBOX_ISSUE_NOT_FOUND')) throw error
    const mergedInto = await queries.findMerged({ id })
    return mergedInto === undefined ? undefined : { mergedInto }
  }
}

/**
 * The issue of a page's address. The address of an issue that was merged leads to the same page of the other one.
 * @param page what follows the issue in the address, such as `/events`. @default the issue's own page
 */
export async function getShownIssue(
  inbox: Pick<Inbox, 'queries'>,
  { params, search }: Pick<Ctx<'/inbox/issues/[id]'>, 'params' | 'search'>,
  view: InboxView,
  page = ''
): Promise<IssueDetail> {
  const issue = await findIssue(inbox, params.id)
  if (!issue)
    notFound('This issue does not exist. It was deleted, or its last event is older than the retention period.')
  if ('mergedInto' in issue) redirect(withView(`/inbox/issues/${issue.mergedInto}${page}?${search}`, view))
  return issue
}
