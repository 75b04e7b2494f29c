import type { SQLInputValue } from 'node:sqlite'
import type { IngestContext } from './context.ts'
import { toBucket } from '../queries/rollups/buckets.ts'
import type { SpanDetail } from '../store/model.ts'
import { IN_DAYS, type Store } from '../store/store.ts'

const HOUR_MICROS = 3_600_000_000

/** Operations with latency rollups: requests to a server, page loads and navigations. */
const TIMED = new Set(['http.server', 'pageload', 'navigation'])

/** A span of a batch. */
export interface GatheredSpan {
  span: SpanDetail
  release: number | null
  context: IngestContext
  /** Spans of a transaction, and the number of those that were dropped by reason. Ignored if the segment is known. */
  children?: { spans: readonly GatheredSpan[]; drops: Readonly<Record<string, number>> }
}

/**
 * Stores the spans of a batch, and counts the latency of segments of a {@link TIMED} operation. Ignores spans that were
 * stored before: clients send a span again if they received no answer.
 */
export function writeSpans(store: Store, gathered: readonly GatheredSpan[]): void {
  const known = readKnown(
    store,
    gathered.flatMap((one) => [one, ...(one.children?.spans ?? [])])
  )
  const added: GatheredSpan[] = []
  function add(spans: readonly GatheredSpan[]): void {
    for (const one of spans) {
      const { span, release, context, children } = one
      if (known.has(keyOf(span))) continue
      known.add(keyOf(span))
      added.push(one)
      if (span.isSegment && TIMED.has(span.op)) countSegment(span, release ?? 0, context)
      if (children === undefined) continue
      add(children.spans)
      for (const [reason, quantity] of Object.entries(children.drops)) context.drop(reason, 'span', quantity)
    }
  }
  add(gathered)
  store.insertRows(INTO_SPAN, added.map(toRow))
}

/** Names of the spans that are stored already. */
function readKnown(store: Store, spans: readonly GatheredSpan[]): Set<string> {
  const found = store.allInRows<Pick<SpanDetail, 'traceId' | 'spanId'>>(
    `SELECT trace_id AS "traceId", span_id AS "spanId" FROM span WHERE ${IN_DAYS} AND (trace_id, span_id) IN (:keys)`,
    spans.map(({ span }) => [span.traceId, span.spanId]),
    // A batch may have more spans than a function may have arguments.
    ...store.daysSince(spans.reduce((first, { span }) => Math.min(first, span.start / 1_000), Infinity))
  )
  return new Set(found.map(keyOf))
}

const keyOf = ({ traceId, spanId }: Pick<SpanDetail, 'traceId' | 'spanId'>): string => `${traceId} ${spanId}`

const INTO_SPAN = `INSERT INTO span (project, trace_id, span_id, parent_id, is_segment, segment_id, side, name, op, status,
  start, duration, received, release, environment, attributes)`

const toRow = ({ span, release, context }: GatheredSpan): SQLInputValue[] => [
  context.project,
  span.traceId,
  span.spanId,
  span.parentId ?? null,
  Number(span.isSegment),
  span.segmentId ?? null,
  span.side,
  span.name,
  span.op,
  span.status,
  span.start,
  span.duration,
  context.receivedAt,
  release,
  span.environment,
  JSON.stringify(span.attributes)
]

function countSegment(span: SpanDetail, release: number, context: IngestContext): void {
  const { project, batch } = context
  const { side, name, environment, duration, status } = span
  const hour = Math.floor(span.start / HOUR_MICROS)
  const route = context.nameOf(side, name)
  const bucket = toBucket(duration / 1_000)
  batch.rollups.countLatency({ project, hour, environment, release, side, route, bucket }, status === 'error')
}
