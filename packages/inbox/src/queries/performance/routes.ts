import { getOrInsert } from '../../get-or-insert.ts'
import { fromBucket } from '../rollups/buckets.ts'
import type { Side, View } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { Histogram } from '../rollups/histogram.ts'
import { readHistograms, splitName } from '../rollups/histograms.ts'
import { rollupOf } from '../rollups/rollups.ts'
import type { HeatMap, RouteRow } from './performance-types.ts'

/** Maximum rows of a heat map; more would not be readable. */
const HEAT_ROWS = 14

/** Request counts and durations per route, from rollups. */
export function listRoutes(
  store: Store,
  input: { view: View; side?: Side; sort?: 'requests' | 'p95' | 'errors'; limit?: number }
): RouteRow[] {
  const { view, side, sort = 'requests', limit = 100 } = input
  const found = new Map<string, { route: string; side: Side; errors: number; histogram: Histogram }>()
  for (const [, names] of readHistograms(store, 'latency', view, rollupOf(view)))
    for (const [name, { pairs, errors }] of names) {
      const entry = getOrInsert(found, name, () => ({ ...fromName(name), errors: 0, histogram: new Histogram() }))
      entry.errors += errors
      entry.histogram.addPairs(pairs)
    }
  const rows = [...found.values()]
    .filter((row) => row.histogram.total > 0 && (side === undefined || row.side === side))
    .map(({ histogram, ...row }): RouteRow => {
      const at = (share: number) => histogram.percentile(share) ?? 0
      return { ...row, requests: histogram.total, p50: at(0.5), p75: at(0.75), p95: at(0.95) }
    })
  const nameOf = ({ route, side }: RouteRow) => `${route} ${side}`
  return rows.sort((a, b) => b[sort] - a[sort] || (nameOf(a) < nameOf(b) ? -1 : 1)).slice(0, Math.min(limit, 500))
}

const fromName = (name: string): { side: Side; route: string } => {
  const [side, route] = splitName(name)
  return { side: side as Side, route }
}

/** Durations of a route over time, as a heat map. */
export function getHeatMap(store: Store, { view, route, side }: { view: View; route: string; side: Side }): HeatMap {
  const rollup = rollupOf(view)
  const { step, from, until } = rollup
  const cells: { at: number; bucket: number; requests: number }[] = []
  for (const [at, names] of readHistograms(store, 'latency', view, rollup)) {
    const pairs = names.get(`${side} ${route}`)?.pairs ?? []
    for (let index = 0; index < pairs.length; index += 2)
      cells.push({ at, bucket: pairs[index]!, requests: pairs[index + 1]! })
  }
  // A long range of several projects may have more cells than a function may have arguments.
  const [lowest, highest] = cells.reduce(
    ([low, high], { bucket }) => [Math.min(low, bucket), Math.max(high, bucket)],
    [Infinity, -Infinity]
  )
  const perRow = Math.ceil((highest - lowest + 1) / HEAT_ROWS)
  const rowOf = (bucket: number) => Math.floor((bucket - lowest) / perRow)
  const rows = cells.length === 0 ? 0 : rowOf(highest) + 1
  const counts = Array.from({ length: until - from }, () => Array.from({ length: rows }, () => 0))
  for (const { at, bucket, requests } of cells) counts[at - from]![rowOf(bucket)]! += requests
  return {
    start: from * step,
    step,
    low: rows === 0 || lowest === 0 ? 0 : fromBucket(lowest - 1),
    rows: Array.from({ length: rows }, (_, row) => fromBucket(lowest + (row + 1) * perRow - 1)),
    counts
  }
}
