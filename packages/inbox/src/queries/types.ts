import type { EventDetail, Grouping, IssueState, Level, Project, Side, View, Vital } from '../store/model.ts'
import type { InvitationRow, PersonRow, PersonSession, PersonSessionRow } from './people-types.ts'
import type { TraceRow, TraceView } from './trace-types.ts'

export interface IssueRow {
  id: number
  project: number
  type: string
  value: string
  /** `file:function` of the innermost own frame, or the route. */
  culprit: string
  level: Level
  side: Side
  state: IssueState
  /** Unresolved, never changed, and first seen in the newest release or in the last 24 hours. */
  isNew: boolean
  firstSeen: number
  lastSeen: number
  firstRelease?: string
  lastRelease?: string
  /** Total. */
  events: number
  /** Total. */
  visitors: number
  /** Events in the range asked for: in its whole hours or days, as in the overview's figures. */
  eventsInRange: number
  /** The same by point of the range, oldest first. */
  points: number[]
  /** Of its state; a change names the one that was seen. */
  version: number
}

/** `events` by those in the range, `visitors` by their total. */
export type IssueSort = 'last' | 'first' | 'events' | 'visitors'

export interface IssueListQuery {
  view: View
  /** As typed, in the language of packages/inbox/src/web/search/index.ts. @default is:unresolved, which regressed ones are too */
  query?: string
  /** @default last */
  sort?: IssueSort
  /** `next` or `previous` of another page. */
  cursor?: string
  /** @default 50, at most 200 */
  limit?: number
}

export interface IssueList {
  issues: IssueRow[]
  /** Cursor of the page after this one; undefined on the last. */
  next?: string
  /** Cursor of the page before this one; undefined on the first. */
  previous?: string
  /** Issues on all pages, MAX_ISSUE_COUNT + 1 at most. */
  total: number
  /** Of the view, by tab (`unresolved` are the regressed ones too), one more than MAX_ISSUE_COUNT at most; undefined while a search, release or environment narrows it. */
  counts?: Record<IssueState, number>
}

export interface IssueDetail extends IssueRow {
  resolvedRelease?: string
  resolvedInNext: boolean
  ignoredUntilEvents?: number
  ignoredUntil?: number
  /** Events of older releases since it was resolved. */
  inOldRelease: number
  keys: (Grouping & { id: number; created: number; mergedFrom?: number })[]
  /** The newest first. */
  activity: ActivityRow[]
}

export interface ActivityRow {
  id: number
  at: number
  /** Name of who did it; undefined when an event did. */
  who?: string
  /** `created`, `resolved`, `ignored`, `reopened`, `regressed`, `merged`, `unmerged`, `undone`. */
  kind: string
  data: Record<string, string | number | boolean | null>
  /** It is the last change, and can be taken back. */
  canUndo: boolean
}

export interface TagShare {
  name: string
  /** The most frequent first. */
  values: { value: string; events: number; share: number }[]
  /** Events whose value is not listed. */
  others: number
}

export interface EventRow {
  id: number
  eventId: string
  at: number
  release?: string
  environment: string
  url?: string
  browser?: string
  visitor?: string
  traceId?: string
  hasPayload: boolean
}

export interface EventList {
  events: EventRow[]
  /** Cursor of the page with older events. */
  next?: string
  /** Cursor of the page with newer events. */
  previous?: string
  /** Events of the issue that are stored, MAX_EVENT_COUNT + 1 at most. */
  total: number
}

export interface EventView {
  row: EventRow
  /** Undefined where the payload was not kept. */
  detail?: EventDetail
  /** Why this event is in this issue. */
  why?: Grouping['why']
  /** Event ids, to walk by. */
  older?: string
  newer?: string
  attachments: { id: number; filename: string; contentType?: string; size: number; kept: boolean }[]
  feedback: { name?: string; email?: string; message: string; at: number }[]
}

export interface ReleaseMarker {
  version: string
  at: number
}

/** A series by hour. */
export interface Series {
  /** Start of the first hour, milliseconds since the epoch. */
  start: number
  /** Milliseconds between two points. */
  step: number
  /** null where nothing is known. */
  points: (number | null)[]
}

export interface Overview {
  /** Errors an hour. */
  errors: { total: number; series: Series }
  /** Affected visitors, each once a day. */
  visitors: { total: number; series: Series }
  /** Share of sessions without a crash, 0 to 1; undefined without sessions. */
  crashFree: { share?: number; sessions: number; series: Series }
  /** p75 in ms. */
  inp: { p75?: number; series: Series }
  lcp: { p75?: number; series: Series }
  /** p95 of the server, ms. */
  server: { p95?: number; requests: number; series: Series }
  releases: ReleaseMarker[]
  newInRelease: IssueRow[]
  regressed: IssueRow[]
  loudest: IssueRow[]
  /** Whether anything ever arrived. */
  isEmpty: boolean
  storage: Storage
}

export interface Storage {
  /** Bytes of the file that are in use. */
  bytes: number
  maxBytes: number
  retentionDays: number
  /** Of the oldest event; undefined when there is none. */
  oldest?: number
  events: number
  spans: number
}

