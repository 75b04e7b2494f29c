import { HOUR } from '@hull/common/time.ts'
import { clockShift, isPlausible } from './clock.ts'
import type { IngestContext, Item } from './context.ts'
import {
  toCount,
  asObject,
  toId,
  isObject,
  asArray,
  parseObject,
  toSafeText,
  toText,
  toTime,
  type Raw
} from './fields.ts'
import { OTHERS } from '../store/known-names.ts'
import { LOG_LEVELS, type LogLevel } from '../store/model.ts'
import { attributeOf, toAttributes } from './span-detail.ts'

/** Maximum lines of an item; SDKs send at most a hundred. */
const MAX_LINES = 1_000

/** Maximum characters of a line. Ours. */
const MAX_BODY = 8_192

/** Stores log lines: many in one item, or a single one in OpenTelemetry's format. */
export function storeLogs({ payload }: Item, context: IngestContext): void {
  const raw = parseObject(payload)
  const lines = Array.isArray(raw['items']) ? asArray(raw['items']) : [raw]
  const count = Math.min(lines.length, MAX_LINES, context.linesLeft)
  context.linesLeft -= count
  if (lines.length > count) context.drop('too_many_lines', 'log_item', lines.length - count)
  // The lines of an item have few environments, usually one.
  const environments = new Map<unknown, string>()
  const environmentOf = ({ attributes }: Raw) => {
    const named = attributeOf(attributes, 'sentry.environment')
    const environment = environments.get(named) ?? context.environmentOf(named)
    environments.set(named, environment)
    return environment
  }
  let invalid = 0
  for (const line of lines.slice(0, count).map(asObject))
    if (!storeLine(line, environmentOf(line), context)) invalid += 1
  if (invalid > 0) context.drop('invalid', 'log_item', invalid)
}

function storeLine(line: Raw, environment: string, context: IngestContext): boolean {
  const { project, receivedAt } = context
  const body = toSafeText(isObject(line['body']) ? line['body']['stringValue'] : line['body'], MAX_BODY)
  if (body === undefined) return false
  const at = atOf(line) ?? receivedAt
  context.batch.rows.add({
    into: 'INSERT INTO log (project, at, received, level, trace_id, body, attributes, environment)',
    values: [
      project,
      Math.round(at + clockShift(at, context)),
      receivedAt,
      levelOf(line['level'] ?? line['severity_text'] ?? line['severityText']),
      toId(line['trace_id'] ?? line['traceId'], 32) ?? null,
      body,
      JSON.stringify(toAttributes(line['attributes'])),
      environment
    ]
  })
  return true
}

function atOf(line: Raw): number | undefined {
  const nanos = Number(line['timeUnixNano'] ?? Number.NaN)
  return toTime(nanos / 1e9) ?? toTime(line['timestamp'])
}

function levelOf(level: unknown): LogLevel {
  const name = typeof level === 'string' ? level.toLowerCase() : ''
  const known = LOG_LEVELS.find((one) => one === name)
  if (known !== undefined) return known
  return name === 'warning' ? 'warn' : 'info'
}

/** Maximum entries of a report. All reasons with all categories are fewer. */
const MAX_ENTRIES = 100

/** A client's name for a reason or a category. */
const NAME = /^[\w.:-]{1,64}$/

/** Stores a client's counts of items that it dropped before sending. */
export function storeClientReport({ payload }: Item, context: IngestContext): void {
  const { project, receivedAt, rollups } = context
  const raw = parseObject(payload)
  const told = toTime(raw['timestamp'])
  const at = told !== undefined && isPlausible(told, receivedAt) ? told : receivedAt
  for (const entry of asArray(raw['discarded_events']).slice(0, MAX_ENTRIES).map(asObject)) {
    const { reason, category } = entry
    const quantity = toCount(entry['quantity'])
    if (typeof reason !== 'string' || typeof category !== 'string' || quantity === 0) continue
    if (!NAME.test(reason) || !NAME.test(category)) continue
    const isKnown = context.nameOf('drop', `${reason} ${category}`) !== OTHERS
    rollups.countClientDrop(
      {
        project,
        hour: Math.floor(at / HOUR),
        reason: isKnown ? reason : OTHERS,
        category: isKnown ? category : OTHERS
      },
      quantity
    )
  }
}

/** Maximum bytes of an unknown item; of a larger one, only type and size are stored. Ours. */
const MAX_RAW_BYTES = 64 * 1024

/** Stores an item of an unknown type as it is. */
export function storeRaw({ type, payload }: Item, { batch, project, receivedAt, eventId }: IngestContext): void {
  batch.rows.add({
    into: 'INSERT INTO raw_item (project, received, type, event_id, size, body)',
    values: [
      project,
      receivedAt,
      toText(type, 64) ?? '',
      eventId ?? null,
      payload.byteLength,
      payload.byteLength > MAX_RAW_BYTES ? null : payload
    ]
  })
}
