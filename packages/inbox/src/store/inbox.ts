import { MINUTE } from '@hull/common/time.ts'
import type { EnvelopeSink } from '@hull/monitoring'
import type { Grants } from '../access/roles.ts'
import type { AlertWork } from '../alerts/work.ts'
import type { Changes } from '../mutations/index.ts'
import type { Project } from './model.ts'
import type { Queries } from '../queries/index.ts'

/** The same functions, returning promises. */
export type Promised<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...input: infer Input) => infer Output
    ? (...input: Input) => Promise<Output>
    : never
}

/** Changes since the last news. */
export interface News {
  /** Issues with new events or a changed state. */
  issues: number[]
  /** Log lines were stored. */
  hasLogs?: true
  /** Further issues may have changed. */
  isCut?: true
}

/** Figures of the thread that writes. */
export interface WriterStats {
  /** Items stored since the start, by type. */
  stored: Readonly<Record<string, number>>
  /** Items dropped since the start, by reason and category. */
  drops: { reason: string; category: string; quantity: number }[]
  bytes: number
  /** Milliseconds between the receipt and the commit of the newest envelope. */
  lag: number
  /** Milliseconds of a step of the clock that the retention does not trust yet; otherwise 0. */
  clockJump: number
  /** Milliseconds that the clock of this process is ahead of the clock of the database. */
  clockAhead: number
  /** The last batch that the open store did not take. */
  failure?: StoreFailure
}

export interface InboxStats extends WriterStats {
  /** Whether the inbox can store envelopes. */
  available: boolean
  /** Number and bytes of the envelopes that are not committed yet. */
  waiting: { envelopes: number; bytes: number }
  /** Envelopes that wait until the database can be reached, and milliseconds since the oldest was received. */
  spooled: { envelopes: number; bytes: number; oldestAge: number }
}

/** Figures until the thread sends its first. */
export const NO_STATS: WriterStats = { stored: {}, drops: [], bytes: 0, lag: 0, clockJump: 0, clockAhead: 0 }

/** Milliseconds for which a failure counts as present: longer than the pauses between attempts. A guess. */
export const FAILURE_PERIOD = 5 * MINUTE

export interface StoreFailure {
  reason: string
  /** Milliseconds since the epoch. */
  at: number
}

/** The inbox, as the main thread uses it. */
export interface Inbox {
  queries: Promised<Queries>
  /** Queries for a person, who sees no other projects than the grants allow. */
  queriesFor: (grants: Grants) => Promised<Queries>
  changes: Promised<Changes>
  /**
   * Whether there are changes to gather, messages to send or thresholds to check. Asked each second, so the thread that
   * writes answers: no other connection need be open for it.
   */
  hasAlertWork: (input: AlertWork) => Promise<boolean>
  /** Stores envelopes of every project; the `dsn` in an envelope's header names its project. */
  sink: EnvelopeSink
  /** The application's own project, 1. */
  own: Project
  /** Whether a setting has the key of the application's own project, so that it cannot be rotated. */
  hasFixedKey: boolean
  /**
   * Returns the project with this key; undefined if it is unknown or removed. Synchronous: the list is in memory.
   * @throws InboxUnavailable if the list was not read yet
   */
  findProject: (key: string) => Project | undefined
  /**
   * Calls the listener after each commit that changed issues, without delay; listeners throttle themselves.
   * @returns removes the listener
   */
  onNews: (listener: (news: News) => void) => () => void
  stats: () => InboxStats
  close: () => Promise<void>
}
