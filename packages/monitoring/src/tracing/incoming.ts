import { parseBaggage, type TraceFacts } from './baggage.ts'
import { parseSentryTrace, parseTraceparent, type Parent } from './parent.ts'
import { cleanTracestate } from './tracestate.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Propagation headers of a request. */
export interface Propagation {
  /** Undefined if the trace begins here. */
  parent: Parent | undefined
  /** Facts from the head of the trace. */
  facts: TraceFacts | undefined
  /** Members of `baggage` that are not ours; they are passed on. */
  foreign: readonly string[]
  /** Passed on with `traceparent`. */
  tracestate: string | undefined
}

/** Propagation of a request without a trace. */
export const NO_PARENT: Propagation = { parent: undefined, facts: undefined, foreign: [], tracestate: undefined }

/**
 * Reads the propagation headers. `sentry-trace` takes precedence over `traceparent`. If the one that counts is
 * malformed, a new trace begins here, and the facts and `tracestate` are not passed on.
 */
export function readPropagation(headers: Headers): Propagation {
  const sentryTrace = toText(headers['sentry-trace'])
  const traceparent = toText(headers.traceparent)
  const baggage = toText(headers.baggage)
  if (sentryTrace === undefined && traceparent === undefined && baggage === undefined) return NO_PARENT

  const w3c = traceparent === undefined ? undefined : parseTraceparent(traceparent)
  const parent = sentryTrace === undefined ? w3c : parseSentryTrace(sentryTrace)
  // Data of another trace is not passed on.
  const isOurs = w3c !== undefined && w3c.traceId === parent?.traceId
  if (isOurs) parent.isRandom = w3c.isRandom
  const { facts, foreign } = baggage === undefined ? NO_PARENT : parseBaggage(baggage)
  const tracestate = toText(headers.tracestate)
  return {
    parent,
    foreign,
    facts: parent !== undefined && belongTo(parent.traceId, facts) ? facts : undefined,
    // `tracestate` belongs to the `traceparent` it arrived with (W3C Trace Context §3.3).
    tracestate: tracestate !== undefined && isOurs ? cleanTracestate(tracestate) : undefined
  }
}

/** False if the facts name another trace. */
const belongTo = (traceId: string, facts: TraceFacts | undefined): boolean =>
  facts?.trace_id === undefined || facts.trace_id === traceId

const toText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value
