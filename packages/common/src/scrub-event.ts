import type { Client, Event } from '@sentry/core'
import { FILTERED, isSecretName, scrubText } from './secrets.ts'

/** Levels below which nothing is looked at, and nothing sent: the SDK itself goes three deep. */
const MAX_DEPTH = 12

/** What the protocol calls by names that would pass for secrets, or holds no words of a visitor. */
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

/** An event without secrets: in what was thrown, asked for, noted on the way and put into spans. */
export function scrubEvent<T extends Event>(event: T): T {
  const { sdkProcessingMetadata, ...rest } = event
  const scrubbed = scrubObject(rest, 0) as T
  delete scrubbed.user
  if (event.user?.id !== undefined) scrubbed.user = { id: event.user.id }
  if (typeof event.request?.query_string === 'string' && scrubbed.request)
    scrubbed.request.query_string = scrubText(event.request.query_string)
  return Object.assign(scrubbed, { sdkProcessingMetadata })
}

/** The same for a part of an event, whatever it is called there. */
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

/** Nothing that the SDK would collect by itself, now or in a later version: what an event holds is written in this room. */
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
