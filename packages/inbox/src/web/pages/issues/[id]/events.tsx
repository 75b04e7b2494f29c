import { isErrorCode } from '@hull/common/is-error-code.ts'
import type { Ctx, MetaCtx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../../../access/guard.ts'
import { EventListView } from '../../../components/issues/event-list.tsx'
import { shortTitle } from '../../../error-title.ts'
import { toView } from '../../../view.ts'
import { getShownIssue } from '../../../view-models/find-issue.ts'
import { toQuery } from '../../../view-models/list-params.ts'
import { readPage, toPaging } from '../../../view-models/paging.ts'

export const layout = 'inbox'

/** Events per page. */
const EVENTS = 50

export async function getData(ctx: Ctx<'/inbox/issues/[id]/events'>) {
  const { search } = ctx
  const inbox = await requireReader(ctx)
  const view = toView(search, Date.now())
  const issue = await getShownIssue(inbox, ctx, view, '/events')
  const { id } = issue
  const { cursor, offset } = readPage(search)
  const query = toQuery(search.get('q') ?? '')
  const base = { id, title: shortTitle(issue), view, query, counted: issue.events }
  const found = await inbox.queries.findEvents({ id, query, cursor, limit: EVENTS }).catch((error: unknown) => {
    if (!isErrorCode(error, 'APP_INBOX_QUERY_INVALID')) throw error
    return { error: (error as Error).message }
  })
  if ('error' in found) return { ...base, error: found.error, events: [] }
  const { events, next, previous, total, read } = found
  if (total === undefined) return { ...base, events, read, pages: { next, previous } }
  return {
    ...base,
    events,
    paging: toPaging({ rows: events.length, size: EVENTS, total, next, previous }, offset)
  }
}

export const getMeta = ({ data: { title } }: MetaCtx<typeof getData>) => ({
  title: `Events · ${title} · Inbox`,
  robots: 'noindex'
})

export default function IssueEventsPage({ data }: PageProps<typeof getData>) {
  return <EventListView {...data} />
}
