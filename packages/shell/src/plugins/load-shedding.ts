import { isInnerRequest } from '../fetch/depth.ts'
import underPressure from '@fastify/under-pressure'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type {} from '@hull/common/route-config.ts'
import { Overloaded } from '../errors.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

export interface LoadSheddingOptions {
  /**
   * Milliseconds of event loop delay above which requests are answered with 503; 0 turns this off. The delay is an
   * average over {@link SAMPLE_INTERVAL}. Every request waits for the loop, so the delay is close to the visitors' wait.
   * Utilisation would not distinguish a busy server from an overloaded one: both are at 100 %. Measured at twice the load that it can serve, 8 ms of
   * work for each request: the slowest 5 % take 9 s and rising without shedding, 2.5 s at 1_000, 0.5 s at
   * 500, 1.3 s at 250 (one run each). 500 is a good default: less than the work of all requests that come at once, such
   * as 100 connections of 4 ms, refuses what could be served.
   */
  maxEventLoopDelay: number
  /** Seconds after which a client may try again, as `Retry-After`. @default 5 */
  retryAfter?: number
  /** Whether this code runs inside a request that a page made of its own server: its work has begun, so it is let through. @default never */
  isInner?: () => boolean
}

/**
 * Milliseconds. Measured under the load above: with under-pressure's own 1_000 and a delay of 1_000 nobody is refused and
 * the queue grows as without it; with 250 it sheds. It also reopens sooner after one long turn.
 */
const SAMPLE_INTERVAL = 250

/** Samples in a row past the bound. One long turn, such as a start or a large collection, is over when it is noticed. */
const LASTING = 2

/** Answers 503 with `Retry-After` while the event loop lags, so that those who are in are served in time. Probes are let through, and the tunnel: SDKs drop what is refused. */
export default fp<LoadSheddingOptions>(
  async function loadShedding(app, { maxEventLoopDelay, retryAfter = 5, isInner = isInnerRequest }) {
    const shed = app.metrics.counter({
      name: 'http_requests_shed_total',
      help: 'Requests refused with 503 because the event loop lagged.'
    })

    let samples = 0

    /** What it returns is sent; nothing lets the request through. */
    function refuse(request: FastifyRequest, reply: FastifyReply): Error | undefined {
      const { isProbe, isTunnel } = request.routeOptions.config
      if (samples < LASTING || isProbe || isTunnel || isInner()) return
      shed.inc()
      reply.header('retry-after', retryAfter)
      return new Overloaded()
    }

    await app.register(underPressure, {
      maxEventLoopDelay,
      sampleInterval: SAMPLE_INTERVAL,
      pressureHandler: refuse as (request: FastifyRequest, reply: FastifyReply) => void
    })
    const timer = setInterval(
      safeCallback(() => {
        samples = app.isUnderPressure() ? samples + 1 : 0
      }),
      SAMPLE_INTERVAL
    ).unref()
    app.addHook('onClose', async () => clearInterval(timer))
  },
  { name: 'load-shedding', fastify: '5.x', dependencies: ['health'] }
)
