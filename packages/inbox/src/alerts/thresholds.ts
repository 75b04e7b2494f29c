import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'
import { askFigure, askPercentiles, type RollupScope } from '../queries/rollups/figures.ts'
import { sum } from '../queries/issues/issue-rows.ts'
import { crashFree } from '../queries/overview/overview.ts'
import { fromCounted } from '../queries/performance/vitals.ts'
import { toPlain } from '../queries/plain-row.ts'
import type { Vital } from '../store/model.ts'
import type { Row, Store } from '../store/store.ts'
import { readSetting } from '../store/stored-settings.ts'
import { errorTitle } from '../web/error-title.ts'
import { addToDraft } from './drafts.ts'
import { THRESHOLD_CHANGES, type AlertThreshold, type ThresholdKind, type ThresholdReading } from './types.ts'

/** Hours of the usual rate. */
const USUAL_HOURS = (7 * DAY) / HOUR

/**
 * Milliseconds within the bound after which a threshold does not fire any more, so that a figure that moves around its
 * bound does not send a message each time. A guess.
 */
const CALM = 10 * MINUTE

type ThresholdRow = Row & {
  project: number
  project_created: number
  kind: ThresholdKind
  issue: number | null
  issue_type: string | null
  issue_value: string | null
  vital: Vital | null
  environment: string | null
  bound: number
  minimum: number
  tells_end: number
  enabled: number
}

/** A threshold with the figure that it watches. */
export interface MeasuredThreshold {
  threshold: AlertThreshold
  reading: ThresholdReading
  /** Whether the figure is past the bound. Undefined if there are fewer samples than the minimum. */
  isPast: boolean | undefined
}

/** Thresholds of projects that are not removed, by project. Reads only rollups. */
export function listThresholds(store: Store, { now }: { now: number }): MeasuredThreshold[] {
  const keptHours = ((readSetting(store, 'retention_days') ?? Infinity) * DAY) / HOUR - 1
  return store
    .all<ThresholdRow>(
      `SELECT alert_threshold.id, alert_threshold.project, project.name AS projectName, project.created AS project_created,
         channel, alert_channel.name AS channelName, alert_threshold.kind, issue, issue.type AS issue_type,
         issue.value AS issue_value, vital, environment, bound, minimum, tells_end, enabled, firing_since AS firingSince,
         calm_since AS calmSince
       FROM alert_threshold JOIN project ON project.id = alert_threshold.project AND project.removed IS NULL
       JOIN alert_channel ON alert_channel.id = alert_threshold.channel
       LEFT JOIN issue ON issue.id = alert_threshold.issue AND issue.project = alert_threshold.project
       ORDER BY alert_threshold.project, alert_threshold.id`
    )
    .map((row) => {
      const reading = MEASURES[row.kind](store, row, now, keptHours)
      return { threshold: toThreshold(row), reading, isPast: isPast(row, reading) }
    })
}

/**
 * Compares each enabled threshold with its figure, and adds changes of state to the drafts. Call it in a transaction:
 * the lock makes a change of state happen once.
 * @param now milliseconds since the epoch, by the clock of the alert loop
 * @param wall the same by the machine's clock, which events are counted by
 */
export function checkThresholds(store: Store, now: number, wall: number): void {
  for (const measured of listThresholds(store, { now: wall })) {
    const { threshold, isPast } = measured
    if (!threshold.isEnabled || isPast === undefined) continue
    if (isPast) begin(store, measured, now, wall)
    else if (threshold.firingSince !== undefined) calm(store, measured, now, wall)
  }
}

function begin(store: Store, measured: MeasuredThreshold, now: number, wall: number): void {
  const { id, firingSince, calmSince } = measured.threshold
  if (firingSince !== undefined) {
    if (calmSince !== undefined) store.write('UPDATE alert_threshold SET calm_since = NULL WHERE id = ?', id)
    return
  }
  store.write('UPDATE alert_threshold SET firing_since = ? WHERE id = ?', now, id)
  tell(store, measured, 0, now, wall)
}

function calm(store: Store, measured: MeasuredThreshold, now: number, wall: number): void {
  const { id, calmSince, tellsEnd } = measured.threshold
  // A clock that was set back must not delay the end.
  if (calmSince === undefined || calmSince > now)
    store.write('UPDATE alert_threshold SET calm_since = ? WHERE id = ?', now, id)
  else if (now - calmSince >= CALM) {
    store.write('UPDATE alert_threshold SET firing_since = NULL, calm_since = NULL WHERE id = ?', id)
    if (tellsEnd) tell(store, measured, 1, now, wall)
  }
}

