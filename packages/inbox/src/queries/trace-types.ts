import type { Side, SpanDetail, Vital } from '../store/model.ts'

export interface TraceRow {
  traceId: string
  /** Of the outermost segment that is known. */
  name: string
  side: Side
  start: number
  /** Milliseconds. */
  duration: number
  status: SpanDetail['status']
  release?: string
}

/**
 * A span at its place: below its parent, or below the root where the parent is missing. What the browser did stands
 * above what servers did.
 */
export interface TraceSpan extends SpanDetail {
  /** From 0 for a segment, on each side. */
  depth: number
  /** Microseconds in which no child ran. */
  self: number
  /** Its parent is named but was never received. */
  isOrphan: boolean
  children: number
  /** Microseconds by which a server's clock was moved, so that its work lies inside the request for it. */
  shifted?: number
}

export interface TraceView {
  traceId: string
  /** Microseconds since the epoch. */
  start: number
  /** Microseconds. */
  duration: number
  /** In the order of the waterfall: depth first, by start. */
  spans: TraceSpan[]
  /** Spans that were left out past the bound of 5000. */
  omitted: number
  vitals: { name: Vital; value: number; at: number }[]
  errors: { issue: number; eventId: string; type: string; value: string; spanId?: string; at: number; side: Side }[]
  logs: { at: number; level: string; body: string }[]
}
