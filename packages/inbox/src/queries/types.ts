import type { MeasuredThreshold } from '../alerts/thresholds.ts'
import type { OwnMail, AlertChannel, AlertDelivery, AlertRule } from '../alerts/types.ts'
import type { ReleaseCommit } from '../mutations/types.ts'
import type { Repository } from '../web/repository.ts'
import type { EventDetail, Grouping, IssueState, Level, Project, Side, View, Vital } from '../store/model.ts'
import type {
  AuditRow,
  FoundToken,
  InvitationRow,
  PersonRow,
  PersonSession,
  PersonSessionRow,
  TokenRow
} from './people-types.ts'
import type { CheckInList, MonitorList, MonitorRow } from './monitor-types.ts'
import type { FeedbackList, FeedbackQuery } from './feedback.ts'
import type { ItemTypeRow } from '../store/item-types.ts'
import type { EventQuery, FoundEvents } from './event-search.ts'
import type { LogList, LogQuery } from './logs.ts'
import type { SavedSearch } from './saved-searches.ts'
import type { SuggestionQuery, Suggestions } from './suggestions.ts'
import type { TraceRow, TraceView } from './trace-types.ts'

export interface IssueRow {
  id: number
  project: number
  type: string
  value: string
  /** `file:function` of the innermost in-app frame, or the route. */
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
  /** Events in the view's range, in whole hours or days as in the overview. */
  eventsInRange: number
  /** Events per point of the range, oldest first. */
  points: number[]
  /** Version of the state. A change sends the version that the user saw. */
  version: number
  /** Person to whom the issue is assigned. @default nobody */
  assignee?: Assignee
}

/** A person to whom issues can be assigned. */
export interface Assignee {
  id: number
  name: string
}

/** `events` counts those in the range, `visitors` all of them. */
export type IssueSort = 'last' | 'first' | 'events' | 'visitors'

export interface IssueListQuery {
  view: View
  /**
   * Search text; packages/inbox/src/web/search/index.ts documents the syntax. @default is:unresolved, which includes
   * regressed issues
   */
  query?: string
  /** Person that `assigned:me` means. @default nobody */
  me?: number
  /** @default last */
  sort?: IssueSort
  /** `next` or `previous` from another page. */
  cursor?: string
  /** @default 50, at most 200 */
  limit?: number
}

export interface IssueList {
  issues: IssueRow[]
  /** Cursor of the next page; undefined on the last. */
  next?: string
  /** Cursor of the previous page; undefined on the first. */
  previous?: string
  /** Issues on all pages, counted up to MAX_ISSUE_COUNT + 1. */
  total: number
  /** Issues of each tab with the same search, release and environment, MAX_ISSUE_COUNT + 1 at most; `unresolved` are the regressed ones too. */
  counts: Record<IssueState, number>
}

export interface IssueDetail extends IssueRow {
  resolvedRelease?: string
  resolvedInNext: boolean
  ignoredUntilEvents?: number
  ignoredUntil?: number
  /** Events of older releases received since the issue was resolved. */
  inOldRelease: number
  keys: (Grouping & { id: number; created: number; mergedFrom?: number })[]
  /** Newest first. */
  activity: ActivityRow[]
}

export interface ActivityRow {
  id: number
  at: number
  /** Name of the person; undefined if an event caused the change. */
  who?: string
  /** Id of the person. */
  person?: number
  /** `created`, `resolved`, `ignored`, `reopened`, `assigned`, `regressed`, `merged`, `unmerged`, `undone`, `commented`. */
  kind: string
  data: Record<string, string | number | boolean | null>
  /** False for a comment, which changes nothing. */
  isLastChange: boolean
  /** The newest change, and it can be undone. */
  canUndo: boolean
}

export interface CommentRow {
  id: number
  at: number
  /** Name of the person. */
  who?: string
  text: string
}

export interface CommentsInput {
  /** Id of the issue. */
  id: number
  /** Id of the newest comment of the first page. @default the newest of all */
  newest?: number
  /** `next` of the page before. */
  cursor?: string
  limit?: number
}

