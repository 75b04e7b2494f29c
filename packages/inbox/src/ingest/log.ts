import { toAttributes } from './attributes.ts'
import { clockShift } from './clock.ts'
import type { IngestContext, Item } from './context.ts'
import { fieldsOf, idOf, isFields, listOf, parseFields, textOf, timeOf, type Fields } from './fields.ts'

/** Lines of one item: SDKs send a hundred at most. */
const MAX_LINES = 1_000

/** Characters of a line. Ours. */
const MAX_BODY = 8_192

const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])

/** Lines of a log, many in one item; or one, in OpenTelemetry's words. */
export function storeLogs({ payload }: Item, context: IngestContext): void {
  const raw = parseFields(payload)
  const lines = Array.isArray(raw['items']) ? listOf(raw['items']) : [raw]
  if (lines.length > MAX_LINES) context.drop('too_many_lines', 'log_item', lines.length - MAX_LINES)
  let invalid = 0
  for (const line of lines.slice(0, MAX_LINES).map(fieldsOf)) if (!store(line, context)) invalid += 1
  if (invalid > 0) context.drop('invalid', 'log_item', invalid)
}

function store(line: Fields, context: IngestContext): boolean {
  const { project, receivedAt } = context
  const body = textOf(isFields(line['body']) ? line['body']['stringValue'] : line['body'], MAX_BODY)
  if (body === undefined) return false
  const at = atOf(line) ?? receivedAt
  context.store.run(
    'INSERT INTO log (project, at, received, level, trace_id, body, attributes) VALUES (?, ?, ?, ?, ?, ?, ?)',
    project,
    Math.round(at + clockShift(at, context)),
    receivedAt,
    levelOf(line['level'] ?? line['severity_text'] ?? line['severityText']),
    idOf(line['trace_id'] ?? line['traceId'], 32) ?? null,
    body,
    JSON.stringify(toAttributes(line['attributes']))
  )
  return true
}

function atOf(line: Fields): number | undefined {
  const nanos = Number(line['timeUnixNano'] ?? Number.NaN)
  return Number.isFinite(nanos) ? nanos / 1e6 : timeOf(line['timestamp'])
}

function levelOf(level: unknown): string {
  const name = typeof level === 'string' ? level.toLowerCase() : ''
  if (LEVELS.has(name)) return name
  return name === 'warning' ? 'warn' : 'info'
}
