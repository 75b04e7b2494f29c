import type { View, Vital } from '../model.ts'
import type { Store } from '../store.ts'
import { BUCKETS, percentileOf, type BucketCount } from '../buckets.ts'
import { narrow } from './rollups.ts'
import { hoursOf, pointOf, type Steps } from './steps.ts'

/** Names in the table of figures. */
export type Figure =
  | 'errors'
  | 'visitors'
  | 'visitor_days'
  | 'sessions'
  | 'sessions_errored'
  | 'sessions_crashed'
  | 'sessions_abnormal'

/** Whose rollups are read. */
export interface RollupScope {
  projects: number[]
  view: View
  steps: Steps
}

/** A figure by point. */
export function readFigure(store: Store, name: Figure, { projects, view, steps }: RollupScope): number[] {
  const points = Array.from({ length: steps.count }, () => 0)
  for (const project of projects) {
    const [narrowed, values] = narrow(store, project, view)
    const rows = store.all<{ hour: number; quantity: number }>(
      `SELECT hour, sum(quantity) AS quantity FROM figure_hour
       WHERE project = ? AND name = ? AND hour >= ? AND hour < ?${narrowed} GROUP BY hour`,
      project,
      name,
      ...hoursOf(steps),
      ...values
    )
    for (const { hour, quantity } of rows) points[pointOf(steps, hour)]! += quantity
  }
  return points
}

/** Values by bucket: of each point, and of all. */
export interface Percentiles {
  points: (number | null)[]
  all?: number
  /** How many values there are. */
  total: number
}

const SOURCES = {
  server: { table: 'latency_total', column: 'side' },
  vital: { table: 'vital_total', column: 'vital' }
}

/**
 * Percentiles by point over all routes or pages.
 * @param share from 0 to 1
 */
export function readPercentiles(
  store: Store,
  of: 'server' | Vital,
  share: number,
  { projects, view, steps }: RollupScope
): Percentiles {
  const { table, column } = of === 'server' ? SOURCES.server : SOURCES.vital
  const points: (Float64Array | undefined)[] = Array.from({ length: steps.count })
  for (const project of projects) {
    const [narrowed, values] = narrow(store, project, view)
    const rows = store.all<{ hour: number; counts: string }>(
      `SELECT hour, counts FROM ${table} WHERE project = ? AND ${column} = ? AND hour >= ? AND hour < ?${narrowed}`,
      project,
      of,
      ...hoursOf(steps),
      ...values
    )
    for (const { hour, counts } of rows) {
      const point = (points[pointOf(steps, hour)] ??= new Float64Array(BUCKETS))
      const parsed = JSON.parse(counts) as Record<string, number>
      for (const bucket in parsed) point[Number(bucket)]! += parsed[bucket]!
    }
  }
  const all = new Float64Array(BUCKETS)
  for (const point of points) if (point) for (let bucket = 0; bucket < BUCKETS; bucket++) all[bucket]! += point[bucket]!
  const whole = percentile(all, share)
  return {
    points: points.map((point) => (point && percentile(point, share)) ?? null),
    ...(whole !== undefined && { all: whole }),
    total: all.reduce((sum, count) => sum + count)
  }
}

/** Of counts by bucket. */
function percentile(counts: Float64Array, share: number): number | undefined {
  const found: BucketCount[] = []
  for (let bucket = 0; bucket < BUCKETS; bucket++)
    if (counts[bucket]! > 0) found.push({ bucket, count: counts[bucket]! })
  return percentileOf(found, share)
}

/** The first hour of which anything is known; undefined when nothing is. */
export function findFirstHour(store: Store, projects: readonly number[]): number | undefined {
  const hours: number[] = []
  for (const project of projects) {
    for (const name of ['errors', 'sessions'])
      add('SELECT min(hour) AS hour FROM figure_hour WHERE project = ? AND name = ?', project, name)
    for (const side of ['browser', 'server'])
      add('SELECT min(hour) AS hour FROM latency_total WHERE project = ? AND side = ?', project, side)
  }
  return hours.length > 0 ? Math.min(...hours) : undefined

  function add(sql: string, project: number, name: string): void {
    const { hour } = store.get<{ hour: number | null }>(sql, project, name)!
    if (hour !== null) hours.push(hour)
  }
}
