/** What the spool needs to know of an envelope that this process made itself. */
export interface OwnEnvelope {
  /** Without `sent_at`. */
  header: Record<string, unknown>
  sentAt?: number
  counts: Record<string, number>
  /** Everything after the header line. */
  body: Uint8Array
}

/** Data categories of item types, where the two differ. @see https://develop.sentry.dev/sdk/foundations/transport/rate-limiting/ */
const CATEGORIES: Record<string, string> = {
  event: 'error',
  sessions: 'session',
  client_report: 'internal',
  user_report: 'feedback',
  check_in: 'monitor',
  log: 'log_item',
  replay_event: 'replay',
  replay_recording: 'replay'
}

const NEWLINE = 0x0a

/**
 * Reads an envelope of the server's own SDK, which is well formed; nothing of its items is looked into.
 * @throws SyntaxError where it is none
 */
export function readOwnEnvelope(bytes: Uint8Array): OwnEnvelope {
  const end = endOfLine(bytes, 0)
  const { sent_at: sentAt, ...header } = parseLine(bytes, 0, end)
  const time = typeof sentAt === 'string' ? Date.parse(sentAt) : NaN
  const body = bytes.subarray(end + 1)
  return { header, ...(!Number.isNaN(time) && { sentAt: time }), counts: countItems(body), body }
}

function countItems(body: Uint8Array): Record<string, number> {
  const counts: Record<string, number> = {}
  for (let at = 0; at < body.length;) {
    const end = endOfLine(body, at)
    if (end === at) {
      at++
      continue
    }
    const { type, length, item_count: quantity } = parseLine(body, at, end)
    const category = CATEGORIES[String(type)] ?? String(type)
    counts[category] = (counts[category] ?? 0) + (Number.isSafeInteger(quantity) ? Number(quantity) : 1)
    at = Number.isSafeInteger(length) ? end + 1 + Number(length) + 1 : endOfLine(body, end + 1) + 1
  }
  return counts
}

function endOfLine(bytes: Uint8Array, from: number): number {
  const at = bytes.indexOf(NEWLINE, from)
  return at === -1 ? bytes.length : at
}

function parseLine(bytes: Uint8Array, from: number, to: number): Record<string, unknown> {
  const value: unknown = JSON.parse(Buffer.from(bytes.subarray(from, to)).toString())
  if (typeof value !== 'object' || value === null) throw new SyntaxError('an envelope has objects as headers')
  return value as Record<string, unknown>
}