export interface RouteRow {
  route: string
  side: Side
  requests: number
  errors: number
  /** Milliseconds. */
  p50: number
  p75: number
  p95: number
}

export interface HeatMap {
  start: number
  step: number
  /** Upper bounds of the rows, milliseconds, ascending. */
  rows: number[]
  /** By column, then row. */
  counts: number[][]
}

export interface VitalBand {
  p75: number
  samples: number
  /** Shares, together 1: good, needs work, poor. */
  good: number
  middling: number
  poor: number
}

export interface VitalRow {
  page: string
  vitals: Partial<Record<Vital, VitalBand>>
  samples: number
}

export interface VitalTrend {
  version: string
  at: number
  p75: Partial<Record<Vital, number>>
}

export interface ReleaseRow {
  id: number
  version: string
  firstSeen: number
  lastSeen: number
  sessions: number
  crashFree?: number
  newIssues: number
  regressions: number
  errors: number
  /** Its share of the sessions of the last 24 hours, 0 to 1. */
  adoption?: number
  series: Series
}

export interface DropRow {
  origin: string
  reason: string
  category: string
  quantity: number
}

export interface StoreHealth {
  storage: Storage
  /** When the newest item came, by side. */
  lastReceived: { browser?: number; server?: number }
  drops: DropRow[]
  maps: { maps: number; releases: number; bytes: number; sample?: { file: string; function?: string; line: number } }
  /** Own frames of the last 24 hours that no map was found for, and all of them. */
  unresolved: { frames: number; of: number }
  /** What the retention removed last, and when; undefined before its first round. */
  retention?: { at: number; rows: number; behind: boolean }
  /** A damaged file that was put aside, and where. */
  corrupt?: { at: number; aside: string }
}

/** Where a search for one thing leads. */
export type Located =
  | { kind: 'event'; issue: number; eventId: string }
  | { kind: 'issue'; issue: number }
  | { kind: 'trace'; traceId: string }

/** What the screens ask. Each takes a store and answers at once; the inbox makes promises of them. */
export interface Queries {
  listProjects: () => Project[]
  listEnvironments: (input: { project?: number }) => string[]
  /** The newest first, at most 100. */
  listVersions: (input: { project?: number }) => string[]
  getOverview: (input: { view: View }) => Overview
  /**
   * @throws InboxQueryInvalid with a sentence about what in the query is wrong, and its `position`
   * @throws InboxCursorInvalid
   */
  listIssues: (input: IssueListQuery) => IssueList
  /** @throws InboxIssueNotFound */
  getIssue: (input: { id: number }) => IssueDetail
  /** The issue that another was merged into; undefined when there is none. */
  findMerged: (input: { id: number }) => number | undefined
  getIssueSeries: (input: { id: number; view: View }) => { series: Series; releases: ReleaseMarker[] }
  listTags: (input: { id: number; values?: number }) => TagShare[]
  /** Newest to oldest. @throws InboxCursorInvalid */
  listEvents: (input: { id: number; cursor?: string; limit?: number }) => EventList
  /** @throws InboxEventNotFound. @param eventId @default the newest with a payload */
  getEvent: (input: { id: number; eventId?: string }) => EventView
  getAttachment: (input: { id: number }) => { filename: string; contentType?: string; body: Uint8Array } | undefined
  /** Whether a text is an event id, digest or trace id that is known. */
  locate: (input: { text: string }) => Located | undefined
  listRoutes: (input: { view: View; side?: Side; sort?: 'requests' | 'p95' | 'errors'; limit?: number }) => RouteRow[]
  getHeatMap: (input: { view: View; route: string; side: Side }) => HeatMap
  listTraces: (input: { view: View; route?: string; sort?: 'newest' | 'slowest'; cursor?: string; limit?: number }) => {
    traces: TraceRow[]
    next?: string
    /** Traces on all pages, MAX_TRACE_COUNT + 1 at most. */
    total: number
  }
  /** @throws InboxTraceNotFound */
  getTrace: (input: { traceId: string }) => TraceView
  listVitals: (input: { view: View }) => VitalRow[]
  listVitalTrend: (input: { view: View; page?: string }) => VitalTrend[]
  listReleases: (input: { view: View; limit?: number }) => ReleaseRow[]
  getHealth: (input: { project?: number }) => StoreHealth
  listPeople: () => PersonRow[]
  /**
   * Undefined when it was revoked or not used for 30 days, its person was removed, or it was opened by another password.
   * @param passwordFingerprint of the present password; without it sessions by a password are not found
   */
  findPersonSession: (input: { hash: string; passwordFingerprint?: string }) => PersonSession | undefined
  listPersonSessions: (input: { person: number }) => PersonSessionRow[]
  /** Those that can still be accepted, the newest first. */
  listInvitations: () => InvitationRow[]
  /** Undefined where it is unknown, used, revoked or too old. */
  findInvitation: (input: { hash: string }) => InvitationRow | undefined
}
