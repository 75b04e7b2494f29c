import type { Client, Envelope, Event, Log, Metric } from '@sentry/core'
import { FILTERED, isSecretField, scrubText } from './secrets.ts'

/** Maximum levels to read and send; deeper values are replaced. The SDK itself has three levels. */
const MAX_DEPTH = 12

/** Parts of an event without a text of a visitor. Elsewhere these names are the application's own. */
const KEPT = new Set(['sdk', 'debug_meta'])

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

/** An entry of an item that is a list: a log line, a metric or a span. */
interface Entry {
  name?: string
  body?: string
  attributes?: Record<string, { value: unknown; type: string }>
}

/** Types of items that are lists. */
const LISTS = new Set(['log', 'trace_metric', 'span'])

/** Attributes of the user, which the SDK adds to entries. Only the id may be sent. */
const USER_ATTRIBUTES = new Set(['user.email', 'user.name', 'user.ip_address'])

/**
 * Removes the same from items that the SDK does not pass to `beforeSend`: feedback, logs, metrics, and spans outside of a
 * transaction. Keeps what the sender of feedback wrote.
 */
export function scrubEnvelope([, items]: Envelope): void {
  for (const [{ type }, payload] of items as Iterable<[{ type: string }, unknown]>) {
    if (type === 'feedback') scrubFeedback(payload as Event)
    else if (LISTS.has(type)) for (const entry of (payload as { items?: Entry[] }).items ?? []) scrubEntry(entry)
  }
}

function scrubFeedback(event: Event): void {
  const { name, contact_email, message } = event.contexts?.feedback ?? {}
  const { contexts, ...scrubbed } = scrubEvent(event)
  const feedback = { ...contexts?.feedback, name, contact_email, message }
  Object.assign(event, { user: undefined }, scrubbed, { contexts: { ...contexts, feedback } })
}

function scrubEntry(entry: Entry): void {
  if (entry.name !== undefined) entry.name = scrubText(entry.name)
  if (entry.body !== undefined) entry.body = scrubText(entry.body)
  for (const [name, attribute] of Object.entries(entry.attributes ?? {})) {
    if (USER_ATTRIBUTES.has(name)) delete entry.attributes![name]
    else if (isSecretField(name, attribute.value)) entry.attributes![name] = { value: FILTERED, type: 'string' }
    else attribute.value = scrub(attribute.value, 1)
  }
}

/** The same for a log line or a metric, whose attributes may be objects until the SDK writes them as JSON. */
export const scrubAttributes = <T extends Log | Metric>(entry: T): T => ({
  ...entry,
  attributes: scrubPart(entry.attributes)
})

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
    if ((depth === 0 && KEPT.has(key)) || isStack(key, value)) scrubbed[key] = value
    else if (depth > 0 && value !== undefined && isSecretField(key, value)) scrubbed[key] = FILTERED
    else scrubbed[key] = scrub(value, depth + 1)
  }
  return scrubbed
}

/** Source lines are kept as they are. */
const isStack = (key: string, value: unknown): boolean =>
  key === 'stacktrace' && Array.isArray((value as { frames?: unknown } | undefined)?.frames)

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
