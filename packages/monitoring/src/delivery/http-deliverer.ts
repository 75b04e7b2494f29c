import { Readable } from 'node:stream'
import type { Agent } from 'undici'
import { parseRetryAfter } from '@hull/common/http/retry-after.ts'
import { HULL_VERSION } from '@hull/common/version.ts'
import { systemClock, type Clock } from './clock.ts'
import { DeliveryFailed, EnvelopeGone, type Deliverer, type Receipt, type SpooledEnvelope } from './deliverer.ts'
import { toProviderAddress, type ProviderAddress } from './dsn.ts'
import { post, type Answer } from './post.ts'
import { limitsOf } from './rate-limits.ts'
import type { EnvelopeMeta } from './types.ts'

/** Milliseconds. Ours: a provider is another network away, and nobody waits for it. */
export interface HttpTimeouts {
  /** For a connection to stand. @default 5_000 */
  connect?: number
  /** From the end of the request to the headers of the answer. @default 15_000 */
  headers?: number
  /** For an attempt altogether: 20 MiB over 3 Mbit/s. @default 60_000 */
  total?: number
}

export interface HttpDelivererOptions {
  dsn: string
  /** Requests at once. @default 16 */
  connections?: number
  timeouts?: HttpTimeouts
  clock?: Pick<Clock, 'wall'>
}

export interface HttpDeliverer extends Deliverer {
  /** Ends its connections, open requests included. */
  close: () => Promise<void>
}

/** Milliseconds for which a provider that fails is left alone at most, though it ask for more. */
const MAX_RETRY_AFTER = 24 * 3_600_000

const CLIENT = `hull/${HULL_VERSION}`

/**
 * Posts envelopes to the provider that a DSN names. Nothing of the address comes from an envelope, and redirects are not
 * followed. undici is loaded by the first attempt.
 * @throws TypeError for a malformed DSN
 */
export function createHttpDeliverer({
  dsn,
  connections = 16,
  timeouts: { connect = 5_000, headers: headersTimeout = 15_000, total = 60_000 } = {},
  clock = systemClock
}: HttpDelivererOptions): HttpDeliverer {
  const address = toProviderAddress(dsn)
  let opening: Promise<Agent> | undefined

  async function openAgent(): Promise<Agent> {
    const undici = await import('undici')
    return new undici.Agent({ connect: { timeout: connect }, headersTimeout, bodyTimeout: total, connections })
  }

  return {
    async deliver(envelope, signal) {
      const agent = await (opening ??= openAgent())
      const head = Buffer.from(`${JSON.stringify(toHeader(envelope.meta, dsn, clock.wall()))}\n`)
      const { bytes } = envelope
      const failure: { reading?: unknown } = {}
      let answer: Answer
      try {
        answer = await post(agent, {
          origin: address.origin,
          path: address.path,
          headers: toHeaders(address, envelope, head.length),
          // One row ahead, not sixteen.
          body: bytes
            ? Buffer.concat([head, bytes])
            : Readable.from(stream(head, envelope, failure), { highWaterMark: 1 }),
          signal,
          timeout: total
        })
      } catch (error) {
        if (failure.reading !== undefined) throw failure.reading
        throw new DeliveryFailed('failed', (error as Error).message, { cause: error })
      }
      return judge(answer, clock.wall())
    },
    async close() {
      const agent = await opening
      await agent?.destroy()
    }
  }
}

/** What an answer means for the envelope. A redirect is an address that is out of order: somebody may mend it. */
function judge({ status, headers }: Answer, now: number): Receipt {
  const retryAfter = headers['retry-after']
  const limits = limitsOf({ status, rateLimits: headers['x-sentry-rate-limits'], retryAfter }, now)
  if (status >= 200 && status < 300) return { limits }
  const outcome = status === 429 ? 'limited' : status >= 400 && status < 500 ? 'refused' : 'failed'
  throw new DeliveryFailed(outcome, `answered ${status}`, {
    limits,
    answered: true,
    ...(outcome === 'failed' && {
      retryAfter: Math.min(parseRetryAfter([retryAfter].flat()[0], now) ?? 0, MAX_RETRY_AFTER)
    })
  })
}

/**
 * The envelope's header as this attempt sends it. A provider takes `sent_at` for the client's clock at the moment it
 * receives the envelope, and moves every timestamp by the difference to its own. So `sent_at` has to be what that clock
 * shows now: what it showed then, and the time since. The original would move everything by the time in the spool; our
 * own time would leave a wrong clock uncorrected. A client that told none is not given one.
 */
function toHeader({ header, sentAt, receivedAt }: EnvelopeMeta, dsn: string, now: number): Record<string, unknown> {
  const time = sentAt === undefined ? undefined : new Date(sentAt + Math.max(0, now - receivedAt))
  return {
    ...header,
    // As configured: with another the provider would see two ways of signing in.
    ...('dsn' in header && { dsn }),
    ...(time && !Number.isNaN(time.valueOf()) && { sent_at: time.toISOString() })
  }
}

/** @see https://develop.sentry.dev/sdk/foundations/transport/authentication/ */
function toHeaders({ publicKey }: ProviderAddress, { meta, size }: SpooledEnvelope, headLength: number) {
  return {
    'content-type': 'application/x-sentry-envelope',
    'content-length': String(headLength + size),
    'user-agent': CLIENT,
    'x-sentry-auth': `Sentry sentry_version=7, sentry_client=${CLIENT}, sentry_key=${publicKey}`,
    ...(isAddress(meta.clientAddress) && { 'x-sentry-forwarded-for': meta.clientAddress })
  }
}

/** Only what a header may hold: another value would fail every attempt. */
const isAddress = (text: string | undefined): text is string => text !== undefined && /^[\w.:%, -]{1,256}$/.test(text)

/** Notes why the spool could not be read: that is no failure of the provider's. */
async function* stream(head: Buffer, envelope: SpooledEnvelope, failure: { reading?: unknown }) {
  yield head
  try {
    yield* envelope.body()
  } catch (error) {
    failure.reading = error ?? new EnvelopeGone()
    throw error
  }
}
