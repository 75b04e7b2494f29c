import { MINUTE, SECOND } from '@hull/common/time.ts'
import { readSetting, writeSetting } from '../store/stored-settings.ts'
import { Interval } from '../store/interval.ts'
import type { Store } from '../store/store.ts'
import { hasLaterResult, isNewestOf, setMonitorStatus } from './monitor-status.ts'
import { findNextTime, type Schedule } from './schedule.ts'

/**
 * Milliseconds without a check of the monitors after which the inbox counts as having been down, although this process
 * ran. Ours.
 */
const OUTAGE = 3 * MINUTE

/**
 * Milliseconds before the time of a crontab in which a check-in is the one that is expected then: the clock of the job's
 * machine is a little ahead. A guess.
 */
const MAX_EARLY = 10 * SECOND

interface DueMonitor {
  id: number
  project: number
  slug: string
  environment: string
  next: number
}

interface LateCheckIn {
  id: number
  /** Null if it was deleted. */
  monitor: number | null
  received: number
  maxRuntime: number | null
  lastReceived: number | null
}

/** Finds missed check-ins, and jobs that run too long. */
export class MonitorWatch {
  readonly #store: Store
  /** Since when the inbox runs without interruption; undefined before the first check. */
  #since: number | undefined
  readonly #notes = new Interval(MINUTE)

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Does one small piece of work. Call it in a transaction, each second and while it has more.
   * @param now milliseconds since the epoch
   * @returns whether there is more
   */
  step(now: number): boolean {
    if (this.#notes.isDue(now)) this.#noteCheck(now)
    return [this.#markMissed(now), this.#markTimeout(now), this.#plan()].includes(true)
  }

  /**
   * Records each minute that the monitors are checked. Check-ins could not arrive while they were not: after a start or
   * an outage, plans the monitors whose time came meanwhile.
   */
  #noteCheck(now: number): void {
    this.#notes.restart(now)
    const last = readSetting(this.#store, 'monitors_checked')
    const isAfterOutage = last === undefined || Math.abs(now - last) > OUTAGE
    if (isAfterOutage || this.#since === undefined) {
      this.#since = now
      // After a short stop, monitors that were late before, and still may be, are late. A clock that was ahead has
      // planned monitors for later than their time.
      this.#store.run(
        `UPDATE monitor SET plan_from = ?1, next = NULL, due = NULL WHERE next <= ?2 AND (next >= ?3 OR due <= ?1)`,
        now,
        last !== undefined && last > now ? Number.MAX_SAFE_INTEGER : now,
        isAfterOutage ? 0 : last
      )
    }
    const { hasAny } = this.#store.get<{ hasAny: number }>('SELECT EXISTS (SELECT 1 FROM monitor) AS hasAny')!
    if (hasAny === 1) writeSetting(this.#store, 'monitors_checked', now)
  }

  /** @returns whether there was one */
  #markMissed(now: number): boolean {
    const monitor = this.#store.get<DueMonitor>(
      'SELECT id, project, slug, environment, next FROM monitor WHERE due <= ? ORDER BY due LIMIT 1',
      now
    )
    if (!monitor) return false
    const { id, next } = monitor
    this.#addMissed(monitor)
    this.#store.run('UPDATE monitor SET plan_from = ?, next = NULL, due = NULL WHERE id = ?', next, id)
    setMonitorStatus(this.#store, id, 'missed', now)
    return true
  }

  #addMissed({ id, project, slug, environment, next }: DueMonitor): void {
    const last = this.#store.get<{ id: number; status: string }>(
      'SELECT id, status FROM check_in WHERE monitor_id = ? ORDER BY id DESC LIMIT 1',
      id
    )
    if (last?.status === 'missed') {
      this.#store.run('UPDATE check_in SET missed = coalesce(missed, 1) + 1, finished = ? WHERE id = ?', next, last.id)
      return
    }
    this.#store.run(
      `INSERT INTO check_in (project, check_in_id, monitor, monitor_id, status, environment, received, finished, missed)
       VALUES (?, ?, ?, ?, 'missed', ?, ?, ?, 1) ON CONFLICT DO NOTHING`,
      project,
      `missed ${id} ${next}`,
      slug,
      id,
      environment,
      next,
      next
    )
  }

  /** @returns whether there was one to look at */
  #markTimeout(now: number): boolean {
    const late = this.#store.get<LateCheckIn>(
      `SELECT check_in.id, monitor.id AS monitor, received, max_runtime AS maxRuntime,
         last_received AS lastReceived
       FROM check_in LEFT JOIN monitor ON monitor.id = monitor_id
       WHERE check_in.status = 'in_progress' AND expires <= ? ORDER BY expires LIMIT 1`,
      now
    )
    if (!late) return false
    const { id, monitor, received, maxRuntime, lastReceived } = late
    // The result of a job that began before an outage may have been sent during the outage, or may follow.
    const expires = Math.max(received, this.#since ?? 0) + (maxRuntime ?? 0)
    if (expires > now) {
      this.#store.run('UPDATE check_in SET expires = ? WHERE id = ?', expires, id)
      return true
    }
    this.#store.run(`UPDATE check_in SET status = 'timeout', finished = ? WHERE id = ?`, now, id)
    // A check-in that waited in a spool may have expired before newer ones arrived.
    if (monitor === null || lastReceived === null || !isNewestOf({ lastReceived }, expires, now)) return true
    if (!hasLaterResult(this.#store, { id, monitor, received })) setMonitorStatus(this.#store, monitor, 'timeout', now)
    return true
  }

  /** Computes when a monitor's next check-in is expected. @returns whether there was one to plan */
  #plan(): boolean {
    const monitor = this.#store.get<Schedule & { id: number; margin: number; plan_from: number }>(
      'SELECT id, crontab, every, unit, zone, margin, plan_from FROM monitor WHERE plan_from IS NOT NULL LIMIT 1'
    )
    if (!monitor) return false
    // A check-in that waited in the spool of an outage may be followed by others: none that was due then is missed.
    const from = Math.max(monitor.plan_from, this.#since ?? 0)
    const next = findNextTime(monitor, monitor.crontab === null ? from : from + MAX_EARLY)
    this.#store.run(
      'UPDATE monitor SET plan_from = NULL, next = ?, due = ? WHERE id = ?',
      next ?? null,
      next === undefined ? null : next + monitor.margin,
      monitor.id
    )
    return true
  }
}
