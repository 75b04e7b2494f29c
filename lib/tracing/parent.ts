import { isZero } from './ids.ts'

/** Who sent a request, as a propagation header tells it. */
export interface Parent {
  traceId: string
  spanId: string
  /** Whether the parent is recorded; undefined when it leaves that to us. */
  sampled: boolean | undefined
}

/** Trace id, span id, and a decision or none. */
const SENTRY_TRACE = /^([0-9a-f]{32})-([0-9a-f]{16})(?:-([01]))?$/

/** W3C Trace Context §3.2: version, trace id, parent id, flags; a later version may add fields. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Bit 0 of the flags (§3.2.2.5.1). */
const SAMPLED = 1

/** Reads `sentry-trace`; undefined when it is malformed. */
export function parseSentryTrace(header: string): Parent | undefined {
  const [, traceId, spanId, decision] = SENTRY_TRACE.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || isZero(traceId) || isZero(spanId)) return undefined
  return { traceId, spanId, sampled: decision === undefined ? undefined : decision === '1' }
}

export function formatSentryTrace({ traceId, spanId, sampled }: Parent): string {
  return sampled === undefined ? `${traceId}-${spanId}` : `${traceId}-${spanId}-${sampled ? '1' : '0'}`
}

/** Reads `traceparent`; undefined when it is malformed. It has no way to leave the decision to us. */
export function parseTraceparent(header: string): Parent | undefined {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || isZero(traceId) || isZero(spanId)) return undefined
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags!, 16) & SAMPLED) === SAMPLED }
}

/** What nobody has decided counts as not recorded. */
export function formatTraceparent({ traceId, spanId, sampled }: Parent): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}
