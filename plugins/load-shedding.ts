import underPressure from '@fastify/under-pressure'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Overloaded } from '../lib/errors.ts'

export interface LoadSheddingOptions {
  /**
   * Milliseconds that the event loop may lag, on average over {@link SAMPLE_INTERVAL}; 0 is off. Every request waits for
   * the loop at least twice, so this is near the latency that visitors see. Utilisation would not tell a busy server
   * from a lost one: both are at 100 %, and a server that is only busy should keep its visitors. 1_000 is the bound
   * of under-pressure's own example: a burst of a hundred pages of 5 ms, served in one turn of the loop, stays well below.
   */
  maxEventLoopDelay: number
  /** Seconds after which a client may try again, as `Retry-After`. @default 5 */
  retryAfter?: number
  /** Whether this code runs inside a request that a page made of its own server: its work has begun, so it is let through. @default never */
  isInner?: () => boolean
}

/**
 * Milliseconds. Measured: with under-pressure's 1_000 a second of work queues up before the first refusal, and one long
 * turn closes the door for a second after it is over; a quarter notices and forgets four times as fast, and still
 * averages 25 samples of an idle loop.
 */
const SAMPLE_INTERVAL = 250

/** Samples in a row past the bound. One long turn, such as a start or a large collection, is over when it is noticed. */
const LASTING = 2

/** Answers 503 with `Retry-After` while the event loop lags, so that those who are in are served in time. Probes are let through. */
export default fp<LoadSheddingOptions>(
  async function loadShedding(app, { maxEventLoopDelay, retryAfter = 5, isInner = () => false }) {
    const shed = app.metrics.counter({
      name: 'http_requests_shed_total',
      help: 'Requests refused with 503 because the event loop lagged.'
    })

    let samples = 0

    /** What it returns is sent; nothing lets the request through. */
    function refuse(request: FastifyRequest, reply: FastifyReply): Error | undefined {
      if (samples < LASTING || request.routeOptions.config.isProbe || isInner()) return
      shed.inc()
      reply.header('retry-after', retryAfter)
      return new Overloaded()
    }

    await app.register(underPressure, {
      maxEventLoopDelay,
      sampleInterval: SAMPLE_INTERVAL,
      pressureHandler: refuse as (request: FastifyRequest, reply: FastifyReply) => void
    })
    const timer = setInterval(() => {
      samples = app.isUnderPressure() ? samples + 1 : 0
    }, SAMPLE_INTERVAL).unref()
    app.addHook('onClose', async () => clearInterval(timer))
  },
  { name: 'load-shedding', fastify: '5.x', dependencies: ['health'] }
)
