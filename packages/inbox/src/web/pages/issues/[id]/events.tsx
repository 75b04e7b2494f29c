import { notFound, redirect, type Ctx, type MetaCtx, type PageProps } from '@hull/shell/client'
import { requireReader } from '../../../../access/guard.ts'
import { EventListView } from '../../../components/event-list.tsx'
import { errorTitle } from '../../../error-title.ts'
import { MAX_EVENT_COUNT, toView, withView } from '../../../view.ts'
import { clip, toVisibleText } from '@hull/common/visible-text.ts'
import { findIssue } from '../../../view-models/find-issue.ts'
import { toQuery } from '../../../view-models/list-params.ts'
import { readPage, toPaging } from '../../../view-models/paging.ts'

export const layout = 'inbox'

/** Events per page. */
const EVENTS = 50

export async function getData(ctx: Ctx<'/inbox/issues/[id]/events'>) {
  const { search, params } = ctx
  const inbox = await requireReader(ctx)
  const view = toView(search, Date.now())
  const issue = await findIssue(inbox, params.id)
  if (!issue)
    notFound('This issue does not exist. It was deleted, or its last event is older than the retention period.')
  if ('mergedInto' in issue) redirect(withView(`/inbox/issues/${issue.mergedInto}/events?${search}`, view))
  const { id, type, value } = issue
  const { cursor, offset } = readPage(search)
  const query = toQuery(search.get('q') ?? '')
  const base = { id, title: clip(toVisibleText(errorTitle({ type, value })), 100), view, query, counted: issue.events }
  const found = await inbox.queries.findEvents({ id, query, cursor, limit: EVENTS }).catch((error: unknown) => {
    if ((error as { code?: string }).code !== 'APP_INBOX_QUERY_INVALID') throw error
    return { error: (error as Error).message }
  })
  if ('error' in found) return { ...base, error: found.error, events: [] }
  const { events, next, previous, total, read } = found
  if (total === undefined) return { ...base, events, read, pages: { next, previous } }
  return {
    ...base,
    events,
    paging: toPaging({ rows: events.length, size: EVENTS, total, most: MAX_EVENT_COUNT, next, previous }, offset)
  }
}

export const getMeta = ({ data: { title } }: MetaCtx<typeof getData>) => ({
  title: `Events · ${title} · Inbox`,
  robots: 'noindex'
})

export default function IssueEventsPage({ data }: PageProps<typeof getData>) {
  return <EventListView {...data} />
}