export interface CommentList {
  /** Newest first. */
  comments: CommentRow[]
  /** Cursor of the next page; undefined on the last. */
  next?: string
}

export interface TagShare {
  name: string
  /** Most frequent first. */
  values: { value: string; events: number; share: number }[]
  /** Events with values that are not listed. */
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
  /** Stored events of the issue, counted up to MAX_EVENT_COUNT + 1. */
  total: number
}

export interface EventView {
  row: EventRow
  /** Undefined if the payload was not stored. */
  detail?: EventDetail
  /** Why the event belongs to this issue. */
  why?: Grouping['why']
  /** Event ids for the links to the previous, next, oldest and newest event. */
  older?: string
  newer?: string
  attachments: { id: number; filename: string; contentType?: string; size: number; kept: boolean }[]
  feedback: { name?: string; email?: string; message: string; at: number }[]
}

export interface ReleaseMarker {
  version: string
  at: number
}

/** Hourly or longer series. */
export interface Series {
  /** Start of the first hour, milliseconds since the epoch. */
  start: number
  /** Milliseconds between two points. */
  step: number
  /** null for points without data. */
  points: (number | null)[]
}

export interface Overview {
  /** Errors per hour. */
  errors: { total: number; series: Series }
  /** Affected visitors, each counted once a day. */
  visitors: { total: number; series: Series }
  /** Share of sessions without a crash, from 0 to 1; undefined without sessions. */
  crashFree: { share?: number; sessions: number; series: Series }
  /** p75 in milliseconds. */
  inp: { p75?: number; series: Series }
  lcp: { p75?: number; series: Series }
  /** p95 on the server, in milliseconds. */
  server: { p95?: number; requests: number; series: Series }
  /** Those first seen in the view's range, oldest first. */
  releases: ReleaseMarker[]
  /** Version of the newest release of all. @default there is none */
  newest?: string
  newInRelease: IssueRow[]
  regressed: IssueRow[]
  loudest: IssueRow[]
  /** Whether any item was ever received. */
  isEmpty: boolean
  /** Undefined for a person who does not see all projects. */
  storage?: Storage
}

export interface Storage {
  /** Bytes in use in the file. */
  bytes: number
  maxBytes: number
  retentionDays: number
  /** Time of the oldest event; undefined without events. */
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
  /** Upper bounds of the rows in milliseconds, ascending. */
  rows: number[]
  /** Counts by column, then row. */
  counts: number[][]
}

export interface VitalBand {
  p75: number
  samples: number
  /** Shares that add up to 1: good, needs improvement, poor. */
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
  /** Commit that the application stated, or that the version names. */
  commit?: string
  /** Address of the commit in the project's repository. */
  commitHref?: string
  firstSeen: number
  lastSeen: number
  sessions: number
  crashFree?: number
  newIssues: number
  regressions: number
  errors: number
  /** Share of the sessions of the last 24 hours, from 0 to 1. */
  adoption?: number
  series: Series
  /** Commits that a build tool sent, newest first. */
  commits?: CommitRow[]
  /** Last deploy to each environment, newest first. */
  deploys?: DeployRow[]
}

export interface CommitRow extends ReleaseCommit {
  /** Address of the commit in the project's repository. */
  href?: string
}

export interface DeployRow {
  id: number
  environment: string
  name?: string
  url?: string
  /** Milliseconds since the epoch. */
  started?: number
  /** Milliseconds since the epoch. */
  finished: number
}

/** A release as build tools see it: of all projects with the version. */
export interface ReleaseInfo {
  id: number
  version: string
  created: number
  lastSeen: number
  /** Milliseconds since the epoch; null if it was not finalized. */
  released: number | null
  newIssues: number
  projects: number[]
  commit: string | null
  /** Number of commits, and of deploys. */
  commits: number
  deploys: number
}

export interface DropRow {
  origin: string
  reason: string
  category: string
  quantity: number
}

