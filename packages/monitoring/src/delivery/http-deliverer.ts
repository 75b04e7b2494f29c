import { Readable } from 'node:stream'
import { openAgent } from '@hull/common/http/env-proxy.ts'
import { parseRetryAfter } from '@hull/common/http/retry-after.ts'
import { LazyValue } from '@hull/common/lazy-value.ts'
import { DAY } from '@hull/common/time.ts'
import { HULL_VERSION } from '@hull/common/version.ts'
import { systemClock, type Clock } from './clock.ts'
import { DeliveryFailed, EnvelopeGone, type Deliverer, type Receipt, type SpooledEnvelope } from './deliverer.ts'
import { toProviderAddress, type ProviderAddress } from './provider-address.ts'
import { post, type Answer } from './post.ts'
import { limitsOf } from './rate-limits.ts'
import type { EnvelopeMeta } from './envelope-sink.ts'

/** Time limits in milliseconds. Our choice: a provider is in another network, and no user waits for it. */
export interface HttpTimeouts {
  /** To connect. @default 5_000 */
  connect?: number
  /** From the end of the request to the headers of the answer. @default 15_000 */
  headers?: number
  /** For an attempt up to the headers of the answer; enough for 20 MiB over 3 Mbit/s. @default 60_000 */
  total?: number
}

export interface HttpDelivererOptions {
  dsn: string
  /** Maximum concurrent requests. @default 16 */
  connections?: number
  timeouts?: HttpTimeouts
  clock?: Pick<Clock, 'wall'>
}

export interface HttpDeliverer extends Deliverer {
  /** Closes the connections, including open requests. */
  close: () => Promise<void>
}

/** Maximum milliseconds without requests to a failing provider, even if its Retry-After is longer. */
const MAX_RETRY_AFTER = DAY

const CLIENT = `hull/${HULL_VERSION}`

/**
 * Posts envelopes to the provider of a DSN. The address never depends on an envelope, and redirects are not followed.
 * The first attempt loads undici.
 * @throws TypeError for a malformed DSN
 */
export function createHttpDeliverer({
  dsn,
  connections = 16,
  timeouts: { connect = 5_000, headers: headersTimeout = 15_000, total = 60_000 } = {},
  clock = systemClock
}: HttpDelivererOptions): HttpDeliverer {
  const address = toProviderAddress(dsn)
  const lazyAgent = new LazyValue(async () =>
    openAgent(await import('undici'), { connectTimeout: connect, headersTimeout, bodyTimeout: total, connections })
  )

  return {
    async deliver(envelope, signal) {
      const agent = await lazyAgent.get()
      const head = Buffer.from(`${JSON.stringify(toHeader(envelope.meta, dsn, clock.wall()))}\n`)
      const { bytes } = envelope
      const failure: { reading?: unknown } = {}
      let answer: Answer
      try {
        answer = await post(agent, {
          origin: address.origin,
          path: address.path,
          headers: toHeaders(address, envelope, head.length),
          // Reads one row ahead instead of 16.
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
      const agent = await lazyAgent.peek()
      await agent?.destroy()
    }
  }
}

/**
 * Converts an answer to a result. A redirect counts as `failed`, because the address may be corrected later.
 * @throws DeliveryFailed
 */
function judge({ status, headers }: Answer, now: number): Receipt {
  const retryAfter = headers['retry-after']
  const limits = limitsOf({ status, rateLimits: headers['x-sentry-rate-limits'], retryAfter }, now)
  if (status >= 200 && status < 300) return { limits }
  const outcome = status === 429 ? 'limited' : status >= 400 && status < 500 ? 'refused' : 'failed'
  throw new DeliveryFailed(outcome, `answered ${status}`, {
    limits,
    answered: true,
    status,
    ...(outcome === 'failed' && {
      retryAfter: Math.min(parseRetryAfter([retryAfter].flat()[0], now) ?? 0, MAX_RETRY_AFTER)
    })
  })
}

/**
 * Returns the envelope's header for this attempt. A provider takes `sent_at` as the client's clock at the time of
 * receipt, and shifts every timestamp by the difference to its own clock. So `sent_at` must be what the client's clock
 * shows now: the original plus the time since. The original alone would shift every timestamp by the time in the spool;
 * our own time would leave a wrong clock uncorrected. A header without `sent_at` gets none.
 */
function toHeader({ header, sentAt, receivedAt }: EnvelopeMeta, dsn: string, now: number): Record<string, unknown> {
  const time = sentAt === undefined ? undefined : new Date(sentAt + Math.max(0, now - receivedAt))
  return {
    ...header,
    // The configured DSN: the client's may differ, and the provider would see two sets of credentials.
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

/** True for text that is valid in a header. Other values would make every attempt fail. */
const isAddress = (text: string | undefined): text is string => text !== undefined && /^[\w.:%, -]{1,256}$/.test(text)

/**
 * Streams header line and body. Records in `failure` that the spool could not be read, which is no failure of the
 * provider.
 */
async function* stream(head: Buffer, envelope: SpooledEnvelope, failure: { reading?: unknown }) {
  yield head
  try {
    yield* envelope.body()
  } catch (error) {
    failure.reading = error ?? new EnvelopeGone()
    throw error
  }
}
