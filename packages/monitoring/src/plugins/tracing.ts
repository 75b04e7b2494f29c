import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type {} from '@hull/common/route-config.ts'
import { enterRequest } from '@hull/common/async-context.ts'
import { NO_ROUTE } from '@hull/common/constants.ts'
import { pathOf } from '@hull/common/http/request.ts'
import { nameOfRoute } from '@hull/common/route-name.ts'
import { currentContext, runInContext, type TraceContext } from '../tracing/context.ts'
import { NO_PARENT, readPropagation } from '../tracing/incoming.ts'
import { traceOutgoing } from '../tracing/outgoing.ts'
import { followTraces, followWork } from '../tracing/page-server.ts'
import { onReplyEnd } from '../tracing/reply-end.ts'
import { RequestTrace } from '../tracing/request-trace.ts'
import { createSampler } from '../tracing/sampling.ts'
import type { SpanInfo } from '../tracing/span.ts'
import { TraceHead } from '../tracing/trace-head.ts'
import { kTracer, type Tracer } from '../tracing/tracer.ts'

const kTrace = Symbol('trace')

declare module 'fastify' {
  interface FastifyRequest {
    /** Trace of the request. */
    readonly trace: RequestTrace
    [kTrace]: RequestTrace | null
  }
  interface FastifyInstance {
    /** Starts traces. */
    [kTracer]: Tracer
  }
}

export interface TracingOptions {
  /**
   * Share of the traces beginning here that are recorded, from 0 to 1. None is recorded without telemetry, or before
   * telemetry is ready.
   */
  sampleRate: number
  /** Origins that receive trace headers, besides those that the server listens on. @default none */
  targets?: readonly string[]
}

/** Continues or starts a trace for each request, in the async context of the request. */
export default fp<TracingOptions>(
  async function tracing(app, { sampleRate, targets = [] }) {
    const { telemetry } = app
    const traceRecorder = telemetry
      ? { recorder: telemetry, head: new TraceHead(telemetry.facts, sampleRate) }
      : undefined
    const decide = createSampler({ rate: traceRecorder && sampleRate })
    const decideNone = createSampler({ rate: 0 })
    // Nothing of such a route is recorded, so it does not count among the traces that are.
    const decideUntraced = createSampler({ rate: traceRecorder && sampleRate })
    const origins = new Set(targets)
    const stops = [traceOutgoing(origins, telemetry ?? undefined), followTraces()]
    if (traceRecorder) stops.push(followWork())
    app.addHook('onClose', async function stopFollowing() {
      for (const stop of stops) stop()
    })
    app.addHook('onListen', async function addOwnOrigins() {
      for (const origin of listOrigins(app)) origins.add(origin)
    })

    app.decorateRequest(kTrace, null)
    app.decorateRequest('trace', {
      getter(this: FastifyRequest) {
        return (this[kTrace] ??= openTrace(this))
      }
    })
    app.decorate(kTracer, {
      targets: origins,
      begin() {
        const trace = new RequestTrace(NO_PARENT, origins, traceRecorder)
        trace.decide(traceRecorder?.recorder.isReady ? decide : decideNone)
        return trace
      }
    })

    app.addHook('onRequest', function enterTrace(request, _reply, done) {
      const { config } = request.routeOptions
      const { trace } = request
      enterRequest(request, function traceContext(context: TraceContext) {
        trace.context = Object.assign(context, { trace, span: undefined, scopes: undefined })
        if (traceRecorder?.recorder.isReady && trace.sampled && !config.untraced) {
          const { recorder } = traceRecorder
          const caller = findCaller(request)
          if (!caller) trace.root = recorder.enter(context, describeRequest(request))
          else if (caller.span)
            trace.root = context.span = runInContext(caller, () => recorder.open(describeRequest(request)))
        }
        done()
      })
    })

    function openTrace(request: FastifyRequest): RequestTrace {
      const caller = findCaller(request)
      const incoming = caller ? caller.trace.toPropagation(caller.span) : readPropagation(request.headers)
      const trace = new RequestTrace(incoming, origins, traceRecorder)
      trace.request = request
      if (caller) trace.decideAs(caller.trace)
      // Not undecided, because other services would then begin to record a trace without a beginning.
      else if (traceRecorder && !traceRecorder.recorder.isReady) trace.decide(decideNone)
      else trace.decide(request.routeOptions.config.untraced ? decideUntraced : decide)
      // Not with a logger factory: Fastify would examine each logger that it creates.
      const log = request.log as FastifyBaseLogger & { setBindings?: (bindings: object) => void }
      log.setBindings?.({ trace_id: trace.traceId, span_id: trace.spanId })
      return trace
    }

    onReplyEnd(app, function leaveTrace({ request, status }) {
      request[kTrace]?.end(status)
    })
  },
  { name: 'tracing', fastify: '5.x', dependencies: ['telemetry'] }
)

/**
 * Origins that the server listens on. The requested host is not used, because the visitor chooses it and it may be
 * another service. If the server listens on all addresses, these are the names of this machine.
 */
function listOrigins(app: FastifyInstance): string[] {
  const scheme = app.initialConfig.https ? 'https' : 'http'
  return app.addresses().flatMap((listening: AddressInfo | string) => {
    if (typeof listening === 'string') return [] // a socket in the file system
    const { address, family, port } = listening
    const isLocal = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(address)
    const hosts = isLocal ? ['localhost', '127.0.0.1', '[::1]'] : [family === 'IPv6' ? `[${address}]` : address]
    return hosts.map((host) => new URL(`${scheme}://${host}:${port}`).origin)
  })
}

/**
 * Context of the request that requested this one with ctx.fetch. Headers are not used, because any client can set them.
 */
function findCaller(request: FastifyRequest) {
  const current = currentContext()
  const context = current?.request === request ? current.outer : current
  return context?.innerCall && context.trace ? { ...context, trace: context.trace } : undefined
}

function describeRequest(request: FastifyRequest): SpanInfo {
  const { method, originalUrl, host, trace } = request
  return {
    op: 'http.server',
    name: nameOfRoute(request) ?? NO_ROUTE,
    id: trace.spanId,
    attributes: { 'http.request.method': method, 'url.path': pathOf(originalUrl), 'server.address': host }
  }
}
