import { isErrorCode } from '@hull/common/is-error-code.ts'
import type { Ctx, MetaCtx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../../../access/guard.ts'
import { shortTitle } from '../../../error-title.ts'
import { toView, MAX_COUNT, withView, type InboxView } from '../../../view.ts'
import { getShownIssue } from '../../../view-models/find-issue.ts'
import { toQuery } from '../../../view-models/list-params.ts'
import { readPage, toPaging } from '../../../view-models/paging.ts'
import type { FoundEvents, TitledEvent } from '../../../../queries/issues/event-search.ts'
import { MAX_SEARCH_LENGTH } from '../../../search/index.ts'
import { countOf, withCommas } from '../../../components/shared/format.ts'
import { SearchForm } from '../../../components/search/search-form.tsx'
import { SuggestingInput } from '../../../components/search/suggesting-input.tsx'
import { Crumbs, Empty, PageHead, Pager, PlainPager } from '../../../components/shared/parts.tsx'
import { Table } from '../../../components/shared/table.tsx'
import { Text } from '../../../components/shared/text.tsx'
import { TimeAgo } from '../../../components/shared/time.tsx'

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
  const reading = inbox.queries.findEvents({ id, query, cursor, limit: EVENTS })
  const found: Partial<FoundEvents> & { error?: string } = await reading.catch((error: unknown) => {
    if (!isErrorCode(error, 'APP_INBOX_QUERY_INVALID')) throw error
    return { error: (error as Error).message }
  })
  const { events = [], next, previous, total, read, error } = found
  return {
    id,
    title: shortTitle(issue),
    view,
    query,
    counted: issue.events,
    events,
    ...(error !== undefined && { error }),
    ...(read !== undefined && { read }),
    // A search is not counted, so its pages have no position.
    ...(total === undefined && { pages: { next, previous } }),
    ...(total !== undefined && {
      paging: toPaging({ rows: events.length, size: EVENTS, total, next, previous }, offset)
    })
  }
}

export const getMeta = ({ data: { title } }: MetaCtx<typeof getData>) => ({
  title: `Events · ${title} · Inbox`,
  robots: 'noindex'
})

/** The events of an issue, of all time. Each links to the issue's page with that event. */
export default function IssueEventsPage({ data }: PageProps<typeof getData>) {
  const { id, title, events, counted, paging, pages, read, query, error, view } = data
  const issue = withView(`/inbox/issues/${id}`, view)
  const path = `/inbox/issues/${id}/events`
  const here = withView(query === '' ? path : `${path}?${new URLSearchParams({ q: query })}`, view)
  return (
    <article className="part">
      <Crumbs
        above={[
          { href: withView('/inbox/issues', view), label: 'Issues' },
          { href: issue, label: title }
        ]}
        here="Events"
      />
      <PageHead title="Events">
        {paging && counted > paging.total && paging.total <= MAX_COUNT && (
          <p className="quiet">
            {`${withCommas(paging.total)} stored of ${countOf(counted, 'event')} in total; older ones are past the retention period`}
          </p>
        )}
      </PageHead>
      <SearchForm action={path} label="Events" view={view} error={error}>
        <SuggestingInput
          scope={{ issue: id }}
          query={query}
          label="Search events"
          placeholder="release:1.4.2 user:7 tag:colour=red, words"
          maxLength={MAX_SEARCH_LENGTH}
          error={error}
        />
      </SearchForm>
      {read !== undefined && (
        <p className="notice" role="status">
          {`The search read ${countOf(read, 'event')} and is not complete: the next page continues it.`}
        </p>
      )}
      {events.length > 0 ? (
        <Table columns={['Time', 'Message', 'Release', 'Environment', 'Browser', 'URL', 'User', 'Trace']}>
          {events.map((event) => (
            <EventLine key={event.eventId} id={id} event={event} view={view} />
          ))}
        </Table>
      ) : (
        !error && (
          <Empty title="No matching events">
            <p>
              <a href={withView(path, view)}>Show all events</a>
            </p>
          </Empty>
        )
      )}
      {paging && <Pager paging={paging} here={here} isByTime />}
      {pages && <PlainPager list={pages} here={here} />}
    </article>
  )
}

function EventLine({ id, event, view }: { id: number; event: TitledEvent; view: InboxView }) {
  const { eventId, at, title, release, environment, browser, url, user, visitor, traceId } = event
  const cells = [
    [title, 120],
    [release, 60],
    [environment, 60],
    [browser, 60],
    [url, 60],
    [user ?? visitor, user === undefined ? 20 : 40]
  ] as const
  return (
    <tr data-row={eventId}>
      <th scope="row">
        <a href={withView(`/inbox/issues/${id}?event=${eventId}`, view)} data-row-link>
          <TimeAgo at={at} />
        </a>
      </th>
      {cells.map(([value, max], i) => (
        // oxlint-disable-next-line react/no-array-index-key
        <td key={i}>{value !== undefined && <Text max={max}>{value}</Text>}</td>
      ))}
      <td className="nowrap">
        {traceId !== undefined && (
          <a className="mono" href={withView(`/inbox/traces/${traceId}`, view)} title={traceId}>
            {traceId.slice(0, 8)}
          </a>
        )}
      </td>
    </tr>
  )
}
