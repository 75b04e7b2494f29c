import type { View, Vital } from '../store/model.ts'
import type { FigureName } from '../store/rollups.ts'
import type { Store } from '../store/store.ts'
import { HOUR } from '@hull/common/time.ts'
import { Histogram } from './histogram.ts'
import { readSteps } from './rollup-cache.ts'
import { narrow } from './rollups.ts'
import type { Steps } from './time-buckets.ts'

/** Projects and view whose rollups are read. */
export interface RollupScope {
  projects: number[]
  view: View
  steps: Steps
}

/** One value per point of the chart. */
export function readFigure(store: Store, name: FigureName, { projects, view, steps }: RollupScope): number[] {
  const points = Array.from({ length: steps.count }, () => 0)
  const hours = steps.step / HOUR
  for (const project of projects) {
    const [narrowed, values] = narrow(store, project, view)
    const read = (from: number, until: number) =>
      new Map(
        store
          .all<{ at: number; quantity: number }>(
            `SELECT CAST(hour / ?1 AS BIGINT) AS at, sum(quantity) AS quantity FROM figure_hour
             WHERE project = ?2 AND name = ?3 AND hour >= ?4 AND hour < ?5${narrowed} GROUP BY at`,
            hours,
            project,
            name,
            from * hours,
            until * hours,
            ...values
          )
          .map(({ at, quantity }) => [at, quantity])
      )
    const key = [name, project, narrowed, ...values].join(' ')
    for (const [at, quantity] of readPoints(store, key, steps, read, () => 1)) points[at]! += quantity
  }
  return points
}

/** Values by index of the point. */
function readPoints<Value>(
  store: Store,
  key: string,
  { start, step, count }: Steps,
  read: (from: number, until: number) => Map<number, Value>,
  countNumbers: (value: Value) => number
): Map<number, Value> {
  const from = start / step
  const until = from + count
  const found = readSteps(store, key, { step, from, until }, read, countNumbers)
  return new Map([...found].map(([at, value]) => [at - from, value]))
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

/** Percentile per point, over all routes or pages. @param share from 0 to 1 */
export function readPercentiles(
  store: Store,
  of: 'server' | Vital,
  share: number,
  { projects, view, steps }: RollupScope
): Percentiles {
  const [rollup, column] = of === 'server' ? ['latency', 'side'] : ['vital', 'vital']
  const [table, time, hours] =
    steps.step % (QUARTER * HOUR) === 0
      ? [`${rollup}_total_quarter`, 'quarter', QUARTER]
      : [`${rollup}_total`, 'hour', 1]
  const perStep = steps.step / HOUR / hours
  const found: Float64Array[][] = Array.from({ length: steps.count }, () => [])
  for (const project of projects) {
    const [narrowed, values] = narrow(store, project, view)
    const read = (from: number, until: number) => {
      const histograms = new Map<number, Histogram>()
      for (const { time: at, counts } of store.all<{ time: number; counts: string }>(
        `SELECT ${time} AS time, counts FROM ${table}
         WHERE project = ? AND ${column} = ? AND ${time} >= ? AND ${time} < ?${narrowed}`,
        project,
        of,
        from * perStep,
        until * perStep,
        ...values
      )) {
        const place = Math.floor(at / perStep)
        let histogram = histograms.get(place)
        if (!histogram) histograms.set(place, (histogram = new Histogram()))
        histogram.addJson(counts)
      }
      return new Map([...histograms].map(([place, { pairs }]) => [place, pairs]))
    }
    const key = [of, project, narrowed, ...values].join(' ')
    for (const [at, pairs] of readPoints(store, key, steps, read, ({ length }) => length)) found[at]!.push(pairs)
  }
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

/** First hour with data; undefined without any data. */
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
