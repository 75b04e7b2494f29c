import { HOUR } from '@hull/common/time.ts'
import type { Side, Vital } from './model.ts'
import type { Store } from './store.ts'
import { readSetting } from './stored-settings.ts'

/** Names of figures in `figure_hour`. */
export type FigureName =
  | 'errors'
  | 'visitors'
  | 'visitor_days'
  | 'sessions'
  | 'sessions_errored'
  | 'sessions_crashed'
  | 'sessions_abnormal'
  | 'frames'
  | 'frames_unresolved'

/** The project, hour, environment and release that a figure is counted for. */
export interface FigurePlace {
  project: number
  /** Hours since the epoch. */
  hour: number
  environment: string
  /** Id of the release; 0 for none. */
  release: number
}

/** The project, hour, route and bucket that a latency is counted for. */
export interface LatencyPlace extends FigurePlace {
  side: Side
  route: string
  bucket: number
}

/** The project, hour, page and bucket that a vital is counted for. */
export interface VitalPlace extends FigurePlace {
  vital: Vital
  page: string
  bucket: number
}

/** Adds a quantity to an hourly figure. */
export function addFigure(store: Store, place: FigurePlace, name: FigureName, quantity: number): void {
  if (quantity === 0) return
  const { project, hour, environment, release } = place
  store.run(
    `INSERT INTO figure_hour (project, hour, name, environment, release, quantity) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (project, name, hour, environment, release) 
     DO UPDATE SET quantity = figure_hour.quantity + excluded.quantity`,
    project,
    hour,
    name,
    environment,
    release,
    quantity
  )
  noteChange(store, hour)
}

/** Adds requests, and the failed ones of them, to the latencies of an hour. */
export function addLatency(store: Store, place: LatencyPlace, requests: number, errors: number): void {
  const { project, hour, side, route, environment, release, bucket } = place
  store.run(
    `INSERT INTO latency_hour (project, hour, side, route, environment, release, bucket, requests, errors)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (project, hour, side, route, environment, release, bucket)
      DO UPDATE SET requests = latency_hour.requests + excluded.requests, errors = latency_hour.errors + excluded.errors`,
    project,
    hour,
    side,
    route,
    environment,
    release,
    bucket,
    requests,
    errors
  )
  noteChange(store, hour)
}

/** Adds samples to the vitals of an hour, or subtracts samples that larger values replaced. */
export function addVital(store: Store, place: VitalPlace, samples: number): void {
  if (samples === 0) return
  const { project, hour, vital, page, environment, release, bucket } = place
  const key = [project, hour, vital, page, environment, release, bucket] as const
  if (samples > 0)
    store.run(
      `INSERT INTO vital_hour (project, hour, vital, page, environment, release, bucket, samples)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project, hour, vital, page, environment, release, bucket)
        DO UPDATE SET samples = vital_hour.samples + excluded.samples`,
      ...key,
      samples
    )
  else
    store.run(
      `UPDATE vital_hour SET samples = max(0, samples - ?) WHERE project = ? AND hour = ? AND vital = ? AND page = ?
        AND environment = ? AND release = ? AND bucket = ? AND samples > 0`,
      -samples,
      ...key
    )
  noteChange(store, hour)
}

/** Milliseconds after the end of an hour or day at which readers may cache its rollups. */
export const SETTLED_AFTER = HOUR

/**
 * Milliseconds after the end of an hour at which changes to it are announced. Half of the above, because time passes
 * between a writer's check of the clock and its commit.
 */
const ANNOUNCED_AFTER = SETTLED_AFTER / 2

/**
 * Invalidates the readers' caches if the hour is old enough to be cached. Call it in the transaction of the change.
 * @param hour hours since the epoch
 */
export function noteChange(store: Store, hour: number): void {
  if ((hour + 1) * HOUR < Date.now() - ANNOUNCED_AFTER) bumpRollupCacheVersion(store)
}

/** Invalidates the rollup caches of all readers. */
export function bumpRollupCacheVersion(store: Store): void {
  store.run(
    `INSERT INTO setting (name, value) VALUES ('late_changes', '1')
     ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(setting.value AS BIGINT) + 1 AS TEXT)`
  )
}

/** Number of invalidations so far. Readers discard their cache when it changes. */
export const readRollupCacheVersion = (store: Store): number => readSetting(store, 'late_changes') ?? 0
