import { notFound, redirect, type Ctx, type MetaCtx, type PageProps } from '#shell'
import { EventListView } from '../../../../components/inbox/event-list.tsx'
import { errorTitle } from '../../../../../lib/common/error-title.ts'
import { toView, withView } from '../../../../../lib/common/inbox-view.ts'
import { clip, toVisibleText } from '../../../../../lib/common/visible-text.ts'
import { findIssue } from '../../../../../lib/inbox/screens/find-issue.ts'

export const layout = 'inbox'

/** Events on a page. */
const EVENTS = 50

export async function getData({ server, search, params }: Ctx<'/inbox/issues/[id]/events'>) {
  const inbox = server.inbox!
  const view = toView(search, Date.now())
  const issue = await findIssue(inbox, params.id)
  if (!issue)
    notFound('This issue does not exist. It was deleted, or its last event is older than the retention period.')
  if ('mergedInto' in issue) redirect(withView(`/inbox/issues/${issue.mergedInto}/events`, view), { replace: true })
  const { id, type, value } = issue
  const list = await inbox.queries.listEvents({ id, cursor: search.get('cursor') ?? undefined, limit: EVENTS })
  return {
    id,
    title: clip(toVisibleText(errorTitle({ type, value })), 100),
    view,
    isFirst: !search.has('cursor'),
    ...list
  }
}

export const getMeta = ({ data: { title } }: MetaCtx<typeof getData>) => ({
  title: `Events · ${title} · Inbox`,
  robots: 'noindex'
})

export default function IssueEventsPage({ data }: PageProps<typeof getData>) {
  return <EventListView {...data} />
}
