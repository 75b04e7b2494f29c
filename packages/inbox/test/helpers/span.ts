import type { SpanDetail } from '../../src/store/model.ts'

/** When the traces of tests begin: microseconds since the epoch. */
export const TRACE_START = 1_790_000_000_000_000

/** A span of the server in a trace, from and to in microseconds past {@link TRACE_START}. */
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