export interface StoreHealth {
  storage: Storage
  /** When the newest item was received, by side. */
  lastReceived: { browser?: number; server?: number }
  drops: DropRow[]
  /** Every type of item that was ever received. */
  types: ItemTypeRow[]
  maps: { maps: number; releases: number; bytes: number; sample?: { file: string; function?: string; line: number } }
  /** In-app frames of the last 24 hours without a source map, and all in-app frames. */
  unresolved: { frames: number; of: number }
  /** What retention removed last, and when; undefined before its first run. */
  retention?: { at: number; rows: number; behind: boolean }
  /** Alerts of the last 24 hours that could not be delivered, and why the newest one failed. */
  deadAlerts: { messages: number; error?: string }
  /** Difference of this replica's clock from the database's in milliseconds; positive if it is ahead. */
  clockAhead: number
  /** Damaged file that was moved aside, with its path. */
  corrupt?: { at: number; aside: string }
}

/** Target of a search for an id. */
export type Located =
  | { kind: 'event'; issue: number; eventId: string }
  | { kind: 'issue'; issue: number }
  | { kind: 'trace'; traceId: string }

/** A project's repository. */
export interface RepositoryView extends Repository {
  /** Commit of the release; undefined if neither the application nor the version names one. */
  commit?: string
}

/** Choices of the menus at the top of each screen. */
export interface Choices {
  projects: Project[]
  /** With recent data, by name. */
  environments: string[]
  /** Newest first, at most 100. */
  versions: string[]
}

