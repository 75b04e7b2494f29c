import type { Measurement } from './measures/measure.ts'
import type { ContenderName } from './options.ts'
import type { Target } from './targets.ts'

/** Spread of the ratios of samples that were taken side by side, or of the samples themselves. */
export interface Spread {
  median: number
  min: number
  max: number
}

/** A target and its measured value. */
export interface Verdict {
  target: Target
  /** Measured value, which is compared with the bound; undefined if it was not measured. */
  spread?: Spread
  holds?: boolean
}

/** Spread of the ratios of `of` to `to`, or of the samples of `of`. @returns undefined if one of them has no samples */
export function findSpread({ samples }: Measurement, of: ContenderName, to?: ContenderName): Spread | undefined {
  const own = samples[of]
  const bases = to === undefined ? own?.map(() => 1) : samples[to]
  if (!own || !bases) return undefined
  const sorted = own.map((sample, index) => sample / bases[index]!).sort((a, b) => a - b)
  return { median: toMedian(sorted), min: sorted[0]!, max: sorted.at(-1)! }
}

/** @param share such as 0.95 for the 95th percentile */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!

export function judge(measurements: Measurement[], targets: Target[]): Verdict[] {
  return targets.map((target) => {
    const measurement = measurements.find(({ id }) => id === target.measurement)
    const spread = measurement && findSpread(measurement, target.of, target.to)
    return spread ? { target, spread, holds: isWithin(spread, target) } : { target }
  })
}

function isWithin({ median }: Spread, { atMost = Infinity, below = Infinity }: Target): boolean {
  return median <= atMost && median < below
}

/** Median of sorted numbers. */
export function toMedian(sorted: number[]): number {
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
