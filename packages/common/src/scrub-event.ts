import type { Client, Event } from '@sentry/core'
import { FILTERED, isSecretName, scrubText } from './secrets.ts'

/** Maximum levels to read and send; deeper values are replaced. The SDK itself has three levels. */
const MAX_DEPTH = 12

/** Keys of the protocol whose values are kept: their names look like secrets, or they contain no text of a visitor. */
const KEPT = new Set([
  'event_id',
  'trace_id',
  'span_id',
  'parent_span_id',
  'sdk',
  'stacktrace',
  'debug_meta',
  'timestamp',
  'sdkProcessingMetadata'
])

/**
 * Returns an event without secrets in exceptions, request, breadcrumbs and spans, and without the user except for the
 * id.
 */
export function scrubEvent<T extends Event>(event: T): T {
  const { sdkProcessingMetadata, ...rest } = event
  const scrubbed = scrubObject(rest, 0) as T
  delete scrubbed.user
  if (event.user?.id !== undefined) scrubbed.user = { id: event.user.id }
  if (typeof event.request?.query_string === 'string' && scrubbed.request)
    scrubbed.request.query_string = scrubText(event.request.query_string)
  return Object.assign(scrubbed, { sdkProcessingMetadata })
}

/** The same for a part of an event, with any name. */
export const scrubPart = <T>(value: T): T => scrub(value, 1) as T

function scrub(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return scrubText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) return FILTERED
  return Array.isArray(value) ? value.map((item) => scrub(item, depth + 1)) : scrubObject(value, depth)
}

function scrubObject(source: object, depth: number): Record<string, unknown> {
  const scrubbed: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(source)) {
    if (KEPT.has(key)) scrubbed[key] = value
    else if (depth > 0 && value !== undefined && isSecretName(key)) scrubbed[key] = FILTERED
    else scrubbed[key] = scrub(value, depth + 1)
  }
  return scrubbed
}

/**
 * Disables the SDK's own collection of data, also in later versions: the code of this repository decides what an event
 * contains.
 */
export const DATA_COLLECTION: NonNullable<ReturnType<Client['getOptions']>['dataCollection']> = {
  userInfo: false,
  cookies: false,
  httpHeaders: { request: false, response: false },
  httpBodies: [],
  urlQueryParams: false,
  graphQL: { document: false, variables: false },
  genAI: { inputs: false, outputs: false },
  mcp: { inputs: false, outputs: false },
  databaseQueryData: false,
  queues: false,
  stackFrameVariables: false,
  frameContextLines: 5
}
