/** What the inbox knows of an event, an issue, a trace: the words that ingest, queries and screens share. */

export type Side = 'browser' | 'server'
export type Level = 'fatal' | 'error' | 'warning' | 'info' | 'debug'
export type IssueState = 'unresolved' | 'regressed' | 'resolved' | 'ignored'
export type Role = 'viewer' | 'admin'
export const VITALS = ['LCP', 'INP', 'CLS', 'TTFB', 'FCP'] as const
export type Vital = (typeof VITALS)[number]

/** A frame of a stack, after its source map was asked. */
export interface Frame {
  /** As the source has it, `client/pages/index.tsx`; as the client sent it where no map is known. */
  file: string
  function?: string
  /** From 1. */
  line?: number
  /** From 1. */
  column?: number
  /** The team's own code, not a library's. */
  inApp: boolean
  /** Name of the package a library's frame is in, such as `react-dom`. */
  package?: string
  source?: SourceLines
  /** Local variables at that moment, as the SDK wrote them; values with the name of a secret are left out. */
  variables?: Record<string, string>
  /** Where it ran, when a map led to where it was written. */
  built?: { file: string; line?: number; column?: number; function?: string }
}

/** The line of a frame and those around it. */
export interface SourceLines {
  before: string[]
  line: string
  after: string[]
}

export interface ExceptionDetail {
  /** Empty where the SDK made an error of a message. */
  type: string
  value: string
  /** Whether the application caught it; undefined where the SDK does not say. */
  handled?: boolean
  mechanism?: string
  /** Innermost first: where it was thrown stands on top. */
  frames: Frame[]
}

/** The stack of a thread at the moment of an event. */
export interface ThreadDetail {
  /** Its name or number; empty where the event has one stack without saying whose. */
  name: string
  isCrashed: boolean
  isCurrent: boolean
  /** Innermost first. */
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

/** Everything an event says, bounded and safe to show as text. This is what its payload holds. */
export interface EventDetail {
  eventId: string
  /** Milliseconds since the epoch; when it happened, held against when it came. */
  at: number
  level: Level
  side: Side
  platform: string
  /** What it says where it has no exception. */
  message?: string
  /** The one that was thrown first, then what it caused: the last is what was reported. Empty for a message. */
  exceptions: ExceptionDetail[]
  /** Stacks of threads that no exception shows, the one that crashed first. */
  threads?: ThreadDetail[]
  release?: string
  environment: string
  /** The route, such as `/items/[id]`. */
  route?: string
  /** Without query. */
  url?: string
  browser?: string
  os?: string
  /** As the client named it: never an address. */
  user?: { id?: string; name?: string; email?: string }
  traceId?: string
  spanId?: string
  /** Under which the visitor saw it. */
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

/** How an event found its issue. */
export interface Grouping {
  /** 64 hex digits. */
  key: string
  /** Version of the algorithm. */
  algorithm: number
  why: {
    /** `fingerprint`: the event brings its own; `frames`: type and innermost own frames; `message`: type and what it says. */
    by: 'fingerprint' | 'frames' | 'message'
    /** What went into the key, to be read. */
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

export interface Project {
  id: number
  name: string
  /** The public key in its DSN. */
  key: string
  /** Milliseconds since the epoch. */
  created: number
}

/** What the screens look at. */
export interface View {
  /** @default all */
  project?: number
  /** @default all */
  environment?: string
  /** A version. @default all */
  release?: string
  /** Milliseconds since the epoch. */
  since: number
  /** Milliseconds since the epoch; not included. */
  until: number
}
