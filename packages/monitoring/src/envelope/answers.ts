import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Counter } from 'prom-client'
import { isClientGone } from '@hull/common/client-gone.ts'
import { networkOf } from '@hull/common/http/network.ts'
import { pathOf } from '@hull/common/http/request.ts'
import type { createRateLimiter } from '@hull/common/http/rate-limiter.ts'
import { visibleStatus } from '@hull/common/http/visible-status.ts'
import { toReadableError } from '@hull/common/readable-error.ts'
import type {} from '@hull/common/route-config.ts'
import { isMarkedVisible, type VisibleError } from '@hull/common/visible-error.ts'
import type { EnvelopeMeta, StreamSink } from '../delivery/envelope-sink.ts'
import { ACCEPTED_CODINGS, discardRest, findDecoder, type Decoder } from './body.ts'
import { MAX_BODY_BYTES } from './limits.ts'
import { MonitoringCoding, MonitoringTooLarge, MonitoringTooMany, SpoolUnavailable } from '../errors.ts'

/** Seconds, the same as for load shedding. A longer delay makes SDKs drop more that could be stored again. */
const RETRY_AFTER = 5

/**
 * Returns the options that routes for envelopes have in common. A page sends several envelopes, and a log line for each
 * would hide the rest, so only refusals are logged, unless the logger logs even less.
 */
export const toEnvelopeRoute = ({ log }: FastifyInstance) =>
  ({
    logLevel: HIGHER_LEVELS.find((level) => level === log.level) ?? 'warn',
    exposeHeadRoute: false,
    compress: false,
    decompress: false,
    config: { isTunnel: true, untraced: true, unreported: true },
    /** A route must have a handler, but the hook has already answered. */
    handler: () => {}
  }) as const

const HIGHER_LEVELS = ['error', 'fatal', 'silent'] as const

export interface AnswersOptions {
  sink: StreamSink
  /** Counts envelopes by outcome. @default not counted */
  envelopes?: Counter<'outcome' | 'code'>
  /** Limits the envelopes per address. @default no limit */
  takeToken?: ReturnType<typeof createRateLimiter>
  /** Called for each request that is refused for a fault of its sender. @default nothing */
  onRefused?: (error: VisibleError, request: FastifyRequest) => void
}

/**
 * Checks requests before their bodies are read, and answers them. Answers have no body, and may be stored but not
 * reused without a check (`no-cache`): SDKs never read an answer, and Chromium treats an unread one with a body and
 * `no-store` as unfinished.
 * @see docs/decisions/045-answers-without-a-body.md
 */
export function createAnswers({ sink, envelopes, takeToken, onRefused }: AnswersOptions) {
  return { admit, answer, refuse }

  /**
   * Checks a request.
   * @throws MonitoringTooMany
   * @throws MonitoringTooLarge
   * @throws MonitoringCoding
   */
  function admit({ headers, ip }: FastifyRequest, reply: FastifyReply): Decoder {
    const wait = takeToken?.(networkOf(ip)) ?? 0
    if (wait > 0) {
      reply.header('retry-after', Math.ceil(wait / 1_000))
      throw new MonitoringTooMany()
    }
    const decoder = findDecoder(headers['content-encoding'])
    if (Number(headers['content-length']) > MAX_BODY_BYTES)
      throw new MonitoringTooLarge(`the body has more than ${MAX_BODY_BYTES} bytes`)
    return decoder
  }

  function accept({ dsn, isInMemory = false }: EnvelopeMeta, reply: FastifyReply): void {
    envelopes?.inc({ outcome: 'accepted', code: 'none' })
    const limits = [reply.getHeader('x-sentry-rate-limits'), sink.rateLimits(dsn)].filter(Boolean).join(', ')
    if (limits !== '') {
      reply.header('x-sentry-rate-limits', limits)
      if (!reply.hasHeader('access-control-expose-headers'))
        reply.header('access-control-expose-headers', 'x-sentry-rate-limits')
    }
    reply
      .code(isInMemory ? 202 : 200)
      .header('cache-control', 'no-cache')
      .send()
  }

  /**
   * Answers a request when its envelope is stored or refused.
   * @param taken resolves with the envelope's metadata
   */
  function answer(taken: Promise<EnvelopeMeta>, request: FastifyRequest, reply: FastifyReply): void {
    taken
      .then((meta) => {
        accept(meta, reply)
      })
      .catch((error: unknown) => {
        refuse(error, request, reply)
      })
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const refusal = toRefusal(error)
    const { code, message, statusCode } = refusal
    if (isClientGone(refusal)) {
      envelopes?.inc({ outcome: 'gone', code })
      reply.hijack()
      return
    }
    if (refusal instanceof SpoolUnavailable) {
      envelopes?.inc({ outcome: 'failed', code })
      request.log.error({ code, err: refusal }, 'envelope not stored')
    } else {
      envelopes?.inc({ outcome: 'refused', code })
      request.log.warn({ code, reason: message, path: pathOf(request.url) }, 'envelope refused')
      onRefused?.(refusal, request)
    }
    if (refusal instanceof MonitoringCoding) reply.header('accept-encoding', ACCEPTED_CODINGS)
    if (statusCode === 503) reply.header('retry-after', RETRY_AFTER)
    discardRest(request.raw)
    reply
      .code(statusCode)
      .header('cache-control', 'no-cache')
      // Relay's header, which SDKs log in debug mode.
      .header('x-sentry-error', `${code}: ${message}`.replace(NO_HEADER_TEXT, '?'))
      .send()
  }
}

/** Characters that are invalid in a header's value (RFC 9110 §5.5), or that clients decode differently. */
const NO_HEADER_TEXT = /[^\x20-\x7e]/g

/** Error for the answer: an error for the sender, or else SpoolUnavailable with the error as its cause. */
function toRefusal(error: unknown): VisibleError {
  const isForSender = isMarkedVisible(error) && visibleStatus(error) !== 500
  return (isForSender ? error : new SpoolUnavailable({ cause: toReadableError(error) })) as VisibleError
}
