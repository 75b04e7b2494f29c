import type { VitalName } from '../vitals.ts'
import { formatMs } from './shared/format.ts'

/** Formats a vital: CLS without a unit, the others as durations. */
export const formatVital = (name: VitalName, value: number): string =>
  name === 'CLS' ? String(Math.round(value * 1_000) / 1_000) : formatMs(Math.round(value))

/** Ratings in words, as of web.dev. */
export const RATING_WORDS = { good: 'good', middling: 'needs improvement', poor: 'poor' } as const

/** State as which each rating is shown. */
export const RATING_STATES = { good: 'good', middling: 'warn', poor: 'bad' } as const

export const VITAL_WORDS: Record<VitalName, string> = {
  LCP: 'Largest Contentful Paint: the largest element on the page is shown',
  INP: 'Interaction to Next Paint: the page responds to a click or key',
  CLS: 'Cumulative Layout Shift: how much the content moves',
  TTFB: 'Time to First Byte: the server starts to respond',
  FCP: 'First Contentful Paint: the first content is shown'
}
