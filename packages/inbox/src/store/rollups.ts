import { HOUR } from '@hull/common/time.ts'
import { trustedLatest } from '@hull/common/trusted-clock.ts'
import type { Side, Vital } from './model.ts'
import type { Store } from './store.ts'
import { readSetting } from './stored-settings.ts'

/** Names of figures in `figure_hour`. */
export type FigureName =
  | 'errors'
  | 'visitors'
  | 'visitor_days'
  | 'visitors_of_release'
  | 'visitor_days_of_release'
  | 'visitors_of_environment'
  | 'visitor_days_of_environment'
  | 'visitors_of_project'
  | 'visitor_days_of_project'
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

/** The project, hour, reason and category that dropped items are counted for. */
export interface DropPlace {
  project: number
  /** Hours since the epoch. */
  hour: number
  reason: string
  category: string
}

/**
 * Maximum of a figure and of a number of dropped items, for an hour and each release. Clients report counts, and SQLite
 * returns no number above 2^53: the sum of all hours and releases must stay below it.
 */
const MAX_QUANTITY = 1_000_000_000

const limited = (quantity: number) => Math.min(quantity, MAX_QUANTITY)

/** Adds to the numbers of dropped items. Each place occurs once. */
export function addDrops(
  store: Store,
  origin: 'inbox' | 'client',
  drops: readonly { place: DropPlace; quantity: number }[]
): void {
  store.insertRows(
    'INSERT INTO drop_hour (project, hour, origin, reason, category, quantity)',
    drops.map(({ place: { project, hour, reason, category }, quantity }) => [
      project,
      hour,
      origin,
      reason,
      category,
      limited(quantity)
    ]),
    `ON CONFLICT (hour, project, origin, reason, category)
     DO UPDATE SET quantity = min(drop_hour.quantity + excluded.quantity, ${MAX_QUANTITY})`
  )
}

/** Adds quantities to hourly figures. Each figure has one place. */
export function addFigures(
  store: Store,
  figures: readonly { place: FigurePlace; name: FigureName; quantity: number }[]
): void {
  const changed = figures.filter(({ quantity }) => quantity !== 0)
  store.insertRows(
    'INSERT INTO figure_hour (project, hour, name, environment, release, quantity)',
    changed.map(({ place: { project, hour, environment, release }, name, quantity }) => [
      project,
      hour,
      name,
      environment,
      release,
      limited(quantity)
    ]),
    `ON CONFLICT (project, name, hour, environment, release)
     DO UPDATE SET quantity = min(figure_hour.quantity + excluded.quantity, ${MAX_QUANTITY})`
  )
  noteChanges(store, changed)
}

/** Adds requests, and the failed ones of them, to the latencies of hours. Each place occurs once. */
export function addLatencies(
  store: Store,
  latencies: readonly { place: LatencyPlace; requests: number; errors: number }[]
): void {
  store.insertRows(
    'INSERT INTO latency_hour (project, hour, side, route, environment, release, bucket, requests, errors)',
    latencies.map(({ place, requests, errors }) => {
      const { project, hour, side, route, environment, release, bucket } = place
      return [project, hour, side, route, environment, release, bucket, requests, errors]
    }),
    `ON CONFLICT (project, hour, side, route, environment, release, bucket) DO UPDATE
     SET requests = latency_hour.requests + excluded.requests, errors = latency_hour.errors + excluded.errors`
  )
  noteChanges(store, latencies)
}

/** Adds samples to the vitals of hours, or subtracts samples that larger values replaced. Each place occurs once. */
export function addVitals(store: Store, vitals: readonly { place: VitalPlace; samples: number }[]): void {
  const keyOf = ({ project, hour, vital, page, environment, release, bucket }: VitalPlace) =>
    [project, hour, vital, page, environment, release, bucket] as const
  store.insertRows(
    'INSERT INTO vital_hour (project, hour, vital, page, environment, release, bucket, samples)',
    vitals.filter(({ samples }) => samples > 0).map(({ place, samples }) => [...keyOf(place), samples]),
    `ON CONFLICT (project, hour, vital, page, environment, release, bucket)
     DO UPDATE SET samples = vital_hour.samples + excluded.samples`
  )
  for (const { place, samples } of vitals.filter(({ samples }) => samples < 0))
    store.write(
      `UPDATE vital_hour SET samples = CASE WHEN samples > ?1 THEN samples - ?1 ELSE 0 END
       WHERE project = ?2 AND hour = ?3 AND vital = ?4 AND page = ?5 AND environment = ?6 AND release = ?7
         AND bucket = ?8 AND samples > 0`,
      -samples,
      ...keyOf(place)
    )
  noteChanges(
    store,
    vitals.filter(({ samples }) => samples !== 0)
  )
}

/** Milliseconds after the end of an hour or day at which readers may cache its rollups. */
export const SETTLED_AFTER = HOUR

/**
 * Milliseconds after the end of an hour at which changes to it are announced. Half of the above, because time passes
 * between a writer's check of the clock and its commit.
 */
const ANNOUNCED_AFTER = SETTLED_AFTER / 2

/**
 * Invalidates the readers' caches if the hour is old enough to be cached, also if the clock has been set back since then.
 * Call it in the transaction of the change.
 * @param hour hours since the epoch
 */
export function noteChange(store: Store, hour: number): void {
  if ((hour + 1) * HOUR < trustedLatest() - ANNOUNCED_AFTER) bumpRollupCacheVersion(store)
}

/** Invalidates the readers' caches if one of the hours is old enough to be cached. */
function noteChanges(store: Store, changed: readonly { place: FigurePlace }[]): void {
  if (changed.length > 0) noteChange(store, Math.min(...changed.map(({ place }) => place.hour)))
}

/** Invalidates the rollup caches of all readers. */
export function bumpRollupCacheVersion(store: Store): void {
  store.write(
    `INSERT INTO setting (name, value) VALUES ('late_changes', '1')
     ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(setting.value AS INTEGER) + 1 AS TEXT)`
  )
}

/** Number of invalidations so far. Readers discard their cache when it changes. */
export const readRollupCacheVersion = (store: Store): number => readSetting(store, 'late_changes') ?? 0
