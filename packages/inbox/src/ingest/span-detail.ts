import { isAddressHeader } from './request.ts'
import { withoutCredential } from './credentials.ts'
import { asObject, toId, isObject, toNumber, toSafeText, toText } from './fields.ts'
import type { Side, SpanDetail } from '../store/model.ts'

/** Maximum characters of a span's name and operation. */
const MAX_NAME = 300
const MAX_OP = 60

/** Maximum microseconds of a span: a day. */
const MAX_DURATION = 86_400_000_000

/** An unvalidated span of either model. */
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
  /** Source of the segment's name, such as `route` or `url`. */
  source?: unknown
}

/** Values shared by all spans of an item. */
export interface SpanOrigin {
  side: Side
  release: string | undefined
  environment: string
  /** Milliseconds to add to the spans' times. */
  shift: number
}

/** Converts a span of either model; undefined if ids or start are missing. */
export function toSpan(raw: RawSpan, { side, release, environment, shift }: SpanOrigin): SpanDetail | undefined {
  const traceId = toId(raw.traceId, 32)
  const spanId = toId(raw.spanId, 16)
  const start = toNumber(raw.start)
  if (traceId === undefined || spanId === undefined || start === undefined) return undefined
  const duration = Math.round(((toNumber(raw.end) ?? start) - start) * 1e6)
  const sent = toText(raw.op, MAX_OP) ?? ''
  const op = raw.isSegment && REQUESTS_OF_RUBY.has(sent) ? 'http.server' : sent
  const name = toSafeText(raw.name, MAX_NAME)
  const parentId = toId(raw.parentId, 16)
  const segmentId = raw.isSegment ? spanId : toId(raw.segmentId, 16)
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && parentId !== spanId && { parentId }),
    isSegment: raw.isSegment,
    ...(segmentId !== undefined && { segmentId }),
    side,
    name: raw.isSegment ? nameSegment(raw, name ?? '') : (name ?? (op || '(no name)')),
    op,
    status: statusOf(raw.status, op, raw.attributes),
    start: Math.round((start * 1_000 + shift) * 1_000),
    // A span ends before it starts if the clock was set back in between.
    duration: Math.min(Math.max(duration, 0), MAX_DURATION),
    ...(release !== undefined && { release }),
    environment,
    attributes: toAttributes(raw.attributes, raw.isSegment)
  }
}

/** Operations that older SDKs of Ruby give requests to a server. */
const REQUESTS_OF_RUBY = new Set(['rails.request', 'rack.request'])

/** SDKs name a request by its method alone if they know no route, such as those for Cloudflare and Bun. */
function nameSegment(raw: RawSpan, name: string): string {
  const path = pathOf(raw)
  return path !== undefined && name === attributeOf(raw.attributes, 'http.request.method')
    ? routeOf(`${name} ${path}`, 'url', path)
    : routeOf(name, toText(raw.source, 20), path)
}

function pathOf({ attributes }: RawSpan): string | undefined {
  const path = toText(attributeOf(attributes, 'url.path'), MAX_NAME)
  if (path !== undefined) return path
  const url = toText(attributeOf(attributes, 'url.full'), 2_000)
  return url !== undefined && URL.canParse(url) ? new URL(url).pathname : undefined
}

/** Names of client errors. SDKs that send no number send such a name. */
const CLIENT_ERRORS = new Set<unknown>([
  'invalid_argument',
  'unauthenticated',
  'permission_denied',
  'not_found',
  'already_exists',
  'failed_precondition',
  'resource_exhausted'
])

/** Returns the status of a span. A client error, such as a 404, is not a failure of the server. */
function statusOf(status: unknown, op: string, attributes: unknown): SpanDetail['status'] {
  const code = toNumber(
    attributeOf(attributes, 'http.response.status_code') ?? attributeOf(attributes, 'http.status_code')
  )
  if (op === 'http.server' && code !== undefined) return code >= 500 ? 'error' : code === 499 ? 'cancelled' : 'ok'
  if (op === 'http.server' && CLIENT_ERRORS.has(status)) return 'ok'
  if (status === 'cancelled' || attributeOf(attributes, 'sentry.status.message') === 'cancelled') return 'cancelled'
  return status === undefined || status === null || status === 'ok' || status === 'unset' || status === 'unknown'
    ? 'ok'
    : 'error'
}

/** A part of a path that identifies one of many: a number, a UUID, a hash, or a long run of letters and digits. */
const IDENTIFIER =
  /^(?:\d+|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[\da-f]{16,}|(?=[^/]*\d)[\w-]{20,})$/i

