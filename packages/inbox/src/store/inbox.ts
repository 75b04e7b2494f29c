import type { EnvelopeSink } from '@hull/monitoring'
import type { Changes } from '../mutations/types.ts'
import type { Project } from './model.ts'
import type { Queries } from '../queries/types.ts'

/** The same functions, answering later. */
export type Promised<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...input: infer Input) => infer Output
    ? (...input: Input) => Promise<Output>
    : never
}

/** What happened since the last news. */
export interface News {
  /** Issues with new events or a changed state. */
  issues: number[]
  /** Of those, the ones that are new or came back. */
  alerting: number[]
}

export interface InboxStats {
  /** Whether what comes is stored. */
  available: boolean
  /** Items stored since the start, by type. */
  stored: Readonly<Record<string, number>>
  /** Items let go since the start, by reason and category. */
  drops: { reason: string; category: string; quantity: number }[]
  bytes: number
  /** Envelopes that are not committed yet, and their bytes. */
  waiting: { envelopes: number; bytes: number }
  /** Milliseconds from the receipt to the commit of the newest. */
  lag: number
}

/** The provider in this process. */
export interface Inbox {
  queries: Promised<Queries>
  changes: Promised<Changes>
  /** Stores envelopes of every project; the `dsn` in an envelope's header names its project. */
  sink: EnvelopeSink
  /** The application's own project, 1. */
  own: Project
  /** The project that a key is for, as long as it takes something. Known at once: the list is kept in memory. */
  findProject: (key: string) => Project | undefined
  /** Calls back when something happened, at once and for every commit: listeners slow it down for themselves. @returns how to stop */
  onNews: (listener: (news: News) => void) => () => void
  stats: () => InboxStats
  close: () => Promise<void>
}
