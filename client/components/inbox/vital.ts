import type { VitalName } from '../../../lib/common/vitals.ts'
import { formatMs } from './numbers.ts'

/** A vital as people write it: CLS without a unit, the others as times. */
export const formatVital = (name: VitalName, value: number): string =>
  name === 'CLS' ? String(Math.round(value * 1_000) / 1_000) : formatMs(Math.round(value))

export const VITAL_WORDS: Record<VitalName, string> = {
  LCP: 'Largest contentful paint: the largest thing on the page stands',
  INP: 'Interaction to next paint: the page answers a click or key',
  CLS: 'Cumulative layout shift: how much the page jumps',
  TTFB: 'Time to first byte: the server begins to answer',
  FCP: 'First contentful paint: something stands on the page'
}
