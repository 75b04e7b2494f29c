import { monitorEventLoopDelay } from 'node:perf_hooks'
import fp from 'fastify-plugin'
import type {} from '@hull/common/route-config.ts'
import type {} from './after-start.ts'
import { Overloaded } from '../errors.ts'
import { isInnerRequest } from '../fetch/depth.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

export interface LoadSheddingOptions {
  /**
   * Milliseconds of event loop delay above which requests are answered with 503; 0 disables this. The delay is an
   * average over {@link SAMPLE_INTERVAL}. Every request waits for the loop, so the delay is close to the visitors'
   * wait. Utilisation would not distinguish a busy server from an overloaded one: both are at 100 %. Measured at twice
   * the sustainable load, with 8 ms of work per request: the slowest 5 % take 9 s and rising without shedding, 2.5 s at
   * 1_000, 0.5 s at 500, 1.3 s at 250 (one run each). 500 is a good default: a value below the total work of
   * simultaneous requests, such as 100 connections of 4 ms, refuses requests that could be served.
   */
  maxEventLoopDelay: number
  /**
   * Seconds after which a client may retry, as `Retry-After`.
   * @default 5
   */
  retryAfter?: number
}

/**
 * Milliseconds. Measured under the load above: with 1_000 and a delay of 1_000, no request is refused and the queue grows
 * as without shedding; with 250, requests are refused. The server also accepts requests sooner after one long turn.
 */
const SAMPLE_INTERVAL = 250

/**
 * Consecutive samples above the limit before requests are refused. A single long turn, such as a start or a large
 * garbage collection, has ended when it is noticed.
 */
const MIN_SAMPLES = 2

/**
 * Answers 503 with `Retry-After` while the event loop lags, so that accepted requests are served in time. Accepts
 * probes; envelopes to the tunnel, because SDKs drop refused ones; and what a page requests of its own server, because
 * that work has already begun. Begins when the work of `afterStart` is done, which makes the loop lag by itself.
 */
export default fp<LoadSheddingOptions>(
  async function loadShedding(app, { maxEventLoopDelay, retryAfter = 5 }) {
    const shed = app.metrics.counter({
      name: 'http_requests_shed_total',
      help: 'Requests refused with 503 because the event loop lagged.'
    })

    if (maxEventLoopDelay === 0) return
    let samples = 0
    let hasStarted = false
    // Added when all plugins are ready, so that it runs after their functions.
    app.addHook('onReady', async () =>
      app.afterStart(() => {
        hasStarted = true
      })
    )

    app.addHook('onRequest', (request, reply, done) => {
      const { isProbe, isTunnel } = request.routeOptions.config
      if (samples < MIN_SAMPLES || isProbe || isTunnel || isInnerRequest()) return done()
      shed.inc()
      reply.header('retry-after', retryAfter)
      done(new Overloaded())
    })
    const readDelay = measureDelay()
    const timer = setInterval(
      safeCallback(() => {
        samples = readDelay() > maxEventLoopDelay && hasStarted ? samples + 1 : 0
      }),
      SAMPLE_INTERVAL
    ).unref()
    app.addHook('onClose', async () => clearInterval(timer))
  },
  { name: 'load-shedding', fastify: '5.x', dependencies: ['health', 'after-start'] }
)

/** Milliseconds between the measurements of the delay, which it includes. */
const RESOLUTION = 10

/**
 * Measures the delay of the event loop. Does not reset the histogram: a turn is recorded when it has ended, so one that is
 * longer than {@link SAMPLE_INTERVAL} would be lost.
 * @returns the mean delay in milliseconds since the last call, or of the last turn that has ended
 */
function measureDelay(): () => number {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION })
  histogram.enable()
  let count = 0
  let sum = 0
  let delay = 0
  return function readDelay() {
    const added = histogram.count - count
    if (added === 0) return delay
    const total = histogram.mean * histogram.count
    delay = (total - sum) / added / 1e6 - RESOLUTION
    count = histogram.count
    sum = total
    return delay
  }
}
