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
