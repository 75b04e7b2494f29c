import { parseBaggage, type TraceFacts } from './baggage.ts'
import { parseSentryTrace, parseTraceparent, type Parent } from './parent.ts'
import { cleanTracestate } from './tracestate.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** What the headers of a request say of the trace it belongs to. */
export interface Incoming {
  /** Undefined: the trace begins here. */
  parent: Parent | undefined
  /** What the head of the trace said of it. */
  facts: TraceFacts | undefined
  /** Members of `baggage` that are not ours, to be passed on. */
  foreign: readonly string[]
  /** To be passed on with `traceparent`. */
  tracestate: string | undefined
}

/** What a request says that takes part in no trace. */
export const NO_PARENT: Incoming = { parent: undefined, facts: undefined, foreign: [], tracestate: undefined }

/**
 * Reads the headers that carry a trace. `sentry-trace` wins over `traceparent`; where the one that counts is malformed
 * the trace begins here, and nothing of it goes on.
 */
export function readPropagation(headers: Headers): Incoming {
  const sentryTrace = toText(headers['sentry-trace'])
  const traceparent = toText(headers.traceparent)
  const baggage = toText(headers.baggage)
  if (sentryTrace === undefined && traceparent === undefined && baggage === undefined) return NO_PARENT

  const w3c = traceparent === undefined ? undefined : parseTraceparent(traceparent)
  const parent = sentryTrace === undefined ? w3c : parseSentryTrace(sentryTrace)
  // What belongs to another trace than ours is not passed on.
  const isOurs = w3c !== undefined && w3c.traceId === parent?.traceId
  if (isOurs) parent.isRandom = w3c.isRandom
  const { facts, foreign } = baggage === undefined ? NO_PARENT : parseBaggage(baggage)
  const tracestate = toText(headers.tracestate)
  return {
    parent,
    foreign,
    facts: parent !== undefined && areOf(parent.traceId, facts) ? facts : undefined,
    // It belongs to the traceparent it came with (W3C Trace Context §3.3).
    tracestate: tracestate !== undefined && isOurs ? cleanTracestate(tracestate) : undefined
  }
}

/** Facts that name another trace are of that one. */
const areOf = (traceId: string, facts: TraceFacts | undefined): boolean =>
  facts?.trace_id === undefined || facts.trace_id === traceId

const toText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value
