import { MAX_TRANSACTION_SPANS } from '@hull/common/constants.ts'
import { MINUTE } from '@hull/common/time.ts'
import { toPlain } from '../queries/plain-row.ts'
import { toSentryEvent } from './to-event.ts'
import type { EventLine, Line, SpanLine, TransactionLine } from './format.ts'

/** An item of an envelope. */
export interface OutgoingItem {
  header: { type: string; [field: string]: unknown }
  payload: Buffer
}

/** Result of a line. */
export type Sendable =
  | { items: OutgoingItem[]; eventId?: string }
  /** A log line. An envelope has at most one item with log lines. */
  | { log: object }
  /** Why the line is not sent. It is no failure. */
  | { skipped: string }

type Converter = (line: never) => Sendable

/**
 * Converts a line of an export to items that SDKs send. @returns undefined for an unknown type
 * @throws TypeError if a field of the line is missing
 */
export function toItems(line: Line): Sendable | undefined {
  return CONVERTERS.get(line.type)?.(line as never)
}

/** The protocol has no items for these: a receiver makes its own issues and releases. */
const ofReceiver = (): Sendable => ({ skipped: 'made by the receiver itself' })

const CONVERTERS = new Map<string, Converter>([
  ['project', ofReceiver],
  ['release', ofReceiver],
  ['issue', ofReceiver],
  ['event', fromEvent],
  ['attachment', fromAttachment],
  ['feedback', fromFeedback],
  ['transaction', fromTransaction],
  ['span', (line: SpanLine) => ({ items: [json('span', toStandalone(line))] })],
  ['log', fromLog],
  ['check_in', fromCheckIn],
  ['session', fromSession],
  ['raw_item', fromRawItem]
])

const json = (type: string, payload: object, header: object = {}): OutgoingItem => ({
  header: { type, ...header },
  payload: Buffer.from(JSON.stringify(payload))
})

function fromEvent({ eventId, payload, visitor }: EventLine): Sendable {
  if (payload === null) return { skipped: 'its payload was not stored' }
  return { items: [json('event', toSentryEvent(payload, visitor))], eventId }
}

interface AttachmentLine {
  eventId: string
  filename: string
  contentType: string | null
  body: string | null
}

function fromAttachment({ eventId, filename, contentType, body }: AttachmentLine): Sendable {
  if (body === null) return { skipped: 'its content was not stored' }
  const header = { type: 'attachment', filename, ...(contentType !== null && { content_type: contentType }) }
  return { items: [{ header, payload: Buffer.from(body, 'base64') }], eventId }
}

interface FeedbackLine {
  eventId: string
  about: string | null
  at: number
  name: string | null
  email: string | null
  message: string
  url: string | null
}

function fromFeedback({ eventId, about, at, name, email, message, url }: FeedbackLine): Sendable {
  const feedback = { message, name, contact_email: email, url, associated_event_id: about }
  const payload = {
    event_id: eventId,
    timestamp: at / 1_000,
    platform: 'other',
    level: 'info',
    contexts: { feedback: toPlain(feedback) }
  }
  return { items: [json('feedback', payload)], eventId }
}

/** Status of a span in the protocol. */
const STATUSES = { ok: 'ok', error: 'internal_error', cancelled: 'cancelled' } as const

/** SDK and platform of a span's side, from which the inbox knows it. */
const SIDES = {
  browser: { platform: 'javascript', sdk: { name: 'sentry.javascript.browser', version: '0.0.0' } },
  server: { platform: 'node', sdk: { name: 'sentry.javascript.node', version: '0.0.0' } }
} as const

/** Microseconds to the seconds of the protocol. */
const toSeconds = (micros: number): number => micros / 1_000_000

function fromTransaction(line: TransactionLine): Sendable {
  const { traceId, side, name, op, status, start, duration, release, environment, attributes, spans, vitals } = line
  const payload = {
    type: 'transaction',
    ...SIDES[side],
    transaction: name,
    // The name is a route already, in which nothing is to be replaced.
    transaction_info: { source: 'route' },
    start_timestamp: toSeconds(start),
    timestamp: toSeconds(start + duration),
    ...(release !== null && { release }),
    ...(environment !== '' && { environment }),
    contexts: {
      trace: { ...toIds(line), op, status: STATUSES[status], data: attributes }
    },
    spans: spans.slice(0, MAX_TRANSACTION_SPANS).map(toSpan),
    measurements: Object.fromEntries(
      Object.entries(vitals).map(([vital, value]) => [
        vital.toLowerCase(),
        { value, unit: vital === 'CLS' ? '' : 'millisecond' }
      ])
    ),
    // Without it, the inbox would take the page for one of Chromium that reported no layout shift.
    request: { headers: { 'User-Agent': attributes['user_agent.original'] ?? 'hull-inbox' } }
  }
  const eventId = `${traceId.slice(0, 16)}${line.spanId}`
  const rest = spans.slice(MAX_TRANSACTION_SPANS).map((span) => json('span', toStandalone(span)))
  return { items: [json('transaction', { event_id: eventId, ...payload }), ...rest], eventId }
}

