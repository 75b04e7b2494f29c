import { MINUTE } from '@hull/common/time.ts'
import type { TunnelStats } from '@hull/monitoring'
import type { StoreHealth } from '../queries/overview/health-types.ts'
import type { Refusal } from '../ingest/http/refusals.ts'
import type { InboxStats } from '../store/inbox.ts'
import type { ItemTypeRow } from '../store/item-types.ts'

/** Input of the doctor's checks. */
export interface Examination {
  /** Milliseconds since the epoch. */
  now: number
  /** Undefined if the store did not answer. */
  health?: StoreHealth
  inbox: InboxStats
  /** Whether the inbox is in a database, which replicas share. */
  isShared?: boolean
  /** Whether the application has replicas, and no SESSION_SECRET that they share. */
  hasOwnSecret?: boolean
  /** Whether the inbox runs without an application, so that only services with a DSN report to it. */
  isAlone?: boolean
  /** Undefined without an external provider, since only its spool is checked. */
  tunnel?: TunnelState
  /** Envelopes of services that were refused; without the name of a project that is unknown. @default none */
  refusals?: (Refusal & { projectName: string | undefined })[]
}

/** The part of the tunnel's figures that is checked. */
export type TunnelState = Pick<TunnelStats, 'available' | 'bytes' | 'envelopes' | 'oldestAge' | 'drops' | 'providers'> &
  Partial<Pick<TunnelStats, 'clockJump'>>

/**
 * - `good`: works
 * - `look`: works, but needs attention
 * - `bad`: does not work
 * - `quiet`: no data yet, or nothing to do
 */
export type Verdict = 'good' | 'look' | 'bad' | 'quiet'

/** Result of one check, as text. */
export interface Finding {
  id: string
  /** Its title: what holds, or what is wrong. */
  check: string
  verdict: Verdict
  says: string
  /** When the reported thing happened, milliseconds since the epoch. */
  at?: number
  /** How to fix it. */
  todo?: string
  /** Shown as code after the text: a stack frame or a path. */
  sample?: string
  /** Dropped items with the reason. */
  drops?: { what: string; why: string; quantity: number; isHarmless: boolean }[]
  /** Types of received items, and where each is shown or why it is dropped. */
  types?: (ItemTypeRow & { shown: string })[]
}

/** Result of a check, without a title if it is that of {@link diagnose}. */
export type Outcome = Omit<Finding, 'id' | 'check'> & Partial<Pick<Finding, 'check'>>

/** Milliseconds an envelope may wait before delivery counts as blocked. Our choice. */
export const LONG_WAIT = MINUTE

/** Sum of what rows count. */
export const totalOf = (rows: readonly { quantity: number }[]): number =>
  rows.reduce((sum, { quantity }) => sum + quantity, 0)
