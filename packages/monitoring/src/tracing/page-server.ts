import type { Channel, TracingChannel } from 'node:diagnostics_channel'
import type { FastifyReply } from 'fastify'
import {
  CHANNELS,
  DOCUMENTS,
  type AttemptMessage,
  type CachedRenderMessage,
  type DocumentMessage,
  type FetchMessage,
  type WorkMessage
} from '@hull/common/channels.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { contextStorage, createContext, currentContext, type TraceContext } from './context.ts'
import { toClientSpan } from './outgoing.ts'
import type { RequestTrace } from './request-trace.ts'
import { failSpan, type OpenSpan, type SpanInfo } from './span.ts'
import { tracerOf } from './tracer.ts'

/** Op of the span by channel. */
const PAGE_WORK = { guard: 'guard', data: 'getData', enter: 'onEnter', action: 'action', render: 'render' } as const

/** Span of each message's work. */
const spans = new WeakMap<object, OpenSpan>()

/**
 * Opens spans for the work of page servers. Shared by all applications of the process: a message names its server, and
 * messages of a server without tracing are ignored.
 * @returns function that stops it
 */
export const followWork = shared(function followWork() {
  const stops = Object.entries(PAGE_WORK).map(([channel, op]) =>
    follow(CHANNELS[channel as keyof typeof PAGE_WORK], (message) => openSpan(message, { op, name: message.name }))
  )
  stops.push(follow(CHANNELS.retry, openRetry))
  return () => stops.forEach((stop) => stop())
})

/**
 * Passes traces through page servers: to their own routes, to documents, and to pages that are rendered without a
 * visitor.
 * @returns function that stops it
 */
export const followTraces = shared(function followTraces() {
  const stops = [
    follow(CHANNELS.fetch, openFetch, setTraceHeaders),
    follow(CHANNELS.cachedRender, openCachedRender),
    listen(DOCUMENTS, describeDocument)
  ]
  return () => stops.forEach((stop) => stop())
})

function openRetry(message: AttemptMessage): TraceContext | undefined {
  return openSpan(message, { op: 'retry', name: 'ctx.retry', attributes: { attempt: message.attempt } })
}

function openFetch(message: FetchMessage): TraceContext | undefined {
  const info = toClientSpan(message.method, message.url)
  return openSpan(message, { ...info, attributes: { ...info.attributes, attempt: message.attempt } })
}

/** Sets the headers of a request to a route of this server. Requests to other servers get theirs in `outgoing.ts`. */
function setTraceHeaders(message: FetchMessage): void {
  const { server, request, inProcess, pageHeaders, addedHeaders } = message
  if (!inProcess || !tracerOf(server)) return
  const trace = request?.trace ?? currentContext()?.trace
  const carried = trace?.toHeaders(spans.get(message), pageHeaders.get('baggage')) ?? {}
  for (const [name, value] of Object.entries(carried)) addedHeaders.set(name, value)
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
  if (message.head !== undefined) message.head += trace.metaTags()
  // A visitor must not choose the trace of others.
  else if (!message.isShared || trace.parentSpanId === undefined) addServerTiming(message.reply, trace)
}

/** Passes the trace to the browser in `Server-Timing`, after the page's own entries. */
function addServerTiming(reply: FastifyReply, trace: RequestTrace): void {
  const entries = trace.serverTiming()
  if (entries === '') return
  const given = reply.getHeader('server-timing')
  reply.header('server-timing', given === undefined ? entries : `${String(given)}, ${entries}`)
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
  if (message.expected) span.end({ status: message.status })
  else if ('error' in message) failSpan(span, message.error)
  else span.end(message.result instanceof Response ? { status: message.result.status } : undefined)
}

/**
 * @param open returns the context for the work
 * @param onStart called in that context
 * @returns function that stops it
 */
function follow<Message extends WorkMessage>(
  channel: TracingChannel<unknown, Message>,
  open: (message: Message) => TraceContext | undefined,
  onStart?: (message: Message) => void
): () => void {
  channel.start.bindStore(
    contextStorage as never,
    function openSafely(message: Message) {
      try {
        return open(message)
      } catch (error) {
        // An error thrown here would end the process.
        void Promise.reject(error)
        return currentContext()
      }
    } as never
  )
  const stops = [
    listen(channel.end, closeSpan),
    listen(channel.asyncEnd, closeSpan),
    onStart && listen(channel.start, onStart)
  ]
  return () => {
    channel.start.unbindStore(contextStorage as never)
    for (const stop of stops) stop?.()
  }
}

function listen<Message>(channel: Channel<unknown, Message>, listener: (message: Message) => void): () => void {
  const safe = safeCallback(listener)
  channel.subscribe(safe as never)
  return () => {
    channel.unsubscribe(safe as never)
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
