import type { Measurement } from './measures/measure.ts'
import type { ContenderName } from './options.ts'
import type { Target } from './targets.ts'

/** The ratios of samples taken side by side. */
export interface Ratio {
  median: number
  min: number
  max: number
}

/** A target and what came out. */
export interface Verdict {
  target: Target
  /** Undefined when one of the two was not measured. */
  ratio?: Ratio
  holds?: boolean
}

/** `of` to `to`; undefined when one of them has no samples. */
export function findRatio({ samples }: Measurement, of: ContenderName, to: ContenderName): Ratio | undefined {
  const [numerators, denominators] = [samples[of], samples[to]]
  if (!numerators || !denominators) return undefined
  const ratios = numerators.map((sample, index) => sample / denominators[index]!).sort((a, b) => a - b)
  return { median: toMedian(ratios), min: ratios[0]!, max: ratios.at(-1)! }
}

export function judge(measurements: Measurement[], targets: Target[]): Verdict[] {
  return targets.map((target) => {
    const measurement = measurements.find(({ id }) => id === target.measurement)
    const ratio = measurement && findRatio(measurement, target.of, target.to)
    return ratio ? { target, ratio, holds: isWithin(ratio, target) } : { target }
  })
}

function isWithin({ median }: Ratio, { atMost = Infinity, below = Infinity }: Target): boolean {
  return median <= atMost && median < below
}

function toMedian(sorted: number[]): number {
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
