import type { ComponentProps, ReactNode } from 'react'
import { Link } from '@hull/shell/client'
import { eventTitle, ownMessage } from '../../error-title.ts'
import { nameOfUser } from '../../user-name.ts'
import { writeFilter } from '../../search/index.ts'
import { withView, type InboxView } from '../../view.ts'
import type { EventDetail, RequestDetail } from '../../../store/model.ts'
import type { EventView } from '../../../queries/issues/event-types.ts'
import { AttachmentList } from '../shared/attachment-list.tsx'
import { countOf } from '../shared/format.ts'
import { Empty, KeyValues, Section } from '../shared/parts.tsx'
import { Frames, Stack, Threads } from './stack.tsx'
import { Text } from '../shared/text.tsx'
import { Time, TimeAgo } from '../shared/time.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import '../feedback.css'

interface EventProps {
  issue: { id: number }
  event: EventView
  view: InboxView
  /** Link to the raw payloads, for admins only. */
  canSeeRaw: boolean
  /** Waterfall of the event's trace. */
  trace?: ReactNode
}

/** Everything stored about one event of an issue. */
export function EventPart({ issue, event, view, canSeeRaw, trace }: EventProps) {
  const { row, detail, feedback, attachments } = event
  return (
    <>
      <EventBar issue={issue} event={event} view={view} canSeeRaw={canSeeRaw} />
      {feedback.map(({ name, email, message, at, attachments }) => (
        <figure key={`${at}${message}`} className="feedback">
          <blockquote>
            <Text>{message}</Text>
          </blockquote>
          <AttachmentList attachments={attachments} />
          <figcaption className="quiet">
            {name ? <Text max={80}>{name}</Text> : 'Visitor'}
            {email !== undefined && (
              <>
                , <Text max={120}>{email}</Text>
              </>
            )}
            , <TimeAgo at={at} />
          </figcaption>
        </figure>
      ))}
      {detail ? (
        <Detail detail={detail} view={view} trace={trace} />
      ) : (
        <>
          <Empty title="This event was counted but not stored">
            <p>
              So many events of this issue arrived that only some are stored in full.{' '}
              <a href={withView(`/inbox/issues/${issue.id}`, view)}>Show the newest stored event</a>
            </p>
          </Empty>
          {trace}
        </>
      )}
      {attachments.length > 0 && (
        <Section id="attachments" title="Attachments">
          <AttachmentList attachments={attachments} />
        </Section>
      )}
      <p className="quiet small event-id">
        Event <code className="digest">{row.eventId}</code>
        {detail?.digest && (
          <>
            {', digest '}
            <code className="digest">
              <Text max={80}>{detail.digest}</Text>
            </code>
          </>
        )}
        {detail?.sdk && (
          <>
            {', sent by '}
            <Text max={80}>{detail.sdk}</Text>
          </>
        )}
      </p>
    </>
  )
}

/** Identifies the event and links to the others. */
function EventBar({ issue, event: { row, older, newer }, view, canSeeRaw }: EventProps) {
  const to = (eventId: string) => withView(`/inbox/issues/${issue.id}?event=${eventId}`, view)
  return (
    <nav className="event-bar" aria-label="Events">
      <span className="event-ways">
        <ArrowLink href={older && to(older)} label="Older event" rel="prev" path="M7.5 2 3.5 6l4 4" />
        <ArrowLink href={newer && to(newer)} label="Newer event" rel="next" path="m4.5 2 4 4-4 4" />
      </span>
      <span>
        <b>
          <TimeAgo at={row.at} />
        </b>{' '}
        <span className="quiet">
          <Time at={row.at} />
        </span>
      </span>
      <span className="event-facts">
        {(['release', 'environment', 'browser'] as const).map(
          (name) =>
            row[name] && (
              <span key={name}>
                <Text max={60}>{row[name]}</Text>
              </span>
            )
        )}
      </span>
      <a href={withView(`/inbox/issues/${issue.id}/events`, view)}>All events</a>
      {newer && (
        <Link href={withView(`/inbox/issues/${issue.id}`, view)} keepScroll>
          Newest
        </Link>
      )}
      {canSeeRaw && row.hasPayload && (
        <a href={`/inbox/issues/${issue.id}/payload?event=${row.eventId}`} data-document className="event-raw">
          Raw
        </a>
      )}
    </nav>
  )
}

/** Arrow button. Without a target it is disabled but still there, so that nothing moves. */
function ArrowLink({ href, label, rel, path }: { href?: string; label: string; rel: string; path: string }) {
  const arrow = (
    <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  )
  if (!href)
    return (
      <span className="button event-way" aria-hidden="true">
        {arrow}
      </span>
    )
  return (
    <Link className="button event-way" href={href} keepScroll rel={rel} aria-label={label} title={label}>
      {arrow}
    </Link>
  )
}

