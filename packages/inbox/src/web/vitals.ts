/**
 * Upper bounds of good values, and lower bounds of poor ones: milliseconds, CLS without a unit.
 * @see https://web.dev/articles/vitals
 */
export const VITAL_BOUNDS = {
  LCP: { good: 2_500, poor: 4_000 },
  INP: { good: 200, poor: 500 },
  CLS: { good: 0.1, poor: 0.25 },
  TTFB: { good: 800, poor: 1_800 },
  FCP: { good: 1_800, poor: 3_000 }
} as const

export type VitalName = keyof typeof VITAL_BOUNDS
type VitalRating = 'good' | 'middling' | 'poor'

export function rateVital(vital: VitalName, value: number): VitalRating {
  const { good, poor } = VITAL_BOUNDS[vital]
  return value <= good ? 'good' : value <= poor ? 'middling' : 'poor'
}
