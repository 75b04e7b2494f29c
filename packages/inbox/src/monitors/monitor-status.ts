import { addAlertFact } from '../alerts/facts.ts'
import type { Store } from '../store/store.ts'

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

/**
 * Writes the last result of a monitor. Records for alerts when the monitor begins to fail, and when it recovers. Call it
 * in the transaction of the check-in.
 * @param status ok, error, missed or timeout
 * @param at milliseconds since the epoch
 */
export function setMonitorStatus(store: Store, id: number, status: string, at: number): void {
  const monitor = store.get<{ project: number; environment: string; status: string | null }>(
    'SELECT project, environment, status FROM monitor WHERE id = ?',
    id
  )
  // It was deleted; the check-in is still there.
  if (!monitor) return
  store.write('UPDATE monitor SET status = ? WHERE id = ?', status, id)
  const fails = status !== 'ok'
  if (fails === ((monitor.status ?? 'ok') !== 'ok')) return
  const kind = fails ? 'monitor-failed' : 'monitor-recovered'
  const { project, environment } = monitor
  addAlertFact(store, { project, kind, subject: id, at, environment })
}
