import { getOrInsert } from '../../get-or-insert.ts'
import type { View, Vital } from '../../store/model.ts'
import type { FigureName } from '../../store/rollups.ts'
import type { Store } from '../../store/store.ts'
import { HOUR } from '@hull/common/time.ts'
import { createHistogram, Histogram } from './histogram.ts'
import { askSteps } from './rollup-cache.ts'
import { narrow } from './rollups.ts'
import type { Steps } from './time-buckets.ts'

/** Projects and view whose rollups are read. */
export interface RollupScope {
  projects: number[]
  view: View
  steps: Steps
}

/** Asks for one value per point of the chart. */
export function askFigure(store: Store, name: FigureName, { projects, view, steps }: RollupScope): () => number[] {
  const hours = steps.step / HOUR
  const asked = projects.map((project) => {
    const [narrowed, values] = narrow(project, view)
    const ask = (from: number, until: number) => {
      const rows = store.ask<{ at: number; quantity: number }>(
        `SELECT CAST(hour / ?1 AS BIGINT) AS at, sum(quantity) AS quantity FROM figure_hour
         WHERE project = ?2 AND name = ?3 AND hour >= ?4 AND hour < ?5${narrowed} GROUP BY at`,
        hours,
        project,
        name,
        from * hours,
        until * hours,
        ...values
      )
      return () => new Map(rows().map(({ at, quantity }) => [at, quantity]))
    }
    return askPoints(store, [name, project, narrowed, ...values].join(' '), steps, ask, () => 1)
  })
  return () => {
    const points = Array.from({ length: steps.count }, () => 0)
    for (const read of asked) for (const [at, quantity] of read()) points[at]! += quantity
    return points
  }
}

/** Asks for values by index of the point. */
function askPoints<Value>(
  store: Store,
  key: string,
  { start, step, count }: Steps,
  ask: (from: number, until: number) => () => Map<number, Value>,
  countNumbers: (value: Value) => number
): () => [point: number, value: Value][] {
  const from = start / step
  const read = askSteps(store, key, { step, from, until: from + count }, ask, countNumbers)
  return () => [...read()].map(([at, value]) => [at - from, value])
}

/** Histograms: one per point, and one of all points. */
export interface Percentiles {
  points: (number | null)[]
  all?: number
  /** Number of values. */
  total: number
}

/** Hours per row in the rollup for long ranges. */
const QUARTER = 6

/** Asks for a percentile per point, over all routes or pages. @param share from 0 to 1 */
export function askPercentiles(
  store: Store,
  of: 'server' | Vital,
  share: number,
  { projects, view, steps }: RollupScope
): () => Percentiles {
  const [rollup, column] = of === 'server' ? ['latency', 'side'] : ['vital', 'vital']
  const [table, time, hours] =
    steps.step % (QUARTER * HOUR) === 0
      ? [`${rollup}_total_quarter`, 'quarter', QUARTER]
      : [`${rollup}_total`, 'hour', 1]
  const perStep = steps.step / HOUR / hours
  const asked = projects.map((project) => {
    const [narrowed, values] = narrow(project, view)
    const ask = (from: number, until: number) => {
      const rows = store.ask<{ time: number; counts: string }>(
        `SELECT ${time} AS time, counts FROM ${table}
         WHERE project = ? AND ${column} = ? AND ${time} >= ? AND ${time} < ?${narrowed}`,
        project,
        of,
        from * perStep,
        until * perStep,
        ...values
      )
      return () => {
        const histograms = new Map<number, Histogram>()
        for (const { time: at, counts } of rows()) {
          getOrInsert(histograms, Math.floor(at / perStep), createHistogram).addJson(counts)
        }
        return new Map([...histograms].map(([place, { pairs }]) => [place, pairs]))
      }
    }
    return askPoints(store, [of, project, narrowed, ...values].join(' '), steps, ask, ({ length }) => length)
  })
  return () => {
    const found: Float64Array[][] = Array.from({ length: steps.count }, () => [])
    for (const read of asked) for (const [at, pairs] of read()) found[at]!.push(pairs)
    return toPercentiles(found, share)
  }
}

/** @param found histograms of each point */
function toPercentiles(found: readonly Float64Array[][], share: number): Percentiles {
  const all = new Histogram()
  const point = new Histogram()
  const points = found.map((parts) => {
    if (parts.length === 0) return null
    point.clear()
    for (const pairs of parts) {
      point.addPairs(pairs)
      all.addPairs(pairs)
    }
    return point.percentile(share) ?? null
  })
  const whole = all.percentile(share)
  return { points, ...(whole !== undefined && { all: whole }), total: all.total }
}

/** Asks for the first hour with data; undefined without any data. */
export function askFirstHour(store: Store, projects: readonly number[]): () => number | undefined {
  const ask = (sql: string, project: number, name: string) => store.ask<{ hour: number | null }>(sql, project, name)
  const asked = projects.flatMap((project) => [
    ...['errors', 'sessions'].map((name) =>
      ask('SELECT min(hour) AS hour FROM figure_hour WHERE project = ? AND name = ?', project, name)
    ),
    ...['browser', 'server'].map((side) =>
      ask('SELECT min(hour) AS hour FROM latency_total WHERE project = ? AND side = ?', project, side)
    )
  ])
  return () => {
    const hours = asked.flatMap((rows) => rows()[0]!.hour ?? [])
    return hours.length > 0 ? Math.min(...hours) : undefined
  }
}
