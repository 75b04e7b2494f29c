import { MAX_EVENT_COUNT, withView, type InboxView } from '../view.ts'
import type { EventRow } from '../../queries/types.ts'
import type { Paging } from '../view-models/paging.ts'
import { countOf, withCommas } from './numbers.ts'
import { Crumbs, Pager } from './parts.tsx'
import { Text } from './text.tsx'
import { TimeAgo } from './time.tsx'

interface EventListProps {
  /** The issue's id. */
  id: number
  title: string
  /** Newest first. */
  events: EventRow[]
  /** All events of the issue; those past the retention period are no longer stored. */
  counted: number
  paging: Paging
  view: InboxView
}

/** The events of an issue, of all time. Each links to the issue's page with that event. */
export function EventListView({ id, title, events, counted, paging, view }: EventListProps) {
  const issue = withView(`/inbox/issues/${id}`, view)
  const here = withView(`/inbox/issues/${id}/events`, view)
  return (
    <article className="part">
      <Crumbs
        above={[
          { href: withView('/inbox/issues', view), label: 'Issues' },
          { href: issue, label: title }
        ]}
        here="Events"
      />
      <header className="page-head">
        <h1>Events</h1>
        {counted > paging.total && paging.total <= MAX_EVENT_COUNT && (
          <p className="quiet">
            {`${withCommas(paging.total)} stored of ${countOf(counted, 'event')} in total; older ones are past the retention period`}
          </p>
        )}
      </header>
      <div className="table-wrap">
        <table className="table table-stacked">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Release</th>
              <th scope="col">Environment</th>
              <th scope="col">Browser</th>
              <th scope="col">URL</th>
            </tr>
          </thead>
          <tbody>
            {events.map(({ eventId, at, release, environment, browser, url }) => (
              <tr key={eventId} data-row={eventId}>
                <th scope="row">
                  <a href={withView(`/inbox/issues/${id}?event=${eventId}`, view)} data-row-link>
                    <TimeAgo at={at} />
                  </a>
                </th>
                {[release, environment, browser, url].map((value, i) => (
                  // oxlint-disable-next-line react/no-array-index-key
                  <td key={i}>{value !== undefined && <Text max={80}>{value}</Text>}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pager paging={paging} here={here} most={MAX_EVENT_COUNT} previousLabel="Newer" nextLabel="Older" />
    </article>
  )
}
