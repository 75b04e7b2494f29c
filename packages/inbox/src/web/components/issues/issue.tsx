import { useMemo } from 'react'
import { Link, useRoute, type PageProps } from '@hull/shell/client'
import type { getData } from '../../pages/issues/[id].tsx'
import { SubmitButton } from '../shared/controls.tsx'
import { withView, type InboxView } from '../../view.ts'
import type { EventView } from '../../../queries/issues/event-types.ts'
import type { Waterfall as WaterfallData } from '../../view-models/waterfall.ts'
import { Activity } from './activity.tsx'
import { CommentForm, type RefusedComment } from './comment.tsx'
import { FlashMessageView } from '../shared/flash-message.tsx'
import { EventPart } from './event.tsx'
import { useStableList } from '../shared/use-stable-list.ts'
import { IssueFigures, IssueHead } from './issue-head.tsx'
import { Lanes } from '../charts/lanes.tsx'
import { useLive } from '../shared/live.ts'
import { formatCount, withCommas } from '../shared/format.ts'
import { SourceRepository } from './stack.tsx'
import { Announcement } from '../shared/announcement.tsx'
import { Empty, ErrorNotice, Section } from '../shared/parts.tsx'
import { useRangeWords } from '../shared/pickers.tsx'
import { TagShares, toIssuesHref, toTagsHref } from './tag-shares.tsx'
import { Waterfall } from '../traces/waterfall.tsx'
import { GroupingReasons } from './grouping-reasons.tsx'
import './issue.css'

type IssueProps = PageProps<typeof getData>['data'] & {
  /** Why another change was refused. */
  error?: string
  refused?: RefusedComment
}

/** Minimum milliseconds between two updates of an issue. */
const PAUSE = 3_000

/** The event on display. */
interface ShownEvent {
  event?: EventView
  trace?: WaterfallData
  /** There was a newer event when the page was opened. */
  hadNewer: boolean
}

const renewEvent = (shown: ShownEvent, next: ShownEvent): ShownEvent =>
  idOf(next) === idOf(shown) ? { ...next, hadNewer: shown.hadNewer } : shown

const idOf = ({ event }: Pick<ShownEvent, 'event'>) => event?.row.eventId

/** An issue's page: title, actions, and one of its events, which stays on display while new events arrive. */
export function IssueView(props: IssueProps) {
  const { issue, tags, series, releases, view, flash, canChange, people, isAdmin, error, refused, repository } = props
  const words = useRangeWords(view)
  useLive(PAUSE, issue.id)
  const next = useMemo(
    (): ShownEvent => ({
      event: props.event,
      trace: props.trace,
      hadNewer: props.event?.newer !== undefined
    }),
    [props.event, props.trace]
  )
  const {
    shown: { event, trace, hadNewer }
  } = useStableList(next, useRoute().search.toString(), renewEvent)
  const eventId = idOf({ event })
  const isNewer = idOf(props) !== eventId || (!hadNewer && event?.newer !== undefined)
  const here = withView(`/inbox/issues/${issue.id}${eventId === undefined ? '' : `?event=${eventId}`}`, view)
  const inRange = series.points.reduce<number>((sum, point) => sum + (point ?? 0), 0)
  return (
    <article className="issue">
      {error && <ErrorNotice isFloating>{error}</ErrorNotice>}
      <FlashMessageView flash={flash} action={here} />
      <IssueHead {...props} eventId={eventId} action={here} canDelete={isAdmin} />
      <IssueFigures issue={issue} />
      <Lanes
        lanes={[
          {
            name: 'Events',
            value: formatCount(inRange),
            note: words,
            series,
            kind: 'bars',
            format: withCommas
          }
        ]}
        releases={releases}
      />
      <div className="issue-columns">
        <div className="issue-main">
          <p className="new-rows">
            {isNewer && (
              <Link className="button" href={withView(`/inbox/issues/${issue.id}`, view)} keepScroll>
                A newer event arrived: show it
              </Link>
            )}
          </p>
          <Announcement text={isNewer ? 'A newer event arrived' : undefined} />
          {event ? (
            <SourceRepository value={repository}>
              <EventPart
                issue={issue}
                event={event}
                view={view}
                canSeeRaw={isAdmin}
                trace={trace && <TracePart trace={trace} view={view} />}
              />
            </SourceRepository>
          ) : (
            <Empty title="The events of this issue were deleted to free space">
              <p>The next one will appear here.</p>
            </Empty>
          )}
        </div>
        <aside className="issue-rail" aria-label="All events">
          {tags.length > 0 && (
            <Section id="tags" title="Tags" aside={<a href={toTagsHref(issue.id, view)}>All tags</a>}>
              <TagShares
                tags={tags}
                headings="h3"
                tagHref={(name) => toTagsHref(issue.id, view, name)}
                valueHref={(name, value) => toIssuesHref(view, name, value)}
              />
            </Section>
          )}
          <Section id="activity" title="Activity">
            {canChange && (
              <CommentForm
                action={here}
                label="Comment"
                refused={refused?.id === undefined ? refused : undefined}
                draft={String(issue.id)}
                people={people}
              >
                <SubmitButton name="do" value="comment" label="Add comment" />
              </CommentForm>
            )}
            <Activity {...props} activity={issue.activity} action={here} />
            {issue.hasMoreActivity && <p className="quiet small">Older entries are not shown.</p>}
          </Section>
          <Section id="why" title="Why are these grouped?">
            <GroupingReasons keys={issue.keys} action={here} canChange={canChange} />
          </Section>
        </aside>
      </div>
    </article>
  )
}

function TracePart({ trace, view }: { trace: WaterfallData; view: InboxView }) {
  const href = withView(`/inbox/traces/${trace.traceId}`, view)
  return (
    <Section id="trace" title="Trace" aside={<a href={href}>Full trace</a>}>
      <Waterfall
        waterfall={trace}
        hrefOf={(spanId) => withView(`/inbox/traces/${trace.traceId}?span=${spanId}`, view)}
      />
    </Section>
  )
}
