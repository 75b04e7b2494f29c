import { BUCKETS, fromBucket, type BucketCount } from './buckets.ts'

/** Counts per bucket, summed over many rows. */
export class Histogram {
  readonly #counts = new Float64Array(BUCKETS)
  /** First bucket with a value, and the index after the last one. */
  #first = BUCKETS
  #end = 0
  total = 0

  clear(): void {
    this.#counts.fill(0)
    this.#first = BUCKETS
    this.#end = 0
    this.total = 0
  }

  add(bucket: number, count: number): void {
    if (bucket < this.#first) this.#first = bucket
    if (bucket >= this.#end) this.#end = bucket + 1
    this.#counts[bucket]! += count
    this.total += count
  }

  /** @param pairs bucket and count, alternating */
  addPairs(pairs: Float64Array): void {
    for (let index = 0; index < pairs.length; index += 2) this.add(pairs[index]!, pairs[index + 1]!)
  }

  /** @param counts JSON object of counts by bucket */
  addJson(counts: string): void {
    const parsed = JSON.parse(counts) as Record<string, number>
    for (const bucket in parsed) this.add(Number(bucket), parsed[bucket]!)
  }

  /** Bucket and count, alternating. */
  get pairs(): Float64Array {
    return Float64Array.from(this.buckets.flatMap(({ bucket, count }) => [bucket, count]))
  }

  /** In ascending order. */
  get buckets(): BucketCount[] {
    const buckets: BucketCount[] = []
    for (let bucket = this.#first; bucket < this.#end; bucket++)
      if (this.#counts[bucket]! > 0) buckets.push({ bucket, count: this.#counts[bucket]! })
    return buckets
  }

  /**
   * Value below which the given share of all values lies; undefined without values. Values are assumed to be spread
   * evenly within a bucket, so that all percentiles of a single value are equal.
   * @param share from 0 to 1
   */
  percentile(share: number): number | undefined {
    if (this.total === 0) return undefined
    let left = Math.max(1, Math.ceil(this.total * share))
    for (let bucket = this.#first; bucket < this.#end; bucket++) {
      const count = this.#counts[bucket]!
      if (count > 0 && left <= count) {
        const below = bucket === 0 ? 0 : fromBucket(bucket - 1)
        return below + ((fromBucket(bucket) - below) * (left - 0.5)) / count
      }
      left -= count
    }
    return undefined
  }
}

export const createHistogram = (): Histogram => new Histogram()
