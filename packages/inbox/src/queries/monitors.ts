import { InboxMonitorNotFound } from '../errors.ts'
import type { Schedule } from '../monitors/schedule.ts'
import type { Row, Store } from '../store/store.ts'
import { MAX_COUNT } from '../web/view.ts'
import { toPlain } from './plain-row.ts'
import { countUpTo, readPageById } from './read-page.ts'
import { canSee, projectsOf } from './scope.ts'
import { isAmong, toList } from './sql.ts'
import type { CheckInList, CheckInRow, CheckInStatus, MonitorList, MonitorRow } from './monitor-types.ts'
import type { PageInput } from './cursor.ts'

/** Maximum monitors of a list. */
const MAX_MONITORS = 200

/** Check-ins of each monitor in a list. */
const RECENT = 24

/** Check-ins of a page. */
const CHECK_INS = 50

/** Sorted by id, which is the order of arrival. */
const ORDER = 'check_in'

type StoredMonitor = Row &
  Schedule & { id: number; project: number; next: number | null; due: number | null; planned: number }

type StoredCheckIn = Row & {
  id: number
  status: CheckInStatus
  at: number
  finished: number | null
  duration: number | null
}

const COLUMNS = `id, project, slug, environment, crontab, every, unit, zone, margin, max_runtime AS maxRuntime, failures, status,
  last_received AS lastCheckIn, next, due, plan_from IS NULL AS planned`

const CHECK_INS_OF =
  'SELECT id, status, received AS at, finished, duration, missed, trace_id AS traceId FROM check_in WHERE monitor_id = ?'

/** Monitors that need attention first, then by name, at most 200. */
export function listMonitors(
  store: Store,
  { project, environment }: { project?: number; environment?: string }
): MonitorList {
  const found = store.all<StoredMonitor>(
    `SELECT ${COLUMNS} FROM monitor WHERE ${isAmong('project', '?1')} AND (environment = ?2 OR ?2 IS NULL)
     ORDER BY coalesce(status, 'ok') = 'ok', slug, environment, id LIMIT ?3`,
    toList(projectsOf(store, project)),
    environment ?? null,
    MAX_MONITORS + 1
  )
  return {
    monitors: found.slice(0, MAX_MONITORS).map((monitor) => {
      const recent = readNewest(store, monitor.id, RECENT)
      return { ...toMonitor(monitor, recent[0]), recent: recent.reverse() }
    }),
    hasMore: found.length > MAX_MONITORS
  }
}

/** @throws InboxMonitorNotFound */
export function getMonitor(store: Store, { id }: { id: number }): MonitorRow {
  return toMonitor(requireMonitor(store, id), readNewest(store, id, 1)[0])
}

function requireMonitor(store: Store, id: number): StoredMonitor {
  const monitor = store.get<StoredMonitor>(`SELECT ${COLUMNS} FROM monitor WHERE id = ?`, id)
  if (!monitor || !canSee(store, monitor.project)) throw new InboxMonitorNotFound()
  return monitor
}

/** Check-ins of a monitor, newest first. @throws InboxCursorInvalid @throws InboxMonitorNotFound */
export function listCheckIns(store: Store, { monitor, ...input }: PageInput & { monitor: number }): CheckInList {
  requireMonitor(store, monitor)
  const { rows, ...cursors } = readPageById<StoredCheckIn>(store, ORDER, input, CHECK_INS, {
    select: CHECK_INS_OF,
    id: 'id',
    of: monitor
  })
  const total = countUpTo(store, MAX_COUNT + 1, 'check_in WHERE monitor_id = ?', monitor)
  return { checkIns: rows.map(toCheckIn), ...cursors, total }
}

const readNewest = (store: Store, monitor: number, limit: number): CheckInRow[] =>
  store.all<StoredCheckIn>(`${CHECK_INS_OF} ORDER BY id DESC LIMIT ?`, monitor, limit).map(toCheckIn)

function toMonitor(monitor: StoredMonitor, newest: CheckInRow | undefined): MonitorRow {
  const { crontab, every, unit, zone, next, due, planned, ...others } = monitor
  const hasSchedule = crontab !== null || every !== null
  return {
    ...toPlain<MonitorRow>(others),
    ...(hasSchedule && { schedule: { crontab, every, unit, zone } }),
    isScheduleInvalid: hasSchedule && planned === 1 && next === null,
    isRunning: newest?.status === 'in_progress',
    ...(next !== null && due !== null && { next, due })
  }
}

function toCheckIn({ duration, ...row }: StoredCheckIn): CheckInRow {
  const { status, at, finished } = row
  return {
    ...toPlain<CheckInRow>(row),
    ...(duration !== null
      ? { duration: duration * 1_000 }
      : finished !== null && finished > at && status !== 'missed' && { duration: finished - at })
  }
}
