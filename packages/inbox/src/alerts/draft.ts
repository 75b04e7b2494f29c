import type { AlertKind, ThresholdReading, ThresholdSubject } from './types.ts'

/** A change in a draft. */
export interface DraftItem {
  kind: AlertKind
  at: number
  issue?: number
  /** Environment of the event, if the rule names some. */
  environment?: string
  /** Name of the person who made the change. */
  by?: string
  /** Name of the person to whom the issue was assigned. */
  detail?: string
  /** Id of a comment. */
  comment?: number
  monitor?: number
  feedback?: number
  /** A threshold with its figure at that time. */
  threshold?: ThresholdSubject & ThresholdReading & { id: number }
}

export type Counts = Partial<Record<AlertKind, number>>

export interface Draft {
  channel: number
  project: number
  opened: number
  counts: Counts
  items: DraftItem[]
}

/** Number of changes. */
export const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)
