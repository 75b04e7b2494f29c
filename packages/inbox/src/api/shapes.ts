import { z } from 'zod'
import { errorTitle } from '../web/error-title.ts'
import type { CommentRow, IssueDetail, IssueRow } from '../queries/issue-types.ts'
import type { EventRow, EventView } from '../queries/event-types.ts'
import type { ReleaseRow } from '../queries/release-types.ts'
import type { FeedbackRow } from '../queries/feedback.ts'
import type { SavedSearch } from '../queries/saved-searches.ts'
import type { TraceRow, TraceView } from '../queries/trace-types.ts'

/* Results of the API: their schemas, and their conversion from the results of queries. Times are ISO 8601 in UTC. */

const time = z.iso.datetime()
const toTime = (at: number) => new Date(at).toISOString()

export const Project = z.object({ id: z.int(), name: z.string(), created: time })

export const Issue = z.object({
  id: z.int(),
  project: z.int(),
  title: z.string().describe('Type and message of the error'),
  culprit: z.string().describe('File and function that threw the error, or the route'),
  level: z.enum(['fatal', 'error', 'warning', 'info', 'debug']),
  side: z.enum(['browser', 'server']),
  state: z.enum(['unresolved', 'regressed', 'resolved', 'ignored']),
  isNew: z.boolean().describe('Never changed, and first seen in the newest release or in the last 24 hours'),
  firstSeen: time,
  lastSeen: time,
  firstRelease: z.string().optional(),
  lastRelease: z.string().optional(),
  events: z.int().describe('All events'),
  visitors: z.int().describe('All affected visitors'),
  eventsInRange: z.int().describe('Events in the requested time range'),
  assignee: z.string().optional().describe('Name of the person to whom it is assigned'),
  version: z.int().describe('Send it with a change to refuse the change if somebody else made one'),
  url: z.url().describe('Page of the issue in the inbox')
})

export function toIssue(row: IssueRow, origin: string): z.input<typeof Issue> {
  const { id, project, culprit, level, side, state, isNew, firstRelease, lastRelease } = row
  const { events, visitors, eventsInRange, version, assignee } = row
  return {
    id,
    project,
    title: errorTitle(row),
    culprit,
    level,
    side,
    state,
    isNew,
    firstSeen: toTime(row.firstSeen),
    lastSeen: toTime(row.lastSeen),
    ...(firstRelease !== undefined && { firstRelease }),
    ...(lastRelease !== undefined && { lastRelease }),
    events,
    visitors,
    eventsInRange,
    ...(assignee && { assignee: assignee.name }),
    version,
    url: `${origin}/inbox/issues/${id}`
  }
}

export const Activity = z.object({
  at: time,
  kind: z.enum([
    'created',
    'resolved',
    'ignored',
    'reopened',
    'assigned',
    'regressed',
    'merged',
    'unmerged',
    'undone',
    'commented'
  ]),
  person: z.string().optional().describe('Name of the person; absent if an event caused the change'),
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
})

export const IssueWithActivity = Issue.extend({ activity: z.array(Activity).describe('Newest first') })

export const toIssueWithActivity = (issue: IssueDetail, origin: string): z.input<typeof IssueWithActivity> => ({
  ...toIssue(issue, origin),
  activity: issue.activity.map(({ at, kind, who, data }) => ({
    at: toTime(at),
    kind: kind as z.input<typeof Activity>['kind'],
    ...(who !== undefined && { person: who }),
    data
  }))
})

export const Comment = z.object({
  id: z.int(),
  at: time,
  person: z.string().optional(),
  text: z.string()
})

export const toComment = ({ id, at, who, text }: CommentRow): z.input<typeof Comment> => ({
  id,
  at: toTime(at),
  ...(who !== undefined && { person: who }),
  text
})

export const Search = z.object({
  id: z.int(),
  name: z.string(),
  query: z.string(),
  sort: z.enum(['last', 'first', 'events', 'visitors']),
  project: z.int().optional().describe('Project that it searches; absent for all'),
  shared: z.boolean().describe('Whether everybody in the project sees it')
})

export const toSearch = ({ id, name, query, sort, project, person }: SavedSearch): z.input<typeof Search> => ({
  id,
  name,
  query,
  sort,
  ...(project !== undefined && { project }),
  shared: person === undefined
})

export const Tag = z.object({
  name: z.string(),
  values: z
    .array(z.object({ value: z.string(), events: z.int(), share: z.number().describe('From 0 to 1') }))
    .describe('Most frequent first'),
  others: z.int().describe('Events with values that are not listed')
})

export const Event = z.object({
  id: z.string().describe('Event id: 32 hex digits'),
  at: time,
  release: z.string().optional(),
  environment: z.string(),
  url: z.string().optional(),
  browser: z.string().optional(),
  traceId: z.string().optional(),
  hasPayload: z.boolean().describe('Whether the details of the event are stored')
})

