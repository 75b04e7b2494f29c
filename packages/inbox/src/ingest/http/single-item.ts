import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { inflate as inflateCallback } from 'node:zlib'
import { Gatherer } from '@hull/common/http/gatherer.ts'
import { InboxCheckInInvalid } from '../../errors.ts'
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

export interface SingleItemTarget {
  provider: string
  dsn: string
  /** Refuses the item by throwing. Receives the categories of its data, as rate limits name them. */
  admit: (categories: readonly string[]) => void
}

interface SingleItem {
  kind: string
  /** As rate limits name it. */
  category: string
  payload: Buffer
  /** Of the envelope. */
  header: EnvelopeMeta['header']
  clientAddress?: string | undefined
}

/** Functions that pass one item to the sink, in an envelope. Each returns the envelope's metadata. */
export interface SingleItemIntake {
  /** Accepts an event without an envelope, as old SDKs send it. raven for Node and PHP sends it in base64, deflated. */
  acceptEvent: (incoming: IncomingBody, target: SingleItemTarget) => Promise<EnvelopeMeta>
  /**
   * Accepts a check-in of a job without an SDK, such as one of curl.
   * @param slug name of the monitor
   * @param query has values of the check-in; others are in the body, if there is one
   * @throws InboxCheckInInvalid
   */
  acceptCheckIn: (
    incoming: IncomingBody,
    target: SingleItemTarget,
    slug: string,
    query: URLSearchParams
  ) => Promise<EnvelopeMeta>
}

/**
 * Creates the functions that accept items without an envelope. They return after the sink has stored the item, and throw
 * MonitoringMalformed, MonitoringTooLarge, SpoolUnavailable, ClientGone and the errors of `admit`.
 */
export function createSingleItemIntake(sink: EnvelopeSink): SingleItemIntake {
  let arriving = 0

  return {
    async acceptEvent({ body, decoder, clientAddress }, target) {
      const payload = await decode(await readWhole(body, decoder))
      const { type, event_id } = parse(payload)
      const known = typeof event_id === 'string' ? event_id.replaceAll('-', '').toLowerCase() : ''
      const eventId = EVENT_ID.test(known) ? known : randomBytes(16).toString('hex')
      const [kind, category] = type === 'transaction' ? ['transaction', 'transaction'] : ['event', 'error']
      return accept({ kind, category, payload, header: { event_id: eventId }, clientAddress }, target)
    },

    async acceptCheckIn({ body, decoder }, target, slug, query) {
      const text = await readWhole(body, decoder)
      const checkIn = toCheckIn(text.length > 0 ? parse(text) : {}, slug, query)
      const payload = Buffer.from(JSON.stringify(checkIn))
      return accept({ kind: 'check_in', category: 'monitor', payload, header: {} }, target)
    }
  }

  async function accept(
    { kind, category, payload, header, clientAddress }: SingleItem,
    { provider, dsn, admit }: SingleItemTarget
  ): Promise<EnvelopeMeta> {
    admit([category])
    const meta: EnvelopeMeta = {
      dsn: provider,
      header: { ...header, dsn },
      receivedAt: Date.now(),
      counts: { [category]: 1 },
      ...(clientAddress !== undefined && { clientAddress })
    }
    const itemHeader = Buffer.from(`${JSON.stringify({ type: kind, length: payload.length })}\n`)
    await sink.accept({ meta, body: Buffer.concat([itemHeader, payload]) })
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
        if (size > MAX_EVENT_BYTES) throw new MonitoringTooLarge(`the body is longer than ${MAX_EVENT_BYTES} bytes`)
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
    throw new MonitoringMalformed('the body is not a JSON object')
  return value as Record<string, unknown>
}

/** Statuses that a job reports. */
const REPORTED = new Set(['in_progress', 'ok', 'error'])

/** @throws InboxCheckInInvalid without a status, or for an invalid id or duration */
function toCheckIn(given: Record<string, unknown>, slug: string, query: URLSearchParams): Record<string, unknown> {
  const checkIn: Record<string, unknown> = { ...given, monitor_slug: slug }
  for (const name of ['check_in_id', 'status', 'environment']) if (query.has(name)) checkIn[name] = query.get(name)
  if (query.has('duration')) checkIn['duration'] = Number(query.get('duration'))
  if (!REPORTED.has(String(checkIn['status'])))
    throw new InboxCheckInInvalid('its status is in_progress, ok or error, such as ?status=ok')
  const id = checkIn['check_in_id']
  if (id !== undefined && !UUID.test(String(id))) throw new InboxCheckInInvalid('its check_in_id is a UUID')
  if (Number.isNaN(checkIn['duration'])) throw new InboxCheckInInvalid('its duration is a number of seconds')
  return checkIn
}

/** With or without hyphens. */
const UUID = /^[\da-f]{8}(-?[\da-f]{4}){3}-?[\da-f]{12}$/i
