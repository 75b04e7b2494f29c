import type { Store } from '../store/store.ts'
import { DUE } from './deliveries.ts'
import { DUE_DRAFT } from './drafts.ts'

export interface AlertWork {
  /** Milliseconds since the epoch. */
  now: number
  /** Whether it is time to check thresholds. */
  checksThresholds: boolean
}

/** Whether there are changes to gather, messages to send or thresholds to check. */
export const hasAlertWork = (store: Store, { now, checksThresholds }: AlertWork): boolean =>
  store.get(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM alert_fact) OR EXISTS (SELECT 1 FROM alert_draft WHERE ${DUE_DRAFT})
     OR EXISTS (SELECT 1 FROM alert_message WHERE ${DUE})
     OR (?2 = 1 AND EXISTS (
       SELECT 1 FROM alert_threshold JOIN project ON project.id = project AND removed IS NULL WHERE enabled = 1))`,
    now,
    Number(checksThresholds)
  ) !== undefined
