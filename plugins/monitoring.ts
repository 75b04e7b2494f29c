import { FastifyError } from '@fastify/error'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { MONITORING_PATH } from '../lib/common/constants.ts'
import { discardRest } from '../lib/envelope/body.ts'
import { ACCEPTED_CODINGS, findDecoder } from '../lib/envelope/coding.ts'
import { createDsnList, type DsnTarget } from '../lib/envelope/dsn.ts'
import { takeEnvelope } from '../lib/envelope/intake.ts'
import { MAX_BODY_BYTES } from '../lib/envelope/limits.ts'
import {
  ClientGone,
  MonitoringCoding,
  MonitoringCrossSite,
  MonitoringMethod,
  MonitoringTooLarge,
  MonitoringTooMany,
  SpoolUnavailable
} from '../lib/errors.ts'
import { isCrossSite } from '../lib/http/cross-site.ts'
import { networkOf, plainAddress } from '../lib/http/network.ts'
import { originOf } from '../lib/http/origin.ts'
import { createProblem, PROBLEM_TYPE } from '../lib/http/problem.ts'
import { createRateLimiter } from '../lib/http/rate-limiter.ts'
import type { EnvelopeMeta, EnvelopeSink } from '../lib/tunnel/types.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route takes what the monitoring of pages sends: it is not shed, and must never be traced or reported itself. */
    isTunnel?: boolean
  }
}

export interface MonitoringOptions {
  /** DSNs whose envelopes are taken; any other is APP_MONITORING_FOREIGN_DSN. */
  dsns: ReadonlyArray<string | DsnTarget>
  /** Where accepted envelopes go. */
  sink: EnvelopeSink
  /** Second path, for browsers whose blockers know the first. @default none */
  alias?: string
  /** Envelopes a minute that each address may send, a third of them at once; 0 is off. @default 600 */
  rate?: number
  /** The application's own origin, when it is not the request's. */
  baseUrl?: string
}

/** Seconds, as in load shedding: the longer SDKs stay away, the more they drop of what could be stored again. */
const RETRY_AFTER = 5

/** A page sends several envelopes, and a line for each would bury the rest: only refusals are logged. */
const ROUTE = {
  logLevel: 'warn',
  exposeHeadRoute: false,
  compress: false,
  decompress: false,
  config: { isTunnel: true, untraced: true, unreported: true }
} as const

/**
 * POST /monitoring: takes envelopes from the application's own pages, checks them while they come in, and answers once
 * they are stored. Nothing here waits for the provider.
 */
export default fp<MonitoringOptions>(
  async function monitoring(app, { dsns, sink, alias, rate = 600, baseUrl }) {
    const intake = { findTarget: createDsnList(dsns), sink }
    const takeToken = createRateLimiter({ perMinute: rate })
    const envelopes = app.metrics.counter({
      name: 'monitoring_envelopes_total',
      help: 'Envelopes sent to the tunnel, by what became of them and the code of a refusal.',
      labelNames: ['outcome', 'code']
    })
    const otherMethods = app.supportedMethods.filter((method) => method !== 'POST')

    for (const url of alias === undefined ? [MONITORING_PATH] : [MONITORING_PATH, alias]) {
      app.route({ ...ROUTE, method: 'POST', url, onRequest: receiveEnvelope, handler: answeredBefore })
      app.route({ ...ROUTE, method: otherMethods, url, onRequest: refuseMethod, handler: answeredBefore })
    }

    /**
     * A hook that answers, so that Fastify does not look at the body: its type may be anything, and its limit is not ours.
     * It never calls the next.
     */
    function receiveEnvelope(request: FastifyRequest, reply: FastifyReply): void {
      receive(request, reply)
        .then((meta) => {
          accept(meta, reply)
        })
        .catch((error: unknown) => {
          refuse(error, request, reply)
        })
    }

    async function receive(request: FastifyRequest, reply: FastifyReply): Promise<EnvelopeMeta> {
      const { headers, raw: body, ip } = request
      if (isCrossSite(headers, originOf(request, baseUrl))) throw new MonitoringCrossSite()
      const wait = takeToken(networkOf(ip))
      if (wait > 0) {
        reply.header('retry-after', Math.ceil(wait / 1_000))
        throw new MonitoringTooMany()
      }
      const decoder = findDecoder(headers['content-encoding'])
      if (Number(headers['content-length']) > MAX_BODY_BYTES)
        throw new MonitoringTooLarge(`the body has more than ${MAX_BODY_BYTES} bytes`)
      return takeEnvelope({ body, decoder, clientAddress: plainAddress(ip) }, intake)
    }

    function accept({ dsn, header }: EnvelopeMeta, reply: FastifyReply): void {
      envelopes.inc({ outcome: 'accepted', code: 'none' })
      const limits = sink.rateLimits(dsn)
      if (limits !== undefined) {
        reply.header('x-sentry-rate-limits', limits)
        reply.header('access-control-expose-headers', 'x-sentry-rate-limits')
      }
      reply
        .header('cache-control', 'no-store')
        .type('application/json; charset=utf-8')
        .send(JSON.stringify({ id: header.event_id }))
    }

    function refuseMethod(request: FastifyRequest, reply: FastifyReply): void {
      reply.header('allow', 'POST')
      refuse(new MonitoringMethod(request.method), request, reply)
    }

    function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
      const refusal = error instanceof FastifyError ? error : new SpoolUnavailable({ cause: error })
      const { code, message, statusCode = 500 } = refusal
      if (refusal instanceof ClientGone) {
        envelopes.inc({ outcome: 'gone', code })
        reply.hijack()
        return
      }
      if (refusal instanceof SpoolUnavailable) {
        envelopes.inc({ outcome: 'failed', code })
        reply.header('retry-after', RETRY_AFTER)
        request.log.error({ code, err: refusal }, 'envelope not stored')
      } else {
        envelopes.inc({ outcome: 'refused', code })
        request.log.warn({ code, reason: message }, 'envelope refused')
      }
      if (refusal instanceof MonitoringCoding) reply.header('accept-encoding', ACCEPTED_CODINGS)
      discardRest(request.raw)
      reply
        .code(statusCode)
        .header('cache-control', 'no-store')
        .type(PROBLEM_TYPE)
        .send(JSON.stringify(createProblem(statusCode, { code, detail: message })))
    }
  },
  { name: 'monitoring', fastify: '5.x', dependencies: ['health'] }
)

/** Routes need one; their hook has answered. */
function answeredBefore(): void {}
