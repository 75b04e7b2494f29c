import { randomBytes } from 'node:crypto'
import { DAY, MINUTE } from '@hull/common/time.ts'
import { hasLaterResult, isNewestOf, MAX_STREAK, setMonitorStatus } from '../../monitors/monitor-status.ts'
import { isUnit } from '../../monitors/schedule.ts'
import type { Store } from '../../store/store.ts'
import type { IngestContext, Item } from '../context.ts'
import { asObject, isObject, parseObject, toCount, toId, toNumber, toText } from '../fields.ts'

const STATUSES = new Set(['in_progress', 'ok', 'error', 'missed', 'timeout'])

/** Maximum monitors of a project, in all environments. Any client can send new names. Ours. */
const MAX_MONITORS = 500

/** Milliseconds that a check-in may be late, and that a job may run, if its monitor does not say. Sentry's. */
const DEFAULT_MARGIN = MINUTE
const DEFAULT_MAX_RUNTIME = 30 * MINUTE

/** Maximum milliseconds of either. Ours. */
const MAX_MINUTES = (7 * DAY) / MINUTE

/** Largest number of units in an interval. Ours. */
const MAX_EVERY = 100_000

interface CheckIn {
  /** Undefined for the result of the newest run that has none, or for a run that is reported once, at its end. */
  id: string | undefined
  slug: string
  status: string
  environment: string
  /** Seconds. */
  duration: number | null
  traceId: string | null
  config: unknown
}

/** Reads a check-in of a job. Its times are by the clock of the database, which decides whether the next one is missed. */
export function storeCheckIn({ payload }: Item, given: IngestContext): void {
  const { clockAhead } = given.store
  const context = { ...given, receivedAt: given.receivedAt - clockAhead, now: given.now - clockAhead }
  const checkIn = toCheckIn(parseObject(payload), context)
  context.batch.later.add(() => writeCheckIn(checkIn, context))
}

/** Stores a check-in. A job reports its start and later its result; both are one row. */
function writeCheckIn(checkIn: CheckIn, context: IngestContext): void {
  const { store, project } = context
  const known = findStart(store, project, checkIn)
  if (known) return finish(known, checkIn, context)
  const monitor = findMonitor(store, project, checkIn) ?? addMonitor(context, checkIn)
  if (monitor === undefined) return context.drop('too_many_monitors', 'monitor', 1)
  if (isObject(checkIn.config) && isNewest(monitor, context)) configure(store, monitor, checkIn.config)
  begin(monitor, checkIn, context)
}

/** Finds the stored check-in that this one belongs to. */
function findStart(store: Store, project: number, checkIn: CheckIn): StoredCheckIn | undefined {
  const { id, slug, environment, status } = checkIn
  const columns = 'check_in.id, monitor_id AS monitor, check_in.status, received, last_received AS lastReceived'
  if (id !== undefined)
    return store.get<StoredCheckIn>(
      `SELECT ${columns} FROM check_in LEFT JOIN monitor ON monitor.id = monitor_id
       WHERE check_in.project = ? AND check_in_id = ?`,
      project,
      id
    )
  if (status === 'in_progress') return undefined
  // There are few running jobs, and many check-ins of a monitor.
  return store.get<StoredCheckIn>(
    `SELECT ${columns} FROM check_in INDEXED BY check_in_by_expiry JOIN monitor ON monitor.id = monitor_id
     WHERE check_in.status = 'in_progress' AND monitor.project = ? AND monitor.slug = ? AND monitor.environment = ?
     ORDER BY expires DESC, check_in.id DESC LIMIT 1`,
    project,
    slug,
    environment
  )
}

/** An id of zeros, as Sentry's tools write it, is none. */
const isNoId = (value: unknown): boolean => value === undefined || (typeof value === 'string' && /^[0-]+$/.test(value))

function toCheckIn(raw: Record<string, unknown>, context: IngestContext): CheckIn {
  const id = toId(raw['check_in_id'], 32)
  const slug = toText(raw['monitor_slug'], 100)
  const { status } = raw
  if (id === undefined && !isNoId(raw['check_in_id'])) throw new TypeError('the id of a check-in has 32 hex digits')
  if (slug === undefined || typeof status !== 'string' || !STATUSES.has(status))
    throw new TypeError('a check-in has a monitor and a status')
  const duration = toNumber(raw['duration'])
  return {
    id,
    slug,
    status,
    environment: context.environmentOf(raw['environment']),
    duration: duration !== undefined && duration >= 0 ? duration : null,
    traceId: toId(asObject(asObject(raw['contexts'])['trace'])['trace_id'], 32) ?? null,
    config: raw['monitor_config']
  }
}

const isNewest = (monitor: { lastReceived: number }, { receivedAt, now }: IngestContext): boolean =>
  isNewestOf(monitor, receivedAt, now)

