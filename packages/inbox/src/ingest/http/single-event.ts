import { randomBytes } from 'node:crypto'
import { MonitoringMalformed, MonitoringTooLarge, MAX_EVENT_BYTES, readPieces } from '@hull/monitoring/envelope'
import type { EnvelopeMeta, EnvelopeSink, IncomingBody } from '@hull/monitoring'

const EVENT_ID = /^[\da-f]{32}$/

/**
 * Accepts a single event without an envelope, as old SDKs send it, and wraps it in one.
 * @returns the envelope's metadata, after the sink has stored it
 * @throws MonitoringMalformed
 * @throws MonitoringTooLarge
 * @throws SpoolUnavailable
 * @throws ClientGone
 */
export async function acceptSingleEvent(
  { body, decoder, clientAddress }: IncomingBody,
  { provider, dsn }: { provider: string; dsn: string },
  sink: EnvelopeSink
): Promise<EnvelopeMeta> {
  const pieces: Buffer[] = []
  let size = 0
  await readPieces(body, decoder, (piece) => {
    size += piece.length
    if (size > MAX_EVENT_BYTES) throw new MonitoringTooLarge(`an event is longer than ${MAX_EVENT_BYTES} bytes`)
    pieces.push(piece)
    return undefined
  })
  const payload = Buffer.concat(pieces, size)
  const { type, event_id } = parse(payload)
  const known = typeof event_id === 'string' ? event_id.replaceAll('-', '').toLowerCase() : ''
  const eventId = EVENT_ID.test(known) ? known : randomBytes(16).toString('hex')
  const kind = type === 'transaction' ? 'transaction' : 'event'
  const meta: EnvelopeMeta = {
    dsn: provider,
    header: { event_id: eventId, dsn },
    receivedAt: Date.now(),
    counts: { [kind === 'event' ? 'error' : kind]: 1 },
    ...(clientAddress !== undefined && { clientAddress })
  }
  const header = Buffer.from(`${JSON.stringify({ type: kind, length: size })}\n`)
  await sink.accept({ meta, body: Buffer.concat([header, payload]) })
  return meta
}

function parse(payload: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(payload.toString())
  } catch {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MonitoringMalformed('the event is not a JSON object')
  return value as Record<string, unknown>
}