export const toEvent = ({ eventId, at, release, environment, url, browser, traceId, hasPayload }: EventRow) => ({
  id: eventId,
  at: toTime(at),
  ...(release !== undefined && { release }),
  environment,
  ...(url !== undefined && { url }),
  ...(browser !== undefined && { browser }),
  ...(traceId !== undefined && { traceId }),
  hasPayload
})

export const EventWithDetail = Event.extend({
  detail: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Exceptions, breadcrumbs, tags and request as the inbox stores them; times are milliseconds'),
  feedback: z.array(
    z.object({ name: z.string().optional(), email: z.string().optional(), message: z.string(), at: time })
  )
})

export const toEventWithDetail = ({ row, detail, feedback }: EventView): z.input<typeof EventWithDetail> => ({
  ...toEvent(row),
  ...(detail && { detail: { ...detail } }),
  feedback: feedback.map((entry) => ({ ...entry, at: toTime(entry.at) }))
})

export const Feedback = z.object({
  id: z.int(),
  project: z.int(),
  at: time,
  name: z.string().optional(),
  email: z.string().optional(),
  message: z.string(),
  page: z.string().optional().describe('Address of the page, without query'),
  event: z.object({ id: z.string(), issue: z.int(), title: z.string(), url: z.url() }).optional()
})

export const toFeedback = (
  { id, project, at, name, email, message, url, event }: FeedbackRow,
  origin: string
): z.input<typeof Feedback> => ({
  id,
  project,
  at: toTime(at),
  ...(name !== undefined && { name }),
  ...(email !== undefined && { email }),
  message,
  ...(url !== undefined && { page: url }),
  ...(event && {
    event: {
      id: event.eventId,
      issue: event.issue,
      title: errorTitle(event),
      url: `${origin}/inbox/issues/${event.issue}?event=${event.eventId}`
    }
  })
})

export const Trace = z.object({
  traceId: z.string(),
  name: z.string(),
  side: z.enum(['browser', 'server']),
  at: time,
  duration: z.number().describe('Milliseconds'),
  status: z.enum(['ok', 'error', 'cancelled']),
  release: z.string().optional()
})

export const toTrace = ({ traceId, name, side, start, duration, status, release }: TraceRow) => ({
  traceId,
  name,
  side,
  at: toTime(start),
  duration,
  status,
  ...(release !== undefined && { release })
})

export const TraceWithSpans = z.object({
  traceId: z.string(),
  at: time,
  duration: z.number().describe('Milliseconds'),
  spans: z
    .array(
      z.object({
        spanId: z.string(),
        parentId: z.string().optional(),
        depth: z.int(),
        side: z.enum(['browser', 'server']),
        name: z.string(),
        op: z.string(),
        status: z.enum(['ok', 'error', 'cancelled']),
        offset: z.number().describe('Milliseconds after the start of the trace'),
        duration: z.number().describe('Milliseconds'),
        attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      })
    )
    .describe('In the order of the waterfall'),
  omitted: z.int().describe('Spans that are not listed'),
  errors: z.array(z.object({ issue: z.int(), eventId: z.string(), title: z.string(), at: time })),
  logs: z.array(z.object({ at: time, level: z.string(), body: z.string() }))
})

export const toTraceWithSpans = ({
  traceId,
  start,
  duration,
  spans,
  omitted,
  errors,
  logs
}: TraceView): z.input<typeof TraceWithSpans> => ({
  traceId,
  at: toTime(start / 1_000),
  duration: duration / 1_000,
  spans: spans.map((span) => ({
    spanId: span.spanId,
    ...(span.parentId !== undefined && { parentId: span.parentId }),
    depth: span.depth,
    side: span.side,
    name: span.name,
    op: span.op,
    status: span.status,
    offset: (span.start - start) / 1_000,
    duration: span.duration / 1_000,
    attributes: span.attributes
  })),
  omitted,
  errors: errors.map(({ issue, eventId, type, value, at }) => ({
    issue,
    eventId,
    title: errorTitle({ type, value }),
    at: toTime(at)
  })),
  logs: logs.map(({ at, level, body }) => ({ at: toTime(at), level, body }))
})

export const Release = z.object({
  version: z.string(),
  firstSeen: time,
  lastSeen: time,
  newIssues: z.int(),
  regressions: z.int(),
  errors: z.int().describe('In the requested time range'),
  sessions: z.int().describe('In the requested time range'),
  crashFree: z.number().optional().describe('Share of the sessions without a crash, from 0 to 1'),
  adoption: z.number().optional().describe('Share of the sessions of the last 24 hours, from 0 to 1')
})

export const toRelease = ({
  version,
  firstSeen,
  lastSeen,
  newIssues,
  regressions,
  errors,
  sessions,
  crashFree,
  adoption
}: ReleaseRow): z.input<typeof Release> => ({
  version,
  firstSeen: toTime(firstSeen),
  lastSeen: toTime(lastSeen),
  newIssues,
  regressions,
  errors,
  sessions,
  ...(crashFree !== undefined && { crashFree }),
  ...(adoption !== undefined && { adoption })
})
