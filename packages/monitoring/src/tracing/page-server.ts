import { subscribe, tracingChannel, unsubscribe, type TracingChannel } from 'node:diagnostics_channel'
import type { FastifyReply } from 'fastify'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { contextStorage, createContext, currentContext, type TraceContext } from './context.ts'
import { toClientSpan } from './outgoing.ts'
import type { RequestTrace } from './request-trace.ts'
import { addServerTiming } from './server-timing.ts'
import { failSpan, type OpenSpan, type SpanInfo } from './span.ts'
import { tracerOf } from './tracer.ts'

/*
 * Messages of a server that renders pages, with the fields that are read here. Channels and fields are a protocol: no
 * code of that server is imported, and nothing happens without such a server.
 */

interface Message {
  server: object
  request: { trace: RequestTrace } | undefined
}

interface WorkMessage extends Message {
  result?: unknown
  error?: unknown
  /** `error` is a redirect, or a refusal with a status. */
  answered?: true
  status?: number
}

export interface PageMessage extends WorkMessage {
  name: string
}

export interface CachedRenderMessage extends PageMessage {
  logFields: Record<string, unknown>
}

export interface FetchMessage extends WorkMessage {
  method: string
  url: URL
  own: boolean
  number: number
  headers: Headers
  given: Headers
}

export interface RetryMessage extends WorkMessage {
  number: number
}

export interface DocumentMessage extends Message {
  request: { trace: RequestTrace }
  reply: FastifyReply
  head?: string
}

/** Op of the span by channel. */
const PAGE_WORK = { guard: 'guard', data: 'getData', enter: 'onEnter', action: 'action', render: 'render' }

/** Span of each message's work. */
const spans = new WeakMap<object, OpenSpan>()

/**
 * Opens spans for the work of page servers. Shared by all applications of the process: a message names its server, and
 * messages of a server without tracing are ignored.
 * @returns function that stops it
 */
export const followWork = shared(function followWork() {
  const stops = Object.entries(PAGE_WORK).map(([name, op]) =>
    follow<PageMessage>(name, (message) => openSpan(message, { op, name: message.name }))
  )
  stops.push(
    follow<RetryMessage>('retry', (message) =>
      openSpan(message, { op: 'retry', name: 'ctx.retry', attributes: { attempt: message.number } })
    )
  )
  return () => stops.forEach((stop) => stop())
})

/**
 * Passes traces through page servers: to their own routes, to documents, and to pages that are rendered without a
 * visitor.
 * @returns function that stops it
 */
export const followTraces = shared(function followTraces() {
  const stops = [
    follow<FetchMessage>('fetch', openAttempt, setAttemptHeaders),
    follow<CachedRenderMessage>('cached-render', openCachedRender),
    listen<DocumentMessage>('hull:document', describeDocument)
  ]
  return () => stops.forEach((stop) => stop())
})

function openAttempt(message: FetchMessage): TraceContext | undefined {
  const info = toClientSpan(message.method, message.url)
  return openSpan(message, { ...info, attributes: { ...info.attributes, attempt: message.number } })
}

/** Sets the headers of a request to a route of this server. Requests to other servers get theirs in `outgoing.ts`. */
function setAttemptHeaders(message: FetchMessage): void {
  const { server, request, own, headers, given } = message
  if (!own || !tracerOf(server)) return
  const trace = request?.trace ?? currentContext()?.trace
  const carried = trace?.toHeaders(spans.get(message), given.get('baggage')) ?? {}
  for (const [name, value] of Object.entries(carried)) headers.set(name, value)
}

/** Opens a new trace with the render as its transaction. */
function openCachedRender(message: CachedRenderMessage): TraceContext | undefined {
  const trace = tracerOf(message.server)?.begin()
  if (!trace) return currentContext()
  const context = (trace.context = createContext({ trace, span: undefined }))
  if (trace.sampled && trace.recorder) {
    trace.root = trace.recorder.enter(context, { op: 'render', name: message.name })
    spans.set(message, trace.root)
  }
  Object.assign(message.logFields, { trace_id: trace.traceId, span_id: trace.spanId })
  return context
}

function describeDocument(message: DocumentMessage): void {
  if (!tracerOf(message.server)) return
  const { trace } = message.request
  if (message.head === undefined) addServerTiming(message.reply, trace)
  else message.head += trace.metaTags()
}

/** Opens a span below the current one. Returns the current context if the request is not recorded. */
function openSpan(message: WorkMessage, info: SpanInfo): TraceContext | undefined {
  const context = currentContext()
  const recorder = context?.span && context.trace?.recorder
  if (!recorder || tracerOf(message.server)?.targets !== context.trace!.targets) return context
  const span = recorder.open(info)
  spans.set(message, span)
  return createContext({ span }, context)
}

/** Ends the span after the function has returned, or its promise has settled. */
function closeSpan(message: WorkMessage): void {
  const span = spans.get(message)
  if (span === undefined || !('result' in message || 'error' in message)) return
  if (message.answered) span.end({ status: message.status })
  else if ('error' in message) failSpan(span, message.error)
  else span.end(message.result instanceof Response ? { status: message.result.status } : undefined)
}

/**
 * @param open returns the context for the work
 * @param onStart called in that context
 * @returns function that stops it
 */
function follow<M extends WorkMessage>(
  name: string,
  open: (message: M) => TraceContext | undefined,
  onStart?: (message: M) => void
): () => void {
  const channel = tracingChannel(`hull:${name}`) as unknown as TracingChannel<TraceContext | undefined, M>
  channel.start.bindStore(contextStorage as never, function openSafely(message) {
    try {
      return open(message)
    } catch (error) {
      // An error thrown here would end the process.
      void Promise.reject(error)
      return currentContext()
    }
  })
  const stops = [
    listen(`tracing:hull:${name}:end`, closeSpan),
    listen(`tracing:hull:${name}:asyncEnd`, closeSpan),
    onStart && listen(`tracing:hull:${name}:start`, onStart)
  ]
  return () => {
    channel.start.unbindStore(contextStorage as never)
    for (const stop of stops) stop?.()
  }
}

function listen<M>(name: string, listener: (message: M) => void): () => void {
  const safe = safeCallback(listener) as (message: unknown) => void
  subscribe(name, safe)
  return () => {
    unsubscribe(name, safe)
  }
}

/**
 * Shares a subscription, because a storage can be bound to a channel only once. The first caller starts it, the last
 * one stops it.
 */
function shared(start: () => () => void): () => () => void {
  let users = 0
  let stop: (() => void) | undefined
  return function use() {
    if (users++ === 0) stop = start()
    let used = true
    return () => {
      if (used && --users === 0) stop?.()
      used = false
    }
  }
}
