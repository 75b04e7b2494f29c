import type { Side, SpanDetail } from '../store/model.ts'
import { attributeOf, toAttributes } from './attributes.ts'
import { idOf, numberOf, textOf } from './fields.ts'
import { routeOf } from './route-of.ts'

/** Characters of a span's name and operation. */
const MAX_NAME = 300
const MAX_OP = 60

/** Microseconds that a span may last: a day. */
const MAX_DURATION = 86_400_000_000

/** A span as either model has it. */
export interface RawSpan {
  traceId: unknown
  spanId: unknown
  parentId: unknown
  name: unknown
  op: unknown
  status: unknown
  /** Seconds since the epoch. */
  start: unknown
  /** Seconds since the epoch. */
  end: unknown
  attributes: unknown
  isSegment: boolean
  segmentId?: unknown
  /** What the name of a segment was made of. */
  source?: unknown
}

/** What holds for all spans of an item. */
export interface SpanOrigin {
  side: Side
  release: string | undefined
  environment: string
  /** Milliseconds to add to its times. */
  shift: number
}

/** One model for both; undefined where there is no telling what it is or when it was. */
export function toSpan(raw: RawSpan, { side, release, environment, shift }: SpanOrigin): SpanDetail | undefined {
  const traceId = idOf(raw.traceId, 32)
  const spanId = idOf(raw.spanId, 16)
  const start = numberOf(raw.start)
  if (traceId === undefined || spanId === undefined || start === undefined) return undefined
  const duration = Math.round(((numberOf(raw.end) ?? start) - start) * 1e6)
  const op = textOf(raw.op, MAX_OP) ?? ''
  const name = textOf(raw.name, MAX_NAME)
  const parentId = idOf(raw.parentId, 16)
  const segmentId = raw.isSegment ? spanId : idOf(raw.segmentId, 16)
  return {
    traceId,
    spanId,
    ...(parentId === undefined || parentId === spanId ? {} : { parentId }),
    isSegment: raw.isSegment,
    ...(segmentId === undefined ? {} : { segmentId }),
    side,
    name: raw.isSegment ? routeOf(name ?? '', textOf(raw.source, 20), pathOf(raw)) : (name ?? (op || '(no name)')),
    op,
    status: statusOf(raw.status, op, raw.attributes),
    start: Math.round((start * 1_000 + shift) * 1_000),
    // A clock that was set back meanwhile ends a span before it began.
    duration: Math.min(Math.max(duration, 0), MAX_DURATION),
    ...(release === undefined ? {} : { release }),
    environment,
    attributes: toAttributes(raw.attributes, raw.isSegment)
  }
}

function pathOf({ attributes }: RawSpan): string | undefined {
  const path = textOf(attributeOf(attributes, 'url.path'), MAX_NAME)
  if (path !== undefined) return path
  const url = textOf(attributeOf(attributes, 'url.full'), 2_000)
  return url !== undefined && URL.canParse(url) ? new URL(url).pathname : undefined
}

/** What a client got wrong, a 404 say, is no failure of the server that says so. */
function statusOf(status: unknown, op: string, attributes: unknown): SpanDetail['status'] {
  const code = numberOf(attributeOf(attributes, 'http.response.status_code'))
  if (op === 'http.server' && code !== undefined) return code >= 500 ? 'error' : code === 499 ? 'cancelled' : 'ok'
  if (status === 'cancelled' || attributeOf(attributes, 'sentry.status.message') === 'cancelled') return 'cancelled'
  return status === undefined || status === null || status === 'ok' || status === 'unset' || status === 'unknown'
    ? 'ok'
    : 'error'
}
