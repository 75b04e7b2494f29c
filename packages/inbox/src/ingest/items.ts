import { clockShift, isPlausible } from './clock.ts'
import type { IngestContext, Item } from './context.ts'
import {
  toCount,
  asObject,
  toId,
  isObject,
  asArray,
  toNumber,
  parseObject,
  toText,
  toTime,
  type Raw
} from './fields.ts'
import { knownName, OTHERS } from '../store/projects.ts'
import { toAttributes } from './span-detail.ts'

/** Lines of one item: SDKs send a hundred at most. */
const MAX_LINES = 1_000

/** Characters of a line. Ours. */
const MAX_BODY = 8_192

const LOG_LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])

/** Lines of a log, many in one item; or one, in OpenTelemetry's words. */
export function storeLogs({ payload }: Item, context: IngestContext): void {
  const raw = parseObject(payload)
  const lines = Array.isArray(raw['items']) ? asArray(raw['items']) : [raw]
  if (lines.length > MAX_LINES) context.drop('too_many_lines', 'log_item', lines.length - MAX_LINES)
  let invalid = 0
  for (const line of lines.slice(0, MAX_LINES).map(asObject)) if (!storeLine(line, context)) invalid += 1
  if (invalid > 0) context.drop('invalid', 'log_item', invalid)
}

function storeLine(line: Raw, context: IngestContext): boolean {
  const { project, receivedAt } = context
  const body = toText(isObject(line['body']) ? line['body']['stringValue'] : line['body'], MAX_BODY)
  if (body === undefined) return false
  const at = atOf(line) ?? receivedAt
  context.store.run(
    'INSERT INTO log (project, at, received, level, trace_id, body, attributes) VALUES (?, ?, ?, ?, ?, ?, ?)',
    project,
    Math.round(at + clockShift(at, context)),
    receivedAt,
    levelOf(line['level'] ?? line['severity_text'] ?? line['severityText']),
    toId(line['trace_id'] ?? line['traceId'], 32) ?? null,
    body,
    JSON.stringify(toAttributes(line['attributes']))
  )
  return true
}

function atOf(line: Raw): number | undefined {
  const nanos = Number(line['timeUnixNano'] ?? Number.NaN)
  return Number.isFinite(nanos) ? nanos / 1e6 : toTime(line['timestamp'])
}

function levelOf(level: unknown): string {
  const name = typeof level === 'string' ? level.toLowerCase() : ''
  if (LOG_LEVELS.has(name)) return name
  return name === 'warning' ? 'warn' : 'info'
}

const CHECK_IN_STATUSES = new Set(['in_progress', 'ok', 'error', 'missed', 'timeout'])

/** A job that says it has begun, and later how it ended: one row for both. */
export function storeCheckIn({ payload }: Item, context: IngestContext): void {
  const raw = parseObject(payload)
  const id = toId(raw['check_in_id'], 32)
  const monitor = toText(raw['monitor_slug'], 100)
  const status = raw['status']
  if (id === undefined || monitor === undefined || typeof status !== 'string' || !CHECK_IN_STATUSES.has(status))
    throw new TypeError('a check-in has an id, a monitor and a status')
  const duration = toNumber(raw['duration'])
  context.store.run(
    `INSERT INTO check_in (project, check_in_id, monitor, status, duration, environment, received)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET duration = coalesce(excluded.duration, duration),
      status = CASE WHEN excluded.status = 'in_progress' THEN status ELSE excluded.status END`,
    context.project,
    id,
    monitor,
    status,
    duration !== undefined && duration >= 0 ? duration : null,
    context.environmentOf(raw['environment']),
    context.receivedAt
  )
}

/** Entries of one report: every reason with every category is less. */
const MAX_ENTRIES = 100

/** What a client calls a reason or a category. */
const NAME = /^[\w.:-]{1,64}$/

/** What a client let go before it sent it, and why. */
export function storeClientReport({ payload }: Item, context: IngestContext): void {
  const { store, project, receivedAt } = context
  const raw = parseObject(payload)
  const told = toTime(raw['timestamp'])
  const at = told !== undefined && isPlausible(told, receivedAt) ? told : receivedAt
  for (const entry of asArray(raw['discarded_events']).slice(0, MAX_ENTRIES).map(asObject)) {
    const { reason, category } = entry
    const quantity = toCount(entry['quantity'])
    if (typeof reason !== 'string' || typeof category !== 'string' || quantity === 0) continue
    if (!NAME.test(reason) || !NAME.test(category)) continue
    const isKnown = knownName(store, project, 'drop', `${reason} ${category}`, receivedAt) !== OTHERS
    store.run(
      `INSERT INTO drop_hour (project, hour, origin, reason, category, quantity) VALUES (?, ?, 'client', ?, ?, ?)
        ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity`,
      project,
      Math.floor(at / 3_600_000),
      isKnown ? reason : OTHERS,
      isKnown ? category : OTHERS,
      quantity
    )
  }
}

/** Bytes that are kept of one attachment; of a larger one only its name and size. Ours: a picture of a screen fits. */
const MAX_ATTACHMENT_BYTES = 1024 * 1024

/** Attachments of one event that are kept. Ours. */
const MAX_ATTACHMENTS = 10

/** Stores a file that was sent with an event. Several files of one event may have the same name, or none. */
export function storeAttachment({ header, payload }: Item, context: IngestContext): void {
  const { store, project, receivedAt } = context
  const eventId = toId(context.eventId, 32)
  if (eventId === undefined) throw new TypeError('an attachment belongs to an event')
  const body = payload.byteLength > MAX_ATTACHMENT_BYTES ? null : payload
  const stored = store.all<{ filename: string; isSame: number }>(
    'SELECT filename, size = ? AND body IS ? AS isSame FROM attachment WHERE project = ? AND event_id = ?',
    payload.byteLength,
    body,
    project,
    eventId
  )
  const sentName = toText(header['filename'], 200) ?? 'unnamed'
  let filename = sentName
  for (let copy = 2; ; copy++) {
    const namesake = stored.find((attachment) => attachment.filename === filename)
    if (namesake === undefined) break
    // The same content again: a client that did not get the answer has sent the envelope a second time.
    if (namesake.isSame === 1) return
    filename = toNumberedName(sentName, copy)
  }
  if (stored.length >= MAX_ATTACHMENTS) return context.drop('too_many_attachments', 'attachment', 1)
  if (body === null) context.drop('too_large', 'attachment', 1)
  store.run(
    `INSERT INTO attachment (project, event_id, filename, content_type, size, body, received)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    project,
    eventId,
    filename,
    toText(header['content_type'], 100) ?? null,
    payload.byteLength,
    body,
    receivedAt
  )
}

/** `screen.png` becomes `screen (2).png`. */
const toNumberedName = (name: string, number: number): string => name.replace(/(\.[^./\\]+)?$/, ` (${number})$1`)

/** Bytes that are kept of an item that is not understood; of a larger one only its type and size. Ours. */
const MAX_RAW_BYTES = 64 * 1024

/** Keeps an item of a type that is not understood as it came. */
export function storeRaw({ type, payload }: Item, { store, project, receivedAt, eventId }: IngestContext): void {
  store.run(
    'INSERT INTO raw_item (project, received, type, event_id, size, body) VALUES (?, ?, ?, ?, ?, ?)',
    project,
    receivedAt,
    toText(type, 64) ?? '',
    toId(eventId, 32) ?? null,
    payload.byteLength,
    payload.byteLength > MAX_RAW_BYTES ? null : payload
  )
}