/** Queries of the screens. Each takes a store and returns its result directly; the inbox wraps them in promises. */
export interface Queries {
  listProjects: () => Project[]
  /** @param input.project its environments and versions @default those of all projects */
  getChoices: (input: { project?: number }) => Choices
  getOverview: (input: { view: View }) => Overview
  /**
   * @throws InboxQueryInvalid with a sentence about the error in the query, and its `position`
   * @throws InboxCursorInvalid
   */
  listIssues: (input: IssueListQuery) => IssueList
  /** @throws InboxIssueNotFound */
  getIssue: (input: { id: number }) => IssueDetail
  /** Target of the merge; undefined if the issue was not merged. */
  findMerged: (input: { id: number }) => number | undefined
  getIssueSeries: (input: { id: number; view: View }) => { series: Series; releases: ReleaseMarker[] }
  listTags: (input: { id: number; values?: number }) => TagShare[]
  /** Newest first, at most 100. @throws InboxCursorInvalid @throws InboxIssueNotFound */
  listComments: (input: CommentsInput) => CommentList
  isFollowing: (input: { issue: number; person: number }) => boolean
  /** Where a person receives mails about followed issues. */
  findOwnMail: (input: { person: number }) => OwnMail | undefined
  /** People who can read the project, by name. @default any project */
  listAssignees: (input: { project?: number }) => Assignee[]
  /** Newest first. @throws InboxCursorInvalid @throws InboxIssueNotFound */
  listEvents: (input: { id: number; cursor?: string; limit?: number }) => EventList
  /**
   * Events that match a search, newest first.
   * @throws InboxQueryInvalid @throws InboxCursorInvalid @throws InboxIssueNotFound
   */
  findEvents: (input: EventQuery) => FoundEvents
  /** @throws InboxEventNotFound. @param eventId @default the newest with a payload */
  getEvent: (input: { id: number; eventId?: string }) => EventView
  /** Projects of issues, and of the issues of activity entries. Unknown ids are left out. */
  findProjects: (input: { issues?: number[]; activities?: number[] }) => { id: number; project: number }[]
  /** Newest first. @throws InboxCursorInvalid */
  listFeedback: (input: FeedbackQuery) => FeedbackList
  /** Undefined if the project has no repository. @param release version */
  getRelease: (input: { version: string }) => ReleaseInfo | undefined
  /** The newest release before a version that has a commit. */
  getPreviousRelease: (input: { version: string }) => ReleaseInfo | undefined
  /** Newest first, at most 100. */
  listDeploys: (input: { version: string }) => DeployRow[]
  /** Sizes of the stored parts of a bundle, by checksum. */
  listChunks: (input: { sha1s: string[] }) => Record<string, number>
  getChunk: (input: { sha1: string }) => Uint8Array | undefined
  getRepository: (input: { project: number; release?: string }) => RepositoryView | undefined
  getAttachment: (input: { id: number }) => { filename: string; contentType?: string; body: Uint8Array } | undefined
  /** The person's own searches and the shared ones, by name. */
  listSavedSearches: (input: { person: number }) => SavedSearch[]
  /** Completes the last word of a search. @throws InboxIssueNotFound */
  listSuggestions: (input: SuggestionQuery) => Suggestions
  /** Target of an event id, digest or trace id; undefined for other text and for unknown ids. */
  locate: (input: { text: string }) => Located | undefined
  listRoutes: (input: { view: View; side?: Side; sort?: 'requests' | 'p95' | 'errors'; limit?: number }) => RouteRow[]
  getHeatMap: (input: { view: View; route: string; side: Side }) => HeatMap
  listTraces: (input: { view: View; route?: string; sort?: 'newest' | 'slowest'; cursor?: string; limit?: number }) => {
    traces: TraceRow[]
    next?: string
    /** Traces on all pages, counted up to MAX_TRACE_COUNT + 1. */
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
   * Undefined if the session was revoked or unused for 30 days, if its person was removed, or if it was opened with
   * another password.
   * @param passwordFingerprint of the current password; without it, sessions opened with a password are not found
   */
  findPersonSession: (input: { hash: string; passwordFingerprint?: string }) => PersonSession | undefined
  /** Hash of the password of the person with this name; undefined if there is none. */
  findPassword: (input: { name: string }) => { person: number; hash: string } | undefined
  /** Whether anybody has a password. */
  hasPasswords: () => boolean
  /** Newest first, at most 100. @param before id of the entry after which the list begins */
  listAudit: (input: { before?: number }) => AuditRow[]
  listPersonSessions: (input: { person: number }) => PersonSessionRow[]
  /** Invitations that can still be accepted, newest first. */
  listInvitations: () => InvitationRow[]
  /** Undefined if it is unknown, used, revoked or expired. */
  findInvitation: (input: { hash: string }) => InvitationRow | undefined
  /** Newest first. @throws InboxCursorInvalid */
  listLogs: (input: LogQuery) => LogList
  /** At most 200. */
  listMonitors: (input: { project?: number; environment?: string }) => MonitorList
  /** @throws InboxMonitorNotFound */
  getMonitor: (input: { id: number }) => MonitorRow
  /** Newest first. @throws InboxCursorInvalid @throws InboxMonitorNotFound */
  listCheckIns: (input: { monitor: number; cursor?: string; limit?: number }) => CheckInList
  listChannels: () => AlertChannel[]
  /** @throws InboxChannelNotFound */
  getChannel: (input: { id: number }) => AlertChannel
  /** Channel of a link to unsubscribe; undefined if the token is wrong. */
  findUnsubscribed: (input: {
    id: number
    token: string
  }) => { name: string; isPaused: boolean; isOwn: boolean } | undefined
  /** Rules of projects that are not removed. */
  listRules: () => AlertRule[]
  /** Newest first, at most 100. @param channel @default all */
  listDeliveries: (input: { channel?: number }) => AlertDelivery[]
  /**
   * Thresholds of projects that are not removed, each with its present figure.
   * @param now milliseconds since the epoch
   */
  listThresholds: (input: { now: number }) => MeasuredThreshold[]
  /**
   * Whether there are changes to gather, messages to send or thresholds to check.
   * @param now milliseconds since the epoch @param checksThresholds whether it is time to check thresholds
   */
  hasAlertWork: (input: { now: number; checksThresholds: boolean }) => boolean
  /** Tokens that are not revoked, of people who were not removed. Newest first. */
  listTokens: () => TokenRow[]
  /** Undefined if it is unknown or revoked, or its person was removed. */
  findToken: (input: { hash: string }) => FoundToken | undefined
}
