import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isInnerRequest } from '../fetch/depth.ts'
import { createRangeCheck } from '../http/trust.ts'
import { createHealth, type Health } from '../server/health.ts'
import type {} from '@hull/common/route-config.ts'
import { createMetrics, type Metrics } from '@hull/common/metrics.ts'
import { Outcome } from '@hull/common/outcomes.ts'
import { nameOfRoute } from '@hull/common/route-name.ts'

declare module 'fastify' {
  interface FastifyInstance {
    health: Health
    metrics: Metrics
  }
  interface FastifyContextConfig {
    /** The route reports the server's health, and answers under any load. */
    isProbe?: boolean
  }
}

export interface HealthOptions {
  /**
   * Bearer token for /metrics. Without it, /metrics only answers direct peers on this machine or a private network. Set
   * it behind a proxy that adds no forwarding header, because every client then looks like such a peer.
   */
  metricsToken?: string
}

/** Headers that show that a proxy forwarded the request, so the peer is not the client. */
const FORWARDING_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/** Probes arrive every few seconds, and their log lines would hide all others. */
const PROBE = { logLevel: 'warn', config: { isProbe: true, untraced: true } } as const

/**
 * Serves /healthz, /readyz and /metrics (Prometheus), and counts every request except those of ctx.fetch in process.
 */
export default fp<HealthOptions>(
  async function health(app, { metricsToken }) {
    const { observeRequest, ...metrics } = createMetrics()
    const health = createHealth(app.log)
    const mayReadMetrics = metricsToken === undefined ? isPrivatePeer : createTokenCheck(metricsToken)
    let inFlight = 0

    app.decorate('health', health)
    app.decorate('metrics', metrics)
    metrics.gauge({
      name: 'http_requests_in_flight',
      help: 'Requests that are being answered, open streams included.',
      read: () => inFlight
    })

    app.addHook('onRequest', function countRequest(_request, _reply, done) {
      inFlight++
      done()
    })
    app.onReplyClose(function observeResponse({ request, status, duration, inner }) {
      inFlight--
      if (!inner) observeRequest(nameOfRoute(request), request.method, status === 499 ? 0 : status, duration / 1_000)
    })

    app.get('/healthz', PROBE, function answerAlive(_request, reply) {
      reply.header('cache-control', 'no-store').send({ status: 'ok' })
    })

    app.get('/readyz', PROBE, async function answerReady(_request, reply) {
      const { status, checks } = await health.check()
      reply.code(status === 'ok' ? 200 : 503).header('cache-control', 'no-store')
      return { status, checks }
    })

    app.get('/metrics', PROBE, async function answerMetrics(request, reply) {
      if (!mayReadMetrics(request) || isInnerRequest()) throw new Outcome(404)
      reply.header('cache-control', 'no-store').type(metrics.contentType)
      return metrics.print()
    })
  },
  { name: 'health', fastify: '5.x', dependencies: ['reply-close'] }
)

/**
 * Creates a check that compares digests of tokens, so that its duration does not depend on how much of a guess is
 * correct.
 */
function createTokenCheck(token: string): (request: FastifyRequest) => boolean {
  const digestOf = (text: string) => createHash('sha256').update(text).digest()
  const expected = digestOf(`Bearer ${token}`)
  return ({ headers }) => timingSafeEqual(digestOf(headers.authorization ?? ''), expected)
}

/** Whether the peer is private, by the socket's address: request.ip comes from a header if a proxy is trusted. */
function isPrivatePeer({ headers, raw }: FastifyRequest): boolean {
  return isPrivate(raw.socket.remoteAddress) && FORWARDING_HEADERS.every((name) => headers[name] === undefined)
}

const isPrivate = createRangeCheck(['loopback', 'linklocal', 'uniquelocal'])
