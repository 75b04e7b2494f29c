import { VITAL_BOUNDS } from '../../common/vitals.ts'
import { DAY, fromBucket, percentileOf, type BucketCount } from '../buckets.ts'
import { VITALS, type Vital } from '../model.ts'
import type { Store } from '../store.ts'
import { Histogram, narrow, rollupOf } from './rollups.ts'
import { projectsOf } from './scope.ts'
import type { Queries, VitalBand, VitalRow, VitalTrend } from './types.ts'

/** Pages that are listed, those with the most samples first. */
const MAX_PAGES = 200

/** Releases of a trend, and how far back it looks at the least: one release is no trend. */
const MAX_RELEASES = 12
const TREND_RANGE = 30 * DAY

/** Page by page, what three quarters of its visitors had or better. */
export function listVitals(store: Store, { view }: Parameters<Queries['listVitals']>[0]): VitalRow[] {
  const { table, column, from, until } = rollupOf('vital', view)
  const pages = new Map<string, Map<Vital, Histogram>>()
  for (const project of projectsOf(store, view.project)) {
    const [sql, values] = narrow(store, project, view)
    for (const { page, vital, bucket, samples } of store.all<{
      page: string
      vital: Vital
      bucket: number
      samples: number
    }>(
      `SELECT page, vital, bucket, sum(samples) AS samples FROM ${table}
        WHERE project = ? AND ${column} >= ? AND ${column} < ?${sql} GROUP BY page, vital, bucket`,
      project,
      from,
      until,
      ...values
    )) {
      const vitals = pages.get(page) ?? new Map<Vital, Histogram>()
      pages.set(page, vitals)
      const histogram = vitals.get(vital) ?? new Histogram()
      vitals.set(vital, histogram)
      histogram.add(bucket, samples)
    }
  }
  return [...pages]
    .map(([page, vitals]): VitalRow => {
      const bands = VITALS.flatMap((vital) => {
        const histogram = vitals.get(vital)
        return histogram && histogram.total > 0 ? [[vital, toBand(vital, histogram)] as const] : []
      })
      // A visit has one of each: the vital that most of them had tells how many there were.
      return { page, vitals: Object.fromEntries(bands), samples: Math.max(0, ...bands.map(([, band]) => band.samples)) }
    })
    .filter(({ samples }) => samples > 0)
    .sort((a, b) => b.samples - a.samples || (a.page < b.page ? -1 : 1))
    .slice(0, MAX_PAGES)
}

function toBand(vital: Vital, { buckets, total }: Histogram): VitalBand {
  const { good, poor } = VITAL_BOUNDS[vital]
  const upToGood = shareUpTo(buckets, total, toCounted(vital, good))
  const upToPoor = shareUpTo(buckets, total, toCounted(vital, poor))
  return {
    p75: fromCounted(vital, percentileOf(buckets, 0.75) ?? 0),
    samples: total,
    good: upToGood,
    middling: upToPoor - upToGood,
    poor: 1 - upToPoor
  }
}

/** CLS is counted in thousandths. */
const toCounted = (vital: Vital, value: number) => (vital === 'CLS' ? value * 1_000 : value)
const fromCounted = (vital: Vital, value: number) => (vital === 'CLS' ? value / 1_000 : value)

/** The share of values that are no larger; a bucket that the bound lies in counts in part. */
function shareUpTo(buckets: readonly BucketCount[], total: number, bound: number): number {
  let below = 0
  for (const { bucket, count } of buckets) {
    const [low, high] = [bucket === 0 ? 0 : fromBucket(bucket - 1), fromBucket(bucket)]
    below += count * Math.min(1, Math.max(0, (bound - low) / (high - low)))
  }
  return total === 0 ? 0 : below / total
}

/** Release by release, the oldest first: of one page or of all. */
export function listVitalTrend(store: Store, { view, page }: Parameters<Queries['listVitalTrend']>[0]): VitalTrend[] {
  const [since, until] = [Math.min(view.since, view.until - TREND_RANGE), view.until]
  const { from, until: end } = rollupOf('vital', { since, until })
  const found: VitalTrend[] = []
  for (const project of projectsOf(store, view.project)) {
    const [sql, values] = narrow(store, project, { since, until, environment: view.environment })
    const releases = store.all<{ id: number; version: string; at: number }>(
      `SELECT id, version, first_seen AS at FROM release WHERE project = ? AND last_seen >= ? ORDER BY id DESC LIMIT ?`,
      project,
      since,
      MAX_RELEASES
    )
    const histograms = new Map<number, Map<Vital, Histogram>>(releases.map(({ id }) => [id, new Map()]))
    for (const { release, vital, bucket, samples } of store.all<{
      release: number
      vital: Vital
      bucket: number
      samples: number
    }>(
      `SELECT release, vital, bucket, sum(samples) AS samples FROM vital_day WHERE project = ? AND day >= ? AND day < ?
        ${page === undefined ? '' : ' AND page = ?'}${sql} GROUP BY release, vital, bucket`,
      project,
      from,
      end,
      ...(page === undefined ? [] : [page]),
      ...values
    )) {
      const vitals = histograms.get(release)
      if (!vitals) continue
      const histogram = vitals.get(vital) ?? new Histogram()
      vitals.set(vital, histogram)
      histogram.add(bucket, samples)
    }
    for (const { id, version, at } of releases) {
      const p75 = [...histograms.get(id)!].flatMap(([vital, { buckets, total }]) =>
        total > 0 ? [[vital, fromCounted(vital, percentileOf(buckets, 0.75)!)]] : []
      )
      if (p75.length > 0) found.push({ version, at, p75: Object.fromEntries(p75) })
    }
  }
  // Those that began together stay in the order of their ids.
  return found
    .toReversed()
    .sort((a, b) => a.at - b.at)
    .slice(-MAX_RELEASES)
}
