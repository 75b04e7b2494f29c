import type { RequestTrace } from './request-trace.ts'

/** Begins the traces of one application. */
export interface Tracer {
  /** Origins whose requests carry the trace; every trace of the application has this same set. */
  readonly targets: ReadonlySet<string>
  /** Begins a trace that belongs to no request. */
  begin: () => RequestTrace
}

/** Decorator of the application that has the tracer. */
export const kTracer = Symbol('hull.tracer')

/** The tracer of a Fastify instance, or of the one that it was encapsulated in; undefined where it has no tracing. */
export const tracerOf = (server: object): Tracer | undefined => (server as { [kTracer]?: Tracer })[kTracer]
