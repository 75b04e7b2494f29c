import type { RequestTrace } from './request-trace.ts'

/** Starts the traces of one application. */
export interface Tracer {
  /** Origins whose requests carry the trace. All traces of the application have this same set. */
  readonly targets: ReadonlySet<string>
  /** Starts a trace that belongs to no request. */
  begin: () => RequestTrace
}

/** Decorator with the application's tracer. */
export const kTracer = Symbol('hull.tracer')

/** Tracer of a Fastify instance or of its parent; undefined if it has no tracing. */
export const tracerOf = (server: object): Tracer | undefined => (server as { [kTracer]?: Tracer })[kTracer]
