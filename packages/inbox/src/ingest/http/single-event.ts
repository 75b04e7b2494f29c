import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { inflate as inflateCallback } from 'node:zlib'
import { Gatherer } from '@hull/common/http/gatherer.ts'
import {
  BURST_HELD_BYTES,
  MAX_EVENT_BYTES,
  MonitoringMalformed,
  MonitoringTooLarge,
  readPieces,
  SpoolUnavailable
} from '@hull/monitoring/envelope'
import type { EnvelopeMeta, EnvelopeSink, IncomingBody } from '@hull/monitoring'

const inflate = promisify(inflateCallback)

/** First characters of a body in base64. JSON begins with `{`, or with white space before it. */
const BASE64 = /^[\w+/=]+\s*$/

const BRACE = 0x7b

const EVENT_ID = /^[\da-f]{32}$/

/**
 * Total bytes of all events that are arriving. Above it, large events are refused, and small ones are not: a kilobyte
 * can inflate to a mebibyte, which senders that never end would keep in memory. A guess.
 */
const MAX_ARRIVING = 32 * 1024 ** 2

export interface SingleEventTarget {
  provider: string
  dsn: string
  /** Refuses the event by throwing. Receives the categories of the event's data, as rate limits name them. */
  admit: (categories: readonly string[]) => void
}

/** Passes a single event to the sink, in an envelope. */
export type AcceptSingleEvent = (incoming: IncomingBody, target: SingleEventTarget) => Promise<EnvelopeMeta>

/**
 * Creates a function that accepts single events without an envelope, as old SDKs send them, and wraps each in one. raven
 * for Node and PHP sends it in base64, deflated. The function returns the envelope's metadata, after the sink has stored
 * it, and throws MonitoringMalformed, MonitoringTooLarge, SpoolUnavailable, ClientGone and the errors of `admit`.
 */
export function createSingleEventIntake(sink: EnvelopeSink): AcceptSingleEvent {
  let arriving = 0

  return async function acceptSingleEvent({ body, decoder, clientAddress }, { provider, dsn, admit }) {
    const payload = await decode(await readWhole(body, decoder))
    const { type, event_id } = parse(payload)
    const known = typeof event_id === 'string' ? event_id.replaceAll('-', '').toLowerCase() : ''
    const eventId = EVENT_ID.test(known) ? known : randomBytes(16).toString('hex')
    const [kind, category] = type === 'transaction' ? ['transaction', 'transaction'] : ['event', 'error']
    admit([category])
    const meta: EnvelopeMeta = {
      dsn: provider,
      header: { event_id: eventId, dsn },
      receivedAt: Date.now(),
      counts: { [category]: 1 },
      ...(clientAddress !== undefined && { clientAddress })
    }
    const header = Buffer.from(`${JSON.stringify({ type: kind, length: payload.length })}\n`)
    await sink.accept({ meta, body: Buffer.concat([header, payload]) })
    return meta
  }

  async function readWhole(body: IncomingBody['body'], decoder: IncomingBody['decoder']): Promise<Buffer> {
    const pieces: Buffer[] = []
    const gatherer = new Gatherer((piece) => {
      pieces.push(piece)
      return undefined
    })
    let size = 0
    try {
      await readPieces(body, decoder, (piece) => {
        size += piece.length
        arriving += piece.length
        if (size > MAX_EVENT_BYTES) throw new MonitoringTooLarge(`an event is longer than ${MAX_EVENT_BYTES} bytes`)
        if (arriving > MAX_ARRIVING && size > BURST_HELD_BYTES)
          throw new SpoolUnavailable({ cause: new Error('too many large events at once') })
        return gatherer.add(piece)
      })
      void gatherer.end()
      return Buffer.concat(pieces, size)
    } finally {
      arriving -= size
    }
  }
}

/**
 * Returns the JSON of an event, which may be in base64, and deflated in it.
 * @throws MonitoringMalformed
 * @throws MonitoringTooLarge
 */
async function decode(body: Buffer): Promise<Buffer> {
  if (!BASE64.test(body.toString('latin1', 0, 64))) return body
  const binary = Buffer.from(body.toString('latin1'), 'base64')
  if (binary[0] === BRACE) return binary
  try {
    return await inflate(binary, { maxOutputLength: MAX_EVENT_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new MonitoringTooLarge(`an event is longer than ${MAX_EVENT_BYTES} bytes`)
    throw new MonitoringMalformed('the event is neither JSON nor deflated JSON in base64')
  }
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
