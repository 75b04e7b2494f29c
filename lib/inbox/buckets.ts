/** Milliseconds. Rollups are by the hour, and visitors by the day as well. */
export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** Buckets in a factor of two: each is 9 % wide, so a percentile is off by 5 % at most. */
const PER_OCTAVE = 8

/** How many there are. */
export const BUCKETS = 401

/** The bucket that a value falls into; 0 holds everything up to 1. CLS is counted in thousandths. */
export const toBucket = (value: number): number =>
  value > 1 ? Math.min(Math.ceil(Math.log2(value) * PER_OCTAVE), BUCKETS - 1) : 0

/** The largest value in a bucket. */
export const fromBucket = (bucket: number): number => 2 ** (bucket / PER_OCTAVE)

/** How many values fell into a bucket. */
export interface BucketCount {
  bucket: number
  count: number
}

/**
 * The value below which a share of all values lies, from buckets in ascending order; undefined where there are none.
 * @param share from 0 to 1
 */
export function percentileOf(counts: readonly BucketCount[], share: number): number | undefined {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  let left = total * share
  for (const { bucket, count } of counts) {
    if (left <= count) {
      const below = bucket === 0 ? 0 : fromBucket(bucket - 1)
      return below + ((fromBucket(bucket) - below) * left) / count
    }
    left -= count
  }
  return undefined
}
