import type { View, Vital } from '../model.ts'
import type { Store } from '../store.ts'
import { percentileOf } from '../buckets.ts'
import { Histogram, narrow } from './rollups.ts'
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
  const all = new Histogram()
  const points = new Map<number, Histogram>()
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
      const point = pointOf(steps, hour)
      let histogram = points.get(point)
      if (!histogram) points.set(point, (histogram = new Histogram()))
      for (const [bucket, count] of Object.entries(JSON.parse(counts) as Record<string, number>)) {
        histogram.add(Number(bucket), count)
        all.add(Number(bucket), count)
      }
    }
  }
  const percentile = (histogram: Histogram | undefined) => histogram && percentileOf(histogram.buckets, share)
  const whole = percentile(all)
  return {
    points: Array.from({ length: steps.count }, (_, point) => percentile(points.get(point)) ?? null),
    ...(whole !== undefined && { all: whole }),
    total: all.total
  }
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