function Detail({ detail, view, trace }: Pick<EventProps, 'view' | 'trace'> & { detail: EventDetail }) {
  const { exceptions, breadcrumbs, request, contexts, extra, components, tags, threads = [] } = detail
  const reported = exceptions.at(-1)
  const message = ownMessage(detail)
  return (
    <>
      {message && reported && (
        <Section id="message" title="Message">
          <pre className="sample">
            <Text>{message}</Text>
          </pre>
        </Section>
      )}
      <Section id="stack" title={exceptions.length > 0 ? 'Stack' : 'Message'} aside={<Handled exception={reported} />}>
        {exceptions.length > 0 ? (
          <Stack exceptions={exceptions} />
        ) : (
          <pre className="sample">{message && <Text>{message}</Text>}</pre>
        )}
        <Threads threads={threads} />
        {components && components.length > 0 && (
          <details className="components">
            <summary>{`Component stack (${components.length})`}</summary>
            <Frames frames={components} />
          </details>
        )}
      </Section>
      {breadcrumbs.length > 0 && (
        <Section id="before" title="Breadcrumbs">
          <Breadcrumbs breadcrumbs={breadcrumbs} at={detail.at} title={eventTitle(detail)} />
        </Section>
      )}
      {trace}
      {request && <RequestPart request={request} />}
      <ValueSection id="event-tags" title="Tags of this event" label="Tags" rows={tags} />
      <UserPart detail={detail} view={view} />
      <ValueSection
        id="context"
        title="Context"
        rows={Object.entries(contexts).flatMap(([name, values]) =>
          Object.entries(values).map(([key, value]) => [`${name}.${key}`, value] as const)
        )}
      />
      <ValueSection id="extra" title="Extra" rows={Object.entries(extra)} />
    </>
  )
}

interface ValueSectionProps extends Pick<ComponentProps<typeof KeyValues>, 'rows'> {
  id: string
  title: string
  /** @default the title */
  label?: string
}

/** Section with names and values; nothing without any. */
function ValueSection({ id, title, label = title, rows }: ValueSectionProps) {
  if (rows.length === 0) return null
  return (
    <Section id={id} title={title}>
      <KeyValues label={label} rows={rows} />
    </Section>
  )
}

function Handled({ exception }: { exception?: EventDetail['exceptions'][number] }) {
  if (!exception || (exception.handled === undefined && !exception.mechanism)) return null
  return (
    <span className="small">
      {exception.handled === false ? 'Unhandled' : exception.handled ? 'Handled' : 'Reported'}
      {exception.mechanism && (
        <>
          {' by '}
          <Text max={60}>{exception.mechanism}</Text>
        </>
      )}
    </span>
  )
}

function RequestPart({ request: { method, url, query, headers, cookies, body } }: { request: RequestDetail }) {
  return (
    <Section id="request" title="Request">
      <p className="request-line">
        {method && (
          <b>
            <Text max={20}>{method}</Text>
          </b>
        )}{' '}
        {url && <Text max={2_000}>{url}</Text>}
        {query && (
          <span className="quiet">
            ?<Text max={2_000}>{query}</Text>
          </span>
        )}
      </p>
      {headers.length > 0 && <KeyValues label="Headers" rows={headers} />}
      {cookies.length > 0 && (
        <details>
          <summary>{countOf(cookies.length, 'cookie')}</summary>
          <KeyValues label="Cookies" rows={cookies} />
        </details>
      )}
      {body && (
        <pre className="sample request-body">
          <Text>{body}</Text>
        </pre>
      )}
    </Section>
  )
}

function UserPart({ detail: { user, os, route, url }, view }: { detail: EventDetail; view: InboxView }) {
  const known = user && nameOfUser(user)
  const href =
    known && withView(`/inbox/issues?${new URLSearchParams({ q: writeFilter({ name: 'user', value: known }) })}`, view)
  const toRow = (name: string, value: string | undefined) => [name, value, value === known ? href : undefined] as const
  const rows: Array<readonly [string, string | undefined, (string | undefined)?]> = [
    toRow('id', user?.id),
    toRow('name', user?.name),
    toRow('email', user?.email),
    ...Object.entries(user?.data ?? {}),
    ['operating system', os],
    ['route', route],
    ['page', url]
  ]
  const shown = rows.flatMap(([name, value, href]) => (value ? [[name, value, href] as const] : []))
  return <ValueSection id="visitor" title="Visitor" rows={shown} />
}
