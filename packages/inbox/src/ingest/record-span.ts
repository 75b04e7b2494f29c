import { toBucket } from '../queries/buckets.ts'
import { noteChange } from '../store/rollups.ts'
import type { SpanDetail } from '../store/model.ts'
import type { IngestContext } from './context.ts'
import { knownName } from './known-names.ts'

const HOUR_MICROS = 3_600_000_000

/** Operations whose durations are rolled up: what a server was asked for, and what a visitor waited for. */
const TIMED = new Set(['http.server', 'pageload', 'navigation'])

/**
 * Stores a span, and counts it where it is a segment that somebody waited for. A span that is there already is left as
 * it is: clients send again what they got no answer to.
 * @returns whether it is new
 */
export function recordSpan(span: SpanDetail, context: IngestContext): boolean {
  const { store, project, receivedAt } = context
  const release = context.releaseOf(span.release)
  const { changes } = store.run(
    `INSERT OR IGNORE INTO span (project, trace_id, span_id, parent_id, is_segment, segment_id, side, name, op, status,
      start, duration, received, release, environment, attributes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    project,
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
    receivedAt,
    release,
    span.environment,
    JSON.stringify(span.attributes)
  )
  if (changes === 0) return false
  if (span.isSegment && TIMED.has(span.op)) countSegment(span, release ?? 0, context)
  return true
}

function countSegment(span: SpanDetail, release: number, { store, project, receivedAt }: IngestContext): void {
  const { side, environment, duration, status } = span
  const hour = Math.floor(span.start / HOUR_MICROS)
  store.run(
    `INSERT INTO latency_hour (project, hour, side, route, environment, release, bucket, requests, errors)
      VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)
      ON CONFLICT DO UPDATE SET requests = requests + 1, errors = errors + excluded.errors`,
    project,
    hour,
    side,
    knownName(store, project, side, span.name, receivedAt),
    environment,
    release,
    toBucket(duration / 1_000),
    Number(status === 'error')
  )
  noteChange(store, hour)
}
