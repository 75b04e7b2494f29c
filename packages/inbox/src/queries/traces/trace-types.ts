import type { Side, SpanDetail, Vital } from '../../store/model.ts'

export interface TraceRow {
  traceId: string
  /** Name of the outermost known segment. */
  name: string
  side: Side
  start: number
  /** Milliseconds. */
  duration: number
  status: SpanDetail['status']
  release?: string
}

/**
 * A span with its position: below its parent, or below the root if the parent is missing. Browser spans are above
 * server spans.
 */
export interface TraceSpan extends SpanDetail {
  /** Depth on its side; 0 for a segment. */
  depth: number
  /** Microseconds during which no child ran. */
  self: number
  /** The span names a parent that was never received. */
  isOrphan: boolean
  children: number
  /** Microseconds added to the times of a server, so that its work is within the request for it. */
  shifted?: number
}

export interface TraceView {
  traceId: string
  /** Microseconds since the epoch. */
  start: number
  /** Microseconds. */
  duration: number
  /** Depth first, siblings by start. */
  spans: TraceSpan[]
  /** Number of spans beyond the limit of 5,000. */
  omitted: number
  vitals: { name: Vital; value: number; at: number }[]
  errors: { issue: number; eventId: string; type: string; value: string; spanId?: string; at: number; side: Side }[]
  hasMoreErrors: boolean
  logs: { at: number; level: string; body: string }[]
  hasMoreLogs: boolean
}
