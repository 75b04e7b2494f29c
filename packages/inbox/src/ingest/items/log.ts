import { clockShift } from '../clock.ts'
import type { IngestContext, Item } from '../context.ts'
import {
  asArray,
  asObject,
  isObject,
  parseObject,
  toId,
  toNumber,
  toRelease,
  toSafeText,
  toTime,
  type Raw
} from '../fields.ts'
import { getOrInsert } from '../../get-or-insert.ts'
import { LOG_LEVELS, LOG_RELEASE, type LogLevel, type LogRow } from '../../store/model.ts'
import { attributeOf, toAttributes } from '../span-detail.ts'

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
    const sent = attributeOf(attributes, 'sentry.environment')
    return getOrInsert(environments, sent, () => context.environmentOf(sent))
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
      levelOf(line),
      toId(line['trace_id'] ?? line['traceId'], 32) ?? null,
      body,
      JSON.stringify(attributesOf(line)),
      environment
    ]
  })
  return true
}

/** A line has no column for its release, which spans have. */
function attributesOf({ attributes }: Raw): LogRow['attributes'] {
  const release = toRelease(attributeOf(attributes, LOG_RELEASE))
  return { ...toAttributes(attributes), ...(release !== undefined && { [LOG_RELEASE]: release }) }
}

function atOf(line: Raw): number | undefined {
  const nanos = Number(line['timeUnixNano'] ?? Number.NaN)
  return toTime(nanos / 1e9) ?? toTime(line['timestamp'])
}

/** Other names of levels, as loggers and syslog (RFC 5424) have them. A Map, so that `constructor` is not found. */
const OTHER_NAMES = new Map<string, LogLevel>([
  ['emergency', 'fatal'],
  ['alert', 'fatal'],
  ['critical', 'fatal'],
  ['err', 'error'],
  ['warning', 'warn'],
  ['notice', 'info']
])

/** Numbers of OpenTelemetry for each level: 1 to 4 are `trace`, 21 to 24 `fatal`. */
const NUMBERS_PER_LEVEL = 4

function levelOf(line: Raw): LogLevel {
  const sent = line['level'] ?? line['severity_text'] ?? line['severityText']
  // OpenTelemetry also has names such as ERROR2.
  const name = typeof sent === 'string' ? sent.toLowerCase().replace(/[2-4]$/, '') : ''
  const number = toNumber(line['severity_number'] ?? line['severityNumber']) ?? 0
  return (
    LOG_LEVELS.find((level) => level === name) ??
    OTHER_NAMES.get(name) ??
    LOG_LEVELS[Math.ceil(number / NUMBERS_PER_LEVEL) - 1] ??
    'info'
  )
}