const toIds = ({ traceId, spanId, parentId }: SpanLine) => ({
  trace_id: traceId,
  span_id: spanId,
  ...(parentId !== null && { parent_span_id: parentId })
})

const toSpan = (span: SpanLine) => ({
  ...toIds(span),
  op: span.op,
  description: span.name,
  status: STATUSES[span.status],
  start_timestamp: toSeconds(span.start),
  timestamp: toSeconds(span.start + span.duration),
  data: span.attributes
})

const toStandalone = (span: SpanLine) => ({
  ...toSpan(span),
  is_segment: span.isSegment,
  ...(span.segmentId !== null && { segment_id: span.segmentId }),
  platform: SIDES[span.side].platform,
  data: {
    ...span.attributes,
    'sentry.sdk.name': SIDES[span.side].sdk.name,
    ...(span.release !== null && { 'sentry.release': span.release }),
    ...(span.environment !== '' && { 'sentry.environment': span.environment })
  }
})

interface LogLine {
  at: number
  level: string
  traceId: string | null
  body: string
  attributes: Record<string, string | number | boolean>
  environment: string
}

function fromLog({ at, level, traceId, body, attributes, environment }: LogLine): Sendable {
  const all = { ...attributes, ...(environment !== '' && { 'sentry.environment': environment }) }
  return {
    log: {
      timestamp: at / 1_000,
      // The protocol requires a trace.
      trace_id: traceId ?? '0'.repeat(32),
      level,
      body,
      attributes: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, { value, type: typeOf(value) }]))
    }
  }
}

/** Returns the item for log lines. */
export const toLogItem = (items: readonly object[]): OutgoingItem =>
  json('log', { items }, { item_count: items.length, content_type: 'application/vnd.sentry.items.log+json' })

function typeOf(value: string | number | boolean): string {
  if (typeof value !== 'number') return typeof value
  return Number.isInteger(value) ? 'integer' : 'double'
}

interface CheckInLine {
  checkInId: string
  monitor: string
  status: string
  duration: number | null
  environment: string
  traceId: string | null
  crontab: string | null
  every: number | null
  unit: string | null
  zone: string | null
  margin: number | null
  maxRuntime: number | null
}

function fromCheckIn(line: CheckInLine): Sendable {
  const { checkInId, monitor, status, duration, environment, traceId, crontab, every, unit } = line
  // The inbox made them because a check-in did not arrive.
  if (status === 'missed' || status === 'timeout') return { skipped: 'made by the receiver itself' }
  // The receiver would wait for it, and then alert. If the job sends it there, the receiver stores it as new.
  if (status === 'in_progress') return { skipped: 'its result is not known' }
  const schedule =
    crontab !== null
      ? { type: 'crontab', value: crontab }
      : every !== null
        ? { type: 'interval', value: every, unit }
        : undefined
  const config = schedule && {
    schedule,
    timezone: line.zone,
    checkin_margin: (line.margin ?? MINUTE) / MINUTE,
    max_runtime: (line.maxRuntime ?? 30 * MINUTE) / MINUTE
  }
  const payload = {
    check_in_id: checkInId,
    monitor_slug: monitor,
    status,
    ...(duration !== null && { duration }),
    ...(environment !== '' && { environment }),
    ...(traceId !== null && { contexts: { trace: { trace_id: traceId } } }),
    ...(config && { monitor_config: config })
  }
  return { items: [json('check_in', payload)] }
}

interface SessionLine {
  sid: string
  started: number
  status: string
  errors: number
  release: string | null
  environment: string
}

function fromSession({ sid, started, status, errors, release, environment }: SessionLine): Sendable {
  const time = new Date(started).toISOString()
  const payload = {
    sid,
    init: true,
    started: time,
    timestamp: time,
    status: status === 'errored' ? 'exited' : status,
    errors: status === 'errored' ? Math.max(errors, 1) : errors,
    attrs: { ...(release !== null && { release }), ...(environment !== '' && { environment }) }
  }
  return { items: [json('session', payload)] }
}

interface RawLine {
  itemType: string
  eventId: string | null
  body: string | null
}

function fromRawItem({ itemType, eventId, body }: RawLine): Sendable {
  if (body === null) return { skipped: 'its content was not stored' }
  const items = [{ header: { type: itemType }, payload: Buffer.from(body, 'base64') }]
  return eventId === null ? { items } : { items, eventId }
}
