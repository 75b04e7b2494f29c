import { MAX_COUNT, withView, type InboxView } from '../../view.ts'
import type { TitledEvent } from '../../../queries/issues/event-search.ts'
import { MAX_SEARCH_LENGTH } from '../../search/index.ts'
import type { Paging } from '../../view-models/paging.ts'
import { countOf, withCommas } from '../shared/format.ts'
import { SearchForm } from '../search/search-form.tsx'
import { SuggestingInput } from '../search/suggesting-input.tsx'
import { Crumbs, Empty, PageHead, Pager, PlainPager } from '../shared/parts.tsx'
import { Table } from '../shared/table.tsx'
import { Text } from '../shared/text.tsx'
import { TimeAgo } from '../shared/time.tsx'

interface EventListProps {
  /** The issue's id. */
  id: number
  title: string
  view: InboxView
  query: string
  /** Error in the query. */
  error?: string
  /** Newest first. */
  events: TitledEvent[]
  /** All events of the issue; those past the retention period are no longer stored. */
  counted: number
  /** Position of all events; a search has {@link EventListProps.pages}. */
  paging?: Paging
  pages?: { next?: string | undefined; previous?: string | undefined }
  /** Number of events that the search read, if it ended before the page was full. */
  read?: number | undefined
}

/** The events of an issue, of all time. Each links to the issue's page with that event. */
export function EventListView(props: EventListProps) {
  const { id, title, events, counted, paging, pages, read, query, error, view } = props
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
