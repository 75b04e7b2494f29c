import { asObject, toId, isObject, toNumber, toText } from './fields.ts'
import type { Side, SpanDetail } from '../store/model.ts'

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
  const traceId = toId(raw.traceId, 32)
  const spanId = toId(raw.spanId, 16)
  const start = toNumber(raw.start)
  if (traceId === undefined || spanId === undefined || start === undefined) return undefined
  const duration = Math.round(((toNumber(raw.end) ?? start) - start) * 1e6)
  const op = toText(raw.op, MAX_OP) ?? ''
  const name = toText(raw.name, MAX_NAME)
  const parentId = toId(raw.parentId, 16)
  const segmentId = raw.isSegment ? spanId : toId(raw.segmentId, 16)
  return {
    traceId,
    spanId,
    ...(parentId === undefined || parentId === spanId ? {} : { parentId }),
    isSegment: raw.isSegment,
    ...(segmentId === undefined ? {} : { segmentId }),
    side,
    name: raw.isSegment ? routeOf(name ?? '', toText(raw.source, 20), pathOf(raw)) : (name ?? (op || '(no name)')),
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
  const path = toText(attributeOf(attributes, 'url.path'), MAX_NAME)
  if (path !== undefined) return path
  const url = toText(attributeOf(attributes, 'url.full'), 2_000)
  return url !== undefined && URL.canParse(url) ? new URL(url).pathname : undefined
}

/** What a client got wrong, a 404 say, is no failure of the server that says so. */
function statusOf(status: unknown, op: string, attributes: unknown): SpanDetail['status'] {
  const code = toNumber(attributeOf(attributes, 'http.response.status_code'))
  if (op === 'http.server' && code !== undefined) return code >= 500 ? 'error' : code === 499 ? 'cancelled' : 'ok'
  if (status === 'cancelled' || attributeOf(attributes, 'sentry.status.message') === 'cancelled') return 'cancelled'
  return status === undefined || status === null || status === 'ok' || status === 'unset' || status === 'unknown'
    ? 'ok'
    : 'error'
}

/** A segment of a path that names one of many: a number, a UUID, a hash, or a long run of letters and digits. */
const ONE_OF_MANY =
  /^(?:\d+|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[\da-f]{16,}|(?=[^/]*\d)[\w-]{20,})$/i

/** Names that the SDK gives a page load or navigation when it knows no route. */
const NAMELESS = new Set(['Pageload', 'Navigation', '<unlabeled transaction>', ''])

/** Characters of a route. */
const MAX_LENGTH = 200

/**
 * The name under which a segment's durations are counted together. One that its client took from an address gets `*` for
 * whatever names one of many.
 * @param source what the name was made of; `url` where it is the path as it was asked for
 * @param path of the request or page
 */
export function routeOf(name: string, source: string | undefined, path: string | undefined): string {
  const route = NAMELESS.has(name) ? path : name
  if (route === undefined) return name || '(no name)'
  const isPattern = route === name && source !== 'url' && source !== undefined
  return (isPattern ? route : collapse(route)).slice(0, MAX_LENGTH)
}

const collapse = (route: string): string =>
  route
    .replace(/[?#].*/s, '')
    .split('/')
    .map((segment) => (ONE_OF_MANY.test(segment) ? '*' : segment))
    .join('/')

/** Attributes of a span, characters of a name and of a value, and of all together: four times what SDKs send. Ours. */
const MAX_ATTRIBUTES = 100
const MAX_KEY = 100
const MAX_VALUE = 1_000
const MAX_TOTAL = 12_000

/** What stands in columns of its own, or is the same for every span of a client. */
const ELSEWHERE =
  /^sentry\.(?:op|origin|release|environment|segment\.|sdk\.|trace_lifecycle|transaction|trace\.|sample_rate|is_localhost|timestamp\.|_internal)/

/** Addresses of visitors are not stored; nor is what proves who they are. */
const PRIVATE =
  /^(?:client\.address|client\.port|user\.ip_address|network\.peer\.|http\.request\.header\.(?:cookie|authorization|proxy-authorization|forwarded|x-forwarded-for|x-real-ip|cf-connecting-ip|true-client-ip|x-api-key|sentry-trace|baggage|traceparent)|http\.response\.header\.set-cookie)/i

/** Of the process or the visitor's machine: a segment says it, and its children needlessly say it again. */
const OF_THE_WHOLE =
  /^(?:user_agent\.|culture\.|device\.|os\.|app\.|process\.runtime|sentry\.replay_id|network\.local\.)/

/** A step that a request had no need of, as the browser has it: at zero. */
const PHASE = /^http\.request\.\w+_(?:start|end)$/

/**
 * Attributes as text, numbers and truth values: as they are, or each as `{ value, type }` in the newer model.
 * @param isSegment whether they are of a segment, which speaks for its children as well. @default true
 */
export function toAttributes(raw: unknown, isSegment = true): SpanDetail['attributes'] {
  const attributes: SpanDetail['attributes'] = {}
  let count = 0
  let total = 0
  for (const [name, given] of Object.entries(asObject(raw))) {
    if (count === MAX_ATTRIBUTES || total > MAX_TOTAL) break
    if (name === '__proto__' || name === '' || ELSEWHERE.test(name) || PRIVATE.test(name)) continue
    if (!isSegment && OF_THE_WHOLE.test(name)) continue
    const value = toValue(isObject(given) && 'value' in given ? given.value : given)
    const key = toText(name, MAX_KEY)
    if (value === undefined || key === undefined || (value === 0 && PHASE.test(name))) continue
    attributes[key] = value
    count += 1
    total += key.length + (typeof value === 'string' ? value.length : 8)
  }
  return attributes
}

function toValue(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'string') return toText(value, MAX_VALUE)
  if (!Array.isArray(value)) return undefined
  const parts = value.slice(0, 50).filter((part) => typeof part !== 'object')
  return toText(parts.join(', '), MAX_VALUE)
}

/** An attribute before it was bounded, of either model. */
export function attributeOf(raw: unknown, name: string): unknown {
  const given = Object.hasOwn(asObject(raw), name) ? asObject(raw)[name] : undefined
  return isObject(given) && 'value' in given ? given.value : given
}