/** @param change 0 for the begin, 1 for the end */
function tell(store: Store, { threshold, reading }: MeasuredThreshold, change: 0 | 1, now: number, wall: number): void {
  const { id, project, channel, kind, issue, vital, environment, bound, minimum } = threshold
  const subject = {
    id,
    kind,
    ...(issue !== undefined && { issue }),
    ...(vital && { vital }),
    ...(environment !== undefined && { environment }),
    bound,
    minimum
  }
  const item = { kind: THRESHOLD_CHANGES[kind][change], at: wall, threshold: { ...subject, ...reading } }
  addToDraft(store, { channel, project }, [item], now)
}

function isPast({ kind, bound, minimum }: ThresholdRow, reading: ThresholdReading): boolean | undefined {
  const { value, samples, usual = 0 } = reading
  if (kind === 'spike') return samples >= minimum && value > bound * usual
  if (samples < minimum) return undefined
  return kind === 'vital' ? value > bound : value < bound
}

/** @param keptHours whole hours that the retention has not begun to delete */
type Measure = (store: Store, row: ThresholdRow, now: number, keptHours: number) => ThresholdReading

/* The rollups are by hour, so each figure covers the running hour, and the hour before at least in part. */
const MEASURES: Record<ThresholdKind, Measure> = {
  /** The events of the last 60 minutes: those of the hour before are assumed to be spread evenly. */
  spike(store, row, now, keptHours) {
    const { project_created: created, issue } = row
    const count = USUAL_HOURS + 2
    const hours =
      issue === null ? askFigure(store, 'errors', scopeOf(row, now, count))() : readIssueHours(store, issue, now, count)
    const [before = 0, running = 0] = hours.slice(-2)
    const samples = Math.round(running + before * (1 - (now % HOUR) / HOUR))
    // The hours before the project was created, and those that the retention has deleted, are not usual ones.
    const known = Math.min(USUAL_HOURS, keptHours, Math.max(0, Math.floor(now / HOUR) - 1 - Math.floor(created / HOUR)))
    return { value: samples, samples, usual: medianOf(hours.slice(-2 - known, -2)), since: now - HOUR }
  },
  'crash-free'(store, row, now) {
    const scope = scopeOf(row, now, 2)
    const sessions = askFigure(store, 'sessions', scope)
    const crashed = askFigure(store, 'sessions_crashed', scope)
    const samples = sum(sessions())
    const share = crashFree(samples, sum(crashed())) ?? 1
    return { value: share * 100, samples, since: scope.steps.start }
  },
  vital(store, row, now) {
    const scope = scopeOf(row, now, 2)
    const vital = row.vital!
    const { all = 0, total: samples } = askPercentiles(store, vital, 0.75, scope)()
    return { value: fromCounted(vital, all), samples, since: scope.steps.start }
  }
}

/** The running hour and those before it. */
function scopeOf({ project, environment }: ThresholdRow, now: number, count: number): RollupScope {
  const until = (Math.floor(now / HOUR) + 1) * HOUR
  const start = until - count * HOUR
  const view = { since: start, until, ...(environment !== null && { environment }) }
  return { projects: [project], view, steps: { start, step: HOUR, count } }
}

function readIssueHours(store: Store, issue: number, now: number, count: number): number[] {
  const first = Math.floor(now / HOUR) + 1 - count
  const hours = Array.from({ length: count }, () => 0)
  for (const { hour, events } of store.all<{ hour: number; events: number }>(
    'SELECT hour, events FROM issue_hour WHERE issue = ? AND hour >= ? AND hour < ?',
    issue,
    first,
    first + count
  ))
    hours[hour - first] = events
  return hours
}

/** Of an even number of values, the mean of the two in the middle; 0 without values. */
function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}

function toThreshold(row: ThresholdRow): AlertThreshold {
  const {
    project_created: _created,
    issue_type: type,
    issue_value: value,
    tells_end: tellsEnd,
    enabled,
    ...others
  } = row
  return {
    ...toPlain<AlertThreshold>(others),
    ...(type !== null && { issueTitle: errorTitle({ type, value: value! }) }),
    tellsEnd: tellsEnd === 1,
    isEnabled: enabled === 1
  }
}
