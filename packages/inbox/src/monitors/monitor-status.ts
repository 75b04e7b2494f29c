import { addAlertFact } from '../alerts/facts.ts'
import type { Store } from '../store/store.ts'

/** Maximum results in a row of a threshold. Ours. */
export const MAX_STREAK = 1_000

/**
 * Whether nothing newer of the monitor was received. Check-ins that waited in a spool are stored beside newer ones. If the
 * clock was ahead for a while, the newest time is later than now and does not count.
 * @param at milliseconds since the epoch of the check-in or result
 * @param now milliseconds since the epoch
 */
export const isNewestOf = ({ lastReceived }: { lastReceived: number }, at: number, now: number): boolean =>
  lastReceived <= at || lastReceived > now

/** Whether a run of the monitor that began later has ended: it says more about the job than the late end of this one. */
export function hasLaterResult(
  store: Store,
  { id, monitor, received }: { id: number; monitor: number; received: number }
): boolean {
  const later = store.get(
    `SELECT 1 FROM check_in WHERE monitor_id = ? AND id > ? AND received > ? AND status IN ('ok', 'error') LIMIT 1`,
    monitor,
    id,
    received
  )
  return later !== undefined
}

interface StatusRow {
  project: number
  environment: string
  /** Last result; null before the first. */
  status: string | null
  /** Results in a row after which the monitor counts as failed, and as recovered. */
  failures: number
  recoveries: number
  /** Results in a row of the same kind, up to the last one. */
  streak: number
  alerting: number
}

/**
 * Writes the last result of a monitor. Records for alerts when the monitor has failed, and when it has recovered, after
 * the number of results in a row that its configuration names. Call it in the transaction of the check-in.
 * @param status ok, error, missed or timeout
 * @param at milliseconds since the epoch
 */
export function setMonitorStatus(store: Store, id: number, status: string, at: number): void {
  const monitor = store.get<StatusRow>(
    'SELECT project, environment, status, failures, recoveries, streak, alerting FROM monitor WHERE id = ?',
    id
  )
  // It was deleted; the check-in is still there.
  if (!monitor) return
  const { project, environment, status: before, failures, recoveries, alerting } = monitor
  const fails = status !== 'ok'
  const isSameKind = before !== null && fails === (before !== 'ok')
  const streak = isSameKind ? Math.min(monitor.streak + 1, MAX_STREAK) : 1
  const isChange = fails !== (alerting === 1) && streak >= (fails ? failures : recoveries)
  store.write(
    'UPDATE monitor SET status = ?, streak = ?, alerting = ? WHERE id = ?',
    status,
    streak,
    Number(isChange ? fails : alerting === 1),
    id
  )
  if (!isChange) return
  const kind = fails ? 'monitor-failed' : 'monitor-recovered'
  addAlertFact(store, { project, kind, subject: id, at, environment })
}
