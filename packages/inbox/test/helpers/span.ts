import type { SpanDetail } from '../../src/store/model.ts'

/** Start of the traces in tests, in microseconds since the epoch. */
export const TRACE_START = 1_790_000_000_000_000

/** Creates a server span of a trace, from and to in microseconds after {@link TRACE_START}. */
export function makeSpan(
  spanId: string,
  parentId: string | undefined,
  from: number,
  to: number,
  more: Partial<SpanDetail> = {}
): SpanDetail {
  return {
    traceId: 'a'.repeat(32),
    spanId,
    parentId,
    isSegment: false,
    side: 'server',
    name: spanId,
    op: 'work',
    status: 'ok',
    start: TRACE_START + from,
    duration: to - from,
    environment: '',
    attributes: {},
    ...more
  }
}
