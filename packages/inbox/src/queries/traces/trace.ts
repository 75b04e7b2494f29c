import { InboxTraceNotFound } from '../../errors.ts'
import type { SpanDetail, Vital } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { askDetail } from '../issues/event.ts'
import { toPlain } from '../plain-row.ts'
import { countUpTo } from '../read-page.ts'
import { isVisible, visibleTo } from '../scope.ts'
import { toTraceSpans } from './trace-tree.ts'
import type { TraceView } from './trace-types.ts'

/** Maximum spans of a trace to show, those that began first, and maximum further ones to count. */
const MAX_SPANS = 5_000
const MAX_COUNTED = 100_000

/** Maximum errors and log lines to show with a trace. Reads one more, to know whether there are more. */
const MAX_BESIDE = 200

type SpanRow = Omit<SpanDetail, 'isSegment' | 'parentId' | 'segmentId' | 'release' | 'attributes'> & {
  isSegment: number
  parentId: string | null
  segmentId: string | null
  release: string | null
  attributes: string
}

type TraceError = TraceView['errors'][number]

/** SQL for the rows of a table that belong to trace ?1 and to the projects ?2; null for all. */
const visibleIn = (table: string): string => `${table}.trace_id = ?1 AND ${isVisible(`${table}.project`, '?2')}`

/** Asks for a trace with its spans, errors, logs and vitals. The result throws InboxTraceNotFound. */
export function askTrace(store: Store, { traceId }: { traceId: string }): () => TraceView {
  const visible = visibleTo(store)
  const askedSpans = store.ask<SpanRow>(
    `SELECT trace_id AS traceId, span_id AS spanId, parent_id AS parentId, is_segment AS isSegment,
      segment_id AS segmentId, side, name, op, status, start, duration, environment, attributes,
      (SELECT version FROM release WHERE release.id = span.release) AS release
      FROM span WHERE ${visibleIn('span')} ORDER BY start LIMIT ?3`,
    traceId,
    visible,
    MAX_SPANS
  )
  const askedErrors = store.ask<TraceError & { id: number }>(
    `SELECT event.id, event.issue, event.event_id AS eventId, issue.type, issue.value, event.span_id AS spanId, event.at,
      issue.side FROM event JOIN issue ON issue.id = event.issue WHERE ${visibleIn('event')} ORDER BY event.id LIMIT ?3`,
    traceId,
    visible,
    MAX_BESIDE + 1
  )
  const askedLogs = store.ask<TraceView['logs'][number]>(
    `SELECT at, level, body FROM log WHERE ${visibleIn('log')} ORDER BY id LIMIT ?3`,
    traceId,
    visible,
    MAX_BESIDE + 1
  )
  const askedVitals = store.ask<{ name: Vital; value: number; at: number }>(
    // CLS of 0 has no point in time.
    "SELECT name, value, at FROM vital WHERE trace_id = ? AND (name <> 'CLS' OR value > 0) ORDER BY at",
    traceId
  )
  return () => {
    const found = askedSpans()
    const spans = toTraceSpans(found.map(toSpan))
    const foundErrors = askedErrors()
    const errors = foundErrors.slice(0, MAX_BESIDE)
    // An issue has the side of its first event.
    const details = errors.map(({ id }) => askDetail(store, id))
    const foundLogs = askedLogs()
    const logs = foundLogs.slice(0, MAX_BESIDE)
    const vitals = askedVitals()
    if (spans.length + errors.length + logs.length === 0) throw new InboxTraceNotFound()
    return {
      traceId,
      spans,
      // Vitals belong to the page that the browser's spans are about.
      vitals: store.grants === undefined || spans.some(({ side }) => side === 'browser') ? vitals : [],
      ...extentOf(spans, errors, logs),
      omitted: countOmitted(store, traceId, visible, found.length),
      errors: errors.map(({ id: _id, ...error }, at) => ({
        ...toPlain<TraceError>(error),
        side: details[at]!()?.side ?? error.side
      })),
      hasMoreErrors: foundErrors.length > MAX_BESIDE,
      logs,
      hasMoreLogs: foundLogs.length > MAX_BESIDE
    }
  }
}

/** From the earliest start to the latest end. Vitals lie within this range or after the last span. */
function extentOf(
  spans: readonly { start: number; duration: number }[],
  ...beside: readonly { at: number }[][]
): { start: number; duration: number } {
  let [start, end] = [Infinity, -Infinity]
  for (const span of spans) {
    start = Math.min(start, span.start)
    end = Math.max(end, span.start + span.duration)
  }
  if (spans.length === 0)
    for (const { at } of beside.flat()) [start, end] = [Math.min(start, at * 1_000), Math.max(end, at * 1_000)]
  return { start, duration: end - start }
}

function countOmitted(store: Store, traceId: string, visible: string | null, shown: number): number {
  if (shown < MAX_SPANS) return 0
  return countUpTo(store, MAX_COUNTED, `span WHERE ${visibleIn('span')}`, traceId, visible) - shown
}

function toSpan({ isSegment, parentId, segmentId, release, attributes, ...row }: SpanRow): SpanDetail {
  return {
    ...row,
    isSegment: isSegment === 1,
    ...(parentId !== null && { parentId }),
    ...(segmentId !== null && { segmentId }),
    ...(release !== null && { release }),
    attributes: JSON.parse(attributes) as SpanDetail['attributes']
  }
}
