import { getOrInsert } from '../../get-or-insert.ts'
import { VITAL_BOUNDS } from '../../web/vitals.ts'
import { fromBucket, type BucketCount } from '../rollups/buckets.ts'
import { VITALS, type Vital, type View } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { createHistogram, type Histogram } from '../rollups/histogram.ts'
import { readHistograms, splitName } from '../rollups/histograms.ts'
import { rollupOf } from '../rollups/rollups.ts'
import type { VitalBand, VitalRow } from './performance-types.ts'

/** Maximum pages to list, those with the most samples first. */
const MAX_PAGES = 200

/** 75th percentile of each vital, per page. */
export function listVitals(store: Store, { view }: { view: View }): VitalRow[] {
  const pages = new Map<string, Map<Vital, Histogram>>()
  for (const [, names] of readHistograms(store, 'vital', view, rollupOf(view)))
    for (const [name, { pairs }] of names) {
      const [vital, page] = splitName(name)
      const vitals = getOrInsert(pages, page, () => new Map<Vital, Histogram>())
      getOrInsert(vitals, vital as Vital, createHistogram).addPairs(pairs)
    }
  return [...pages]
    .map(([page, vitals]): VitalRow => {
      const bands = VITALS.flatMap((vital) => {
        const histogram = vitals.get(vital)
        return histogram && histogram.total > 0 ? [[vital, toBand(vital, histogram)] as const] : []
      })
      // Each visit reports each vital once, so the most frequent vital gives the number of visits.
      return { page, vitals: Object.fromEntries(bands), samples: Math.max(0, ...bands.map(([, band]) => band.samples)) }
    })
    .filter(({ samples }) => samples > 0)
    .sort((a, b) => b.samples - a.samples || (a.page < b.page ? -1 : 1))
    .slice(0, MAX_PAGES)
}

function toBand(vital: Vital, histogram: Histogram): VitalBand {
  const { buckets, total } = histogram
  const { good, poor } = VITAL_BOUNDS[vital]
  const upToGood = shareUpTo(buckets, total, toCounted(vital, good))
  const upToPoor = shareUpTo(buckets, total, toCounted(vital, poor))
  return {
    p75: fromCounted(vital, histogram.percentile(0.75) ?? 0),
    samples: total,
    good: upToGood,
    middling: upToPoor - upToGood,
    poor: 1 - upToPoor
  }
}

/** CLS is stored in thousandths; the first bucket counts as 0. */
const toCounted = (vital: Vital, value: number) => (vital === 'CLS' ? value * 1_000 : value)
export const fromCounted = (vital: Vital, value: number) => (vital === 'CLS' ? (value <= 1 ? 0 : value / 1_000) : value)

/** Share of values up to a bound. The bucket that contains the bound is counted in part. */
function shareUpTo(buckets: readonly BucketCount[], total: number, bound: number): number {
  let below = 0
  for (const { bucket, count } of buckets) {
    const [low, high] = [bucket === 0 ? 0 : fromBucket(bucket - 1), fromBucket(bucket)]
    below += count * Math.min(1, Math.max(0, (bound - low) / (high - low)))
  }
  return total === 0 ? 0 : below / total
}