/** Names that the SDK gives a page load or navigation without a route. */
const NAMELESS = new Set(['Pageload', 'Navigation', '<unlabeled transaction>', ''])

/** Maximum characters of a route. */
const MAX_LENGTH = 200

/**
 * Returns the route that groups a segment's durations. In a name made from a URL, `*` replaces ids.
 * @param source source of the name; `url` for the requested path
 * @param path path of the request or page
 */
export function routeOf(name: string, source: string | undefined, path: string | undefined): string {
  const route = NAMELESS.has(name) ? path : name
  if (route === undefined) return name || '(no name)'
  const isPattern = route === name && source !== 'url' && source !== undefined
  return (isPattern ? route : collapse(route)).slice(0, MAX_LENGTH).toWellFormed()
}

/** A path or an address, perhaps behind a method. `OrdersController#show` is none. */
const ADDRESS = /^(?:[A-Z]+ )?(?:\/|[a-z]+:\/\/)/

const collapse = (route: string): string =>
  (ADDRESS.test(route) ? route.replace(/[?#].*/s, '') : route)
    .split('/')
    .map((segment) => (IDENTIFIER.test(segment) ? '*' : segment))
    .join('/')

/**
 * Maximum attributes of a span, characters of a name, of a value, and of all together: four times what SDKs send. Ours.
 */
const MAX_ATTRIBUTES = 100
const MAX_KEY = 100
const MAX_VALUE = 1_000
const MAX_TOTAL = 12_000

/** Attributes that have their own columns, or are the same for every span of a client. */
const STORED_IN_COLUMNS =
  /^sentry\.(?:op|origin|release|environment|segment\.|sdk\.|trace_lifecycle|transaction|trace\.|(?:previous_trace_)?sample_rate|is_localhost|timestamp\.|_internal)/

/** Attributes with a visitor's address or credentials. They are not stored. */
const PRIVATE =
  /^(?:client\.(?:address|port)|user\.ip_address|network\.peer\.|http\.client_ip|net\.(?:sock\.)?peer\.(?:ip|addr|port))/i

/** The header in the name of an attribute. */
const HEADER = /^http\.re(?:quest|sponse)\.header\.([^.]+)/i

/** Headers with credentials or a trace. Some SDKs write `_` for `-`. */
const PRIVATE_HEADER =
  /^(?:(?:set[-_])?cookie|(?:proxy[-_])?authorization|x[-_]api[-_]key|sentry[-_]trace|baggage|traceparent|tracestate)$/i

function isPrivate(name: string): boolean {
  const [, header] = HEADER.exec(name) ?? []
  return header === undefined ? PRIVATE.test(name) : PRIVATE_HEADER.test(header) || isAddressHeader(header)
}

/**
 * Attributes of the process or the visitor's machine. The segment has them; the copies in its children are not stored.
 */
const SEGMENT_ONLY =
  /^(?:user_agent\.|culture\.|device\.|os\.|app\.|process\.runtime|sentry\.replay_id|network\.local\.)/

/** Phases of a request; browsers report 0 for a phase that did not happen. */
const PHASE = /^http\.request\.\w+_(?:start|end)$/

/**
 * Returns the attributes as strings, numbers and booleans, from plain values or the newer model's `{ value, type }`.
 * @param isSegment whether the span is a segment, which also has the attributes shared with its children
 * @default true
 */
export function toAttributes(raw: unknown, isSegment = true): SpanDetail['attributes'] {
  const attributes: SpanDetail['attributes'] = {}
  let count = 0
  let total = 0
  const object = asObject(raw)
  for (const name of Object.keys(object)) {
    if (count === MAX_ATTRIBUTES || total > MAX_TOTAL) break
    if (name === '__proto__' || name === '' || STORED_IN_COLUMNS.test(name) || isPrivate(name)) continue
    if (!isSegment && SEGMENT_ONLY.test(name)) continue
    const value = toValue(withoutCredential(name, attributeOf(object, name)))
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
  if (typeof value === 'string') return toSafeText(value, MAX_VALUE)
  if (!Array.isArray(value)) return undefined
  const parts = value.slice(0, 50).filter((part) => typeof part !== 'object')
  return toSafeText(parts.join(', '), MAX_VALUE)
}

/** Returns an unvalidated attribute of either model. */
export function attributeOf(raw: unknown, name: string): unknown {
  const given = Object.hasOwn(asObject(raw), name) ? asObject(raw)[name] : undefined
  return isObject(given) && 'value' in given ? given.value : given
}
