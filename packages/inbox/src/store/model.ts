/** Types of events, issues and traces that ingest, queries and screens share. */

export type Side = 'browser' | 'server'
/** Levels of events and issues, lowest first. */
export const ISSUE_LEVELS = ['debug', 'info', 'warning', 'error', 'fatal'] as const
export type Level = (typeof ISSUE_LEVELS)[number]
export const ISSUE_STATES = ['unresolved', 'regressed', 'resolved', 'ignored'] as const
export type IssueState = (typeof ISSUE_STATES)[number]
/** States that need attention. */
export const OPEN_STATES: readonly IssueState[] = ['unresolved', 'regressed']
/** `none` is for a person who has a role in single projects only. */
export type Role = 'none' | 'viewer' | 'member' | 'admin'
export const VITALS = ['LCP', 'INP', 'CLS', 'TTFB', 'FCP'] as const
export type Vital = (typeof VITALS)[number]

/** A frame of a stack, after source maps were applied. */
export interface Frame {
  /** Path in the source, such as `client/pages/index.tsx`; the path that the client sent if there is no source map. */
  file: string
  function?: string
  /** First line is 1. */
  line?: number
  /** First column is 1. */
  column?: number
  /** Whether the frame is in the team's own code, not a library's. */
  inApp: boolean
  /** Name of the package that contains the library's frame, such as `react-dom`. */
  package?: string
  source?: SourceLines
  /** Local variables as the SDK sent them. Values with the name of a secret are removed. */
  variables?: Record<string, string>
  /** Position in the built file, if a source map was applied. */
  built?: { file: string; line?: number; column?: number; function?: string }
}

/** The line of a frame and the lines around it. */
export interface SourceLines {
  before: string[]
  line: string
  after: string[]
}

export interface ExceptionDetail {
  /** Empty if the SDK made the error from a message. */
  type: string
  value: string
  /** Whether the application caught the error; undefined if the SDK does not say. */
  handled?: boolean
  mechanism?: string
  /** Whether it is one of the errors in a group, such as an AggregateError; otherwise it is the cause of another. */
  isMember?: boolean
  /** Whether it is the only error in the reported group, such as a task group's in Python, which says nothing itself. */
  isOnlyMember?: boolean
  /** Innermost frame, where the error was thrown, first. */
  frames: Frame[]
}

/** The stack of a thread when the event occurred. */
export interface ThreadDetail {
  /** Name or number of the thread; empty if the event has a single stack and names no thread. */
  name: string
  isCrashed: boolean
  isCurrent: boolean
  /** Innermost frame first. */
  frames: Frame[]
}

export interface Breadcrumb {
  /** Milliseconds since the epoch. */
  at?: number
  type: string
  category: string
  level: string
  message: string
  data: Record<string, string>
}

export interface RequestDetail {
  method?: string
  url?: string
  query?: string
  headers: [name: string, value: string][]
  cookies: [name: string, value: string][]
  body?: string
}

/** All details of an event, bounded and safe to show as text. Stored as the event's payload. */
export interface EventDetail {
  eventId: string
  /** Milliseconds since the epoch when the event occurred, corrected with the time of receipt. */
  at: number
  level: Level
  side: Side
  platform: string
  /** The message of an event without an exception. */
  message?: string
  /** Template of the message, such as `User %s failed`, if the client sent one. */
  template?: string
  /** Exceptions, causes first; the last is the reported one. Empty for a message. */
  exceptions: ExceptionDetail[]
  /** Stacks of threads that are not in `exceptions`; the crashed thread is first. */
  threads?: ThreadDetail[]
  release?: string
  environment: string
  /** Route, such as `/items/[id]`. */
  route?: string
  /** URL without the query. */
  url?: string
  browser?: string
  os?: string
  /** User as the client sent it. Never contains an IP address. */
  user?: { id?: string; name?: string; email?: string; data?: Record<string, string> }
  traceId?: string
  spanId?: string
  /** Digest of the error that the visitor saw. */
  digest?: string
  tags: [name: string, value: string][]
  breadcrumbs: Breadcrumb[]
  request?: RequestDetail
  contexts: Record<string, Record<string, string>>
  extra: Record<string, string>
  /** React's component stack, as frames. */
  components?: Frame[]
  sdk?: string
  fingerprint?: string[]
}

/** Levels of log lines, lowest first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Attribute of a log line with its release. */
export const LOG_RELEASE = 'sentry.release'

export interface LogRow {
  id: number
  project: number
  /** Milliseconds since the epoch. */
  at: number
  level: LogLevel
  traceId?: string
  body: string
  attributes: Record<string, string | number | boolean>
  /** Empty if the line names none. */
  environment: string
}

/** File of a frame that names none. */
export const UNKNOWN_FILE = '<unknown>'

/** How the inbox assigned an event to its issue. */
export interface Grouping {
  /** 64 hex digits. */
  key: string
  /** Version of the algorithm. */
  algorithm: number
  why: {
    /** `fingerprint`: the event has its own; `frames`: type and innermost own frames; `message`: type and message. */
    by: 'fingerprint' | 'frames' | 'message'
    /** Readable parts of the key. */
    parts: string[]
  }
}

export interface SpanDetail {
  traceId: string
  spanId: string
  parentId?: string
  isSegment: boolean
  segmentId?: string
  side: Side
  name: string
  op: string
  status: 'ok' | 'error' | 'cancelled'
  /** Microseconds since the epoch. */
  start: number
  /** Microseconds. */
  duration: number
  release?: string
  environment: string
  attributes: Record<string, string | number | boolean>
}

/** Id of the application's own project. */
export const OWN_PROJECT = 1

/** Maximum characters of an environment, as in Sentry's protocol. */
export const MAX_ENVIRONMENT = 64

export interface Project {
  id: number
  name: string
  /** The public key in the project's DSN. */
  key: string
  /** Milliseconds since the epoch. */
  created: number
}

/** Selection that the screens show. */
export interface View {
  /** @default all */
  project?: number
  /** @default all */
  environment?: string
  /** Version of the release. @default all */
  release?: string
  /** Milliseconds since the epoch, inclusive. */
  since: number
  /** Milliseconds since the epoch, exclusive. */
  until: number
  /** `custom` for fixed times. @default a relative range, which ends now */
  range?: string
}
