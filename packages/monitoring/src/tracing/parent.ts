import { isZero } from './ids.ts'

/** Caller of a request, from a propagation header. */
export interface Parent {
  traceId: string
  spanId: string
  /** Whether the caller records the trace; undefined if it leaves the decision to us. */
  sampled: boolean | undefined
  /** Whether the trace id is known to be random; `sentry-trace` cannot say so. @default false */
  isRandom?: boolean
}

/** Trace id, span id, and optionally a decision. */
const SENTRY_TRACE = /^([0-9a-f]{32})-([0-9a-f]{16})(?:-([01]))?$/

/** W3C Trace Context §3.2: version, trace id, parent id, flags. A later version may add fields. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Bits of the flags (Level 2, §3.2.2.5). All others are sent as 0. */
const SAMPLED = 1
const RANDOM_TRACE_ID = 2

/** Parses `sentry-trace`; undefined if it is malformed. */
export function parseSentryTrace(header: string): Parent | undefined {
  const [, traceId, spanId, decision] = SENTRY_TRACE.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || isZero(traceId) || isZero(spanId)) return undefined
  return { traceId, spanId, sampled: decision === undefined ? undefined : decision === '1' }
}

export function formatSentryTrace({ traceId, spanId, sampled }: Parent): string {
  return sampled === undefined ? `${traceId}-${spanId}` : `${traceId}-${spanId}-${sampled ? '1' : '0'}`
}

/** Parses `traceparent`; undefined if it is malformed. The header always contains a decision. */
export function parseTraceparent(header: string): Parent | undefined {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || isZero(traceId) || isZero(spanId)) return undefined
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  const bits = Number.parseInt(flags!, 16)
  return { traceId, spanId, sampled: (bits & SAMPLED) !== 0, isRandom: (bits & RANDOM_TRACE_ID) !== 0 }
}

/** Formats `traceparent`. An undecided trace counts as not recorded. */
export function formatTraceparent({ traceId, spanId, sampled = false, isRandom = false }: Parent): string {
  return `00-${traceId}-${spanId}-0${(sampled ? SAMPLED : 0) | (isRandom ? RANDOM_TRACE_ID : 0)}`
}
