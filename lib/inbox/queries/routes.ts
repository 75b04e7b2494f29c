import { fromBucket, percentileOf } from '../buckets.ts'
import type { Side } from '../model.ts'
import type { Store } from '../store.ts'
import { Histogram, narrow, rollupOf } from './rollups.ts'
import { projectsOf } from './scope.ts'
import type { HeatMap, Queries, RouteRow } from './types.ts'

/** Rows of a heat map: as many as can be told apart in a hand's breadth. */
const HEAT_ROWS = 14

/** How many routes there are, how often and how fast each was, from rollups. */
export function listRoutes(
  store: Store,
  { view, side, sort = 'requests', limit = 100 }: Parameters<Queries['listRoutes']>[0]
): RouteRow[] {
  const found = new Map<string, { route: string; side: Side; errors: number; histogram: Histogram }>()
  const { table, column, from, until } = rollupOf('latency', view)
  for (const project of projectsOf(store, view.project)) {
    const [sql, values] = narrow(store, project, view)
    const rows = store.all<{ route: string; side: Side; bucket: number; requests: number; errors: number }>(
      `SELECT side, route, bucket, sum(requests) AS requests, sum(errors) AS errors FROM ${table}
        WHERE project = ? AND ${column} >= ? AND ${column} < ?${sql} GROUP BY side, route, bucket`,
      project,
      from,
      until,
      ...values
    )
    for (const row of rows) {
      if (side !== undefined && row.side !== side) continue
      const name = `${row.side} ${row.route}`
      const entry = found.get(name) ?? { route: row.route, side: row.side, errors: 0, histogram: new Histogram() }
      found.set(name, entry)
      entry.errors += row.errors
      entry.histogram.add(row.bucket, row.requests)
    }
  }
  const rows = [...found.values()]
    .filter(({ histogram }) => histogram.total > 0)
    .map(({ histogram, ...row }): RouteRow => {
      const { buckets, total } = histogram
      const at = (share: number) => percentileOf(buckets, share) ?? 0
      return { ...row, requests: total, p50: at(0.5), p75: at(0.75), p95: at(0.95) }
    })
  return rows.sort((a, b) => b[sort] - a[sort] || (a.route < b.route ? -1 : 1)).slice(0, Math.min(limit, 500))
}

/** How often a route took how long, step by step. */
export function getHeatMap(store: Store, { view, route, side }: Parameters<Queries['getHeatMap']>[0]): HeatMap {
  const { table, column, step, from, until } = rollupOf('latency', view)
  const cells: { at: number; bucket: number; requests: number }[] = []
  for (const project of projectsOf(store, view.project)) {
    const [sql, values] = narrow(store, project, view)
    for (let at = from; at < until; at++)
      for (const row of store.all<{ bucket: number; requests: number }>(
        `SELECT bucket, sum(requests) AS requests FROM ${table}
          WHERE project = ? AND ${column} = ? AND side = ? AND route = ?${sql} GROUP BY bucket`,
        project,
        at,
        side,
        route,
        ...values
      ))
        cells.push({ at, ...row })
  }
  const buckets = cells.map(({ bucket }) => bucket)
  const lowest = Math.min(...buckets)
  const perRow = Math.ceil((Math.max(...buckets) - lowest + 1) / HEAT_ROWS)
  const rowOf = (bucket: number) => Math.floor((bucket - lowest) / perRow)
  const rows = cells.length === 0 ? 0 : rowOf(Math.max(...buckets)) + 1
  const counts = Array.from({ length: until - from }, () => Array.from({ length: rows }, () => 0))
  for (const { at, bucket, requests } of cells) counts[at - from]![rowOf(bucket)]! += requests
  return {
    start: from * step,
    step,
    rows: Array.from({ length: rows }, (_, row) => fromBucket(lowest + (row + 1) * perRow - 1)),
    counts
  }
}
