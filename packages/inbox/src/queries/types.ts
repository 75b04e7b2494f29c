import type { MeasuredThreshold } from '../alerts/thresholds.ts'
import type { OwnMail, AlertChannel, AlertDelivery, AlertRule } from '../alerts/types.ts'
import type { Repository } from '../web/repository.ts'
import type { Project, Side, View } from '../store/model.ts'
import type {
  AuditRow,
  FoundToken,
  InvitationRow,
  PersonRow,
  PersonSession,
  PersonSessionRow,
  TokenRow
} from './people-types.ts'
import type { PageInput } from './cursor.ts'
import type { CheckInList, MonitorList, MonitorRow } from './monitor-types.ts'
import type { FeedbackList, FeedbackQuery } from './feedback.ts'
import type { EventQuery, FoundEvents } from './issues/event-search.ts'
import type { LogList, LogQuery } from './logs.ts'
import type { SavedSearch } from './issues/saved-searches.ts'
import type { SuggestionQuery, Suggestions } from './issues/suggestions.ts'
import type { TraceRow, TraceView } from './traces/trace-types.ts'
import type { EventList, EventView } from './issues/event-types.ts'
import type { StoreHealth } from './overview/health-types.ts'
import type {
  Assignee,
  CommentList,
  CommentsInput,
  IssueDetail,
  IssueList,
  IssueListQuery,
  TagShare
} from './issues/issue-types.ts'
import type { Overview, ReleaseMarker, Series } from './overview/overview-types.ts'
import type { HeatMap, RouteRow, VitalRow, VitalTrend } from './performance/performance-types.ts'
import type { DeployRow, ReleaseInfo, ReleaseRow } from './releases/release-types.ts'

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
  listEvents: (input: PageInput & { id: number }) => EventList
  /**
   * Events that match a search, newest first.
   * @throws InboxQueryInvalid @throws InboxCursorInvalid @throws InboxIssueNotFound
   */
  findEvents: (input: EventQuery) => FoundEvents
  /** @throws InboxEventNotFound. @param eventId @default the newest with a payload */
  getEvent: (input: { id: number; eventId?: string }) => EventView
  /** The same; undefined if none is given and the issue has none. @throws InboxEventNotFound */
  findEvent: (input: { id: number; eventId?: string }) => EventView | undefined
  /** Projects of issues, and of the issues of activity entries. Unknown ids are left out. */
  findProjects: (input: { issues?: number[]; activities?: number[] }) => { id: number; project: number }[]
  /** Newest first. @throws InboxCursorInvalid */
  listFeedback: (input: FeedbackQuery) => FeedbackList
  /** Undefined if no project has a release of the version. */
  getRelease: (input: { version: string }) => ReleaseInfo | undefined
  /** The newest release before a version that has a commit. */
  getPreviousRelease: (input: { version: string }) => ReleaseInfo | undefined
  /** Newest first, at most 100. */
  listDeploys: (input: { version: string }) => DeployRow[]
  /** Sizes of the stored parts of a bundle, by checksum. */
  listChunks: (input: { sha1s: string[] }) => Record<string, number>
  getChunk: (input: { sha1: string }) => Uint8Array | undefined
  /** Undefined if the project has no repository. @param release version */
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
  listTraces: (input: PageInput & { view: View; route?: string; sort?: 'newest' | 'slowest' }) => {
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
  /** @param passwordFingerprints see {@link Queries.findPersonSession}, for the number of sessions */
  listPeople: (input?: { passwordFingerprints?: readonly string[] }) => PersonRow[]
  /**
   * Undefined if the session was revoked or unused for 30 days, if its person was removed, or if it was opened with
   * another password.
   * @param passwordFingerprints of the current password, with the secret of each replica; without one, sessions opened
   * with a password are not found
   */
  findPersonSession: (input: { hash: string; passwordFingerprints?: readonly string[] }) => PersonSession | undefined
  /** Hash of the password of the person with this name; undefined if there is none. */
  findPassword: (input: { name: string }) => { person: number; hash: string } | undefined
  /** Whether anybody has a password. */
  hasPasswords: () => boolean
  /** Newest first, at most 100. @param before id of the entry after which the list begins */
  listAudit: (input: { before?: number }) => AuditRow[]
  /**
   * Those that {@link Queries.findPersonSession} finds, last used first.
   * @param passwordFingerprints as there
   */
  listPersonSessions: (input: { person: number; passwordFingerprints?: readonly string[] }) => PersonSessionRow[]
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
  listCheckIns: (input: PageInput & { monitor: number }) => CheckInList
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

/** Input of a query. */
export type Input<Name extends keyof Queries> = Parameters<Queries[Name]>[0]
