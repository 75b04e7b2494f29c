import { clockShift } from '../clock.ts'
import type { IngestContext, Item } from '../context.ts'
import { asArray, asObject, isObject, parseObject, toId, toRelease, toSafeText, toTime, type Raw } from '../fields.ts'
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

function levelOf(level: unknown): LogLevel {
  const name = typeof level === 'string' ? level.toLowerCase() : ''
  const known = LOG_LEVELS.find((one) => one === name)
  if (known !== undefined) return known
  return name === 'warning' ? 'warn' : 'info'
}
