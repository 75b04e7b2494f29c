/** Buckets per factor of two. Each bucket is 9 % wide, so a percentile is at most 5 % off. */
const PER_OCTAVE = 8

/** Number of buckets. */
export const BUCKETS = 401

/** Index of the bucket for a value. Bucket 0 holds all values up to 1. CLS is stored in thousandths. */
export const toBucket = (value: number): number =>
  value > 1 ? Math.min(Math.ceil(Math.log2(value) * PER_OCTAVE), BUCKETS - 1) : 0

/** The largest value in a bucket. */
export const fromBucket = (bucket: number): number => 2 ** (bucket / PER_OCTAVE)

/** Number of values in a bucket. */
export interface BucketCount {
  bucket: number
  count: number
}
