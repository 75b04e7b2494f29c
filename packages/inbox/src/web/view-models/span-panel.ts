import { clip } from '@hull/common/visible-text.ts'
import type { TraceSpan, TraceView } from '../../queries/traces/trace-types.ts'

/** Maximum characters of a value to show. */
const MAX_VALUE = 1_000

/** Fields of a span that the panel shows as they are stored. */
type Shown = 'op' | 'side' | 'status' | 'children' | 'isOrphan' | 'spanId' | 'parentId' | 'release' | 'environment'

/** Details of a span. Times are in milliseconds. */
export interface SpanPanelData extends Pick<TraceSpan, Shown> {
  name: string
  /** Relative to the start of the trace. */
  start: number
  duration: number
  self: number
  shifted?: number
  attributes: [name: string, value: string][]
}

/** The requested span; undefined if the trace has none with this id. */
export function toSpanPanel(trace: TraceView, spanId: string | null): SpanPanelData | undefined {
  const span = spanId === null ? undefined : trace.spans.find((candidate) => candidate.spanId === spanId)
  return span && describe(span, trace)
}

function describe(span: TraceSpan, trace: TraceView): SpanPanelData {
  const { op, side, status, self, children, isOrphan, shifted, parentId, release, environment, attributes } = span
  return {
    name: clip(span.name, MAX_VALUE),
    op,
    side,
    status,
    start: (span.start - trace.start) / 1_000,
    duration: span.duration / 1_000,
    self: self / 1_000,
    children,
    isOrphan,
    spanId: span.spanId,
    environment,
    attributes: Object.entries(attributes)
      .map(([name, value]): [string, string] => [name, clip(String(value), MAX_VALUE)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    ...(shifted === undefined ? {} : { shifted: shifted / 1_000 }),
    ...(parentId === undefined ? {} : { parentId }),
    ...(release === undefined ? {} : { release })
  }
}