/** Stores a new check-in. The newest one of its monitor sets the plan and the status. */
function begin(monitor: Monitor, checkIn: CheckIn, context: IngestContext): void {
  const { store, project, receivedAt } = context
  const { id = randomBytes(16).toString('hex'), slug, status, environment, duration, traceId } = checkIn
  const isRunning = status === 'in_progress'
  store.write(
    `INSERT INTO check_in
       (project, check_in_id, monitor, monitor_id, status, duration, environment, received, finished, expires, trace_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    project,
    id,
    slug,
    monitor.id,
    status,
    duration,
    environment,
    receivedAt,
    isRunning ? null : receivedAt,
    receivedAt + monitor.maxRuntime,
    traceId
  )
  if (!isNewest(monitor, context)) return
  store.write(
    'UPDATE monitor SET last_received = ?1, plan_from = ?1, next = NULL, due = NULL WHERE id = ?2',
    receivedAt,
    monitor.id
  )
  if (!isRunning) setMonitorStatus(store, monitor.id, status, receivedAt)
}

interface StoredCheckIn {
  id: number
  monitor: number
  status: string
  /** Milliseconds since the epoch. */
  received: number
  /** Of its monitor; null if that was deleted. */
  lastReceived: number | null
}

/**
 * Stores the result of a check-in. Ignores a second one, except after a timeout. The newest one of its monitor sets the
 * status, unless a later run has ended before.
 */
function finish(known: StoredCheckIn, { status, duration }: CheckIn, context: IngestContext): void {
  const { store, receivedAt } = context
  const { id, monitor, lastReceived } = known
  if (status === 'in_progress' || !['in_progress', 'timeout'].includes(known.status)) return
  store.write(
    'UPDATE check_in SET status = ?, duration = coalesce(?, duration), finished = ? WHERE id = ?',
    status,
    duration,
    receivedAt,
    id
  )
  if (lastReceived === null || !isNewest({ lastReceived }, context)) return
  store.write('UPDATE monitor SET last_received = ? WHERE id = ?', receivedAt, monitor)
  if (hasLaterResult(store, known)) return
  // A timeout was the failure of this run already.
  if (known.status === 'timeout' && status !== 'ok')
    store.write('UPDATE monitor SET status = ? WHERE id = ?', status, monitor)
  else setMonitorStatus(store, monitor, status, receivedAt)
}

interface Monitor {
  id: number
  /** Milliseconds. */
  maxRuntime: number
  /** Milliseconds since the epoch when its newest check-in or result was received. */
  lastReceived: number
}

const findMonitor = (store: Store, project: number, { slug, environment }: CheckIn): Monitor | undefined =>
  store.get<Monitor>(
    `SELECT id, max_runtime AS maxRuntime, last_received AS lastReceived
     FROM monitor WHERE project = ? AND slug = ? AND environment = ?`,
    project,
    slug,
    environment
  )

function addMonitor({ store, project, receivedAt }: IngestContext, checkIn: CheckIn): Monitor | undefined {
  const { monitors } = store.get<{ monitors: number }>(
    'SELECT count(*) AS monitors FROM monitor WHERE project = ?',
    project
  )!
  if (monitors >= MAX_MONITORS) return undefined
  const id = store.insert(
    `INSERT INTO monitor (project, slug, environment, zone, margin, max_runtime, last_received)
     VALUES (?, ?, ?, 'UTC', ?, ?, ?)`,
    project,
    checkIn.slug,
    checkIn.environment,
    DEFAULT_MARGIN,
    DEFAULT_MAX_RUNTIME,
    receivedAt
  )
  return { id, maxRuntime: DEFAULT_MAX_RUNTIME, lastReceived: receivedAt }
}

/** Stores what a `monitor_config` says. Its crontab is read later, by maintenance. */
function configure(store: Store, monitor: Monitor, config: Record<string, unknown>): void {
  const { type, value, unit } = asObject(config['schedule'])
  const every = type === 'interval' ? toNumber(value) : undefined
  const isInterval = every !== undefined && Number.isInteger(every) && every > 0 && every <= MAX_EVERY && isUnit(unit)
  monitor.maxRuntime = toMinutes(config['max_runtime']) ?? DEFAULT_MAX_RUNTIME
  store.write(
    `UPDATE monitor SET crontab = ?, every = ?, unit = ?, zone = ?, margin = ?, max_runtime = ?, failures = ?,
       recoveries = ? WHERE id = ?`,
    type === 'crontab' ? (toText(value, 100) ?? null) : null,
    isInterval ? every : null,
    isInterval ? unit : null,
    toText(config['timezone'], 64) ?? 'UTC',
    toMinutes(config['checkin_margin']) ?? DEFAULT_MARGIN,
    monitor.maxRuntime,
    toThreshold(config['failure_issue_threshold']),
    toThreshold(config['recovery_threshold']),
    monitor.id
  )
}

const toThreshold = (value: unknown): number => Math.min(Math.max(toCount(value), 1), MAX_STREAK)

function toMinutes(value: unknown): number | undefined {
  const minutes = toNumber(value)
  return minutes === undefined || minutes < 0 ? undefined : Math.round(Math.min(minutes, MAX_MINUTES) * MINUTE)
}
