import type { Schedule } from '../monitors/schedule.ts'
import type { Cursors } from './cursor.ts'

export type CheckInStatus = 'in_progress' | 'ok' | 'error' | 'missed' | 'timeout'

/** A monitor: a job that checks in, in one environment. Times are milliseconds since the epoch. */
export interface MonitorRow {
  id: number
  project: number
  slug: string
  /** Empty if the job names none. */
  environment: string
  /** Undefined if the job never sent a schedule. Without one, no check-in can be missed. */
  schedule?: Schedule
  /** The crontab or its zone cannot be read, or its time never comes. */
  isScheduleInvalid: boolean
  /** Milliseconds that a check-in may be late. */
  margin: number
  /** Milliseconds after which a job in progress counts as failed. */
  maxRuntime: number
  /** Failed results in a row after which rules alert. */
  failures: number
  /** Result of the last check-in that has one; undefined before the first result. */
  status?: Exclude<CheckInStatus, 'in_progress'>
  /** Whether the newest check-in is in progress. */
  isRunning: boolean
  /** When the newest check-in, or the result of one, was received. */
  lastCheckIn: number
  /** When the next check-in is expected. It is late from then on, and missed at {@link due}. */
  next?: number
  due?: number
}

export interface MonitorList {
  /** Those that need attention first. Each has its newest check-ins, oldest first. */
  monitors: (MonitorRow & { recent: CheckInRow[] })[]
  hasMore: boolean
}

export interface CheckInRow {
  id: number
  status: CheckInStatus
  /** When it arrived; if it is missed, when it was expected. */
  at: number
  /** When its result arrived; for several missed ones in a row, when the last of them was expected. */
  finished?: number
  /** Milliseconds: as the job says, else between its two check-ins. */
  duration?: number
  /** Number of check-ins that were missed in a row. */
  missed?: number
  traceId?: string
}

export interface CheckInList extends Cursors {
  checkIns: CheckInRow[]
  /** Stored check-ins of the monitor, counted up to MAX_COUNT + 1. */
  total: number
}
