import { categoriesUnderPressure } from './categories.ts'
import type { RateLimit } from './rate-limits.ts'

/** Milliseconds for which clients are asked to hold back categories under pressure; each answer repeats it. */
const PRESSURE_DURATION = 30_000

/** Limits for clients while a share `used` (0 to 1) of the room for envelopes is taken. */
export function limitsUnderPressure(used: number): RateLimit[] {
  const names = categoriesUnderPressure(used)
  if (names.length === 0) return []
  return [{ categories: names === 'all' ? [] : names, duration: PRESSURE_DURATION }]
}
