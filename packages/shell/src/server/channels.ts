import { channel, tracingChannel, type Channel, type TracingChannel } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import { isThenable } from '@hull/common/is-thenable.ts'

/*
 * The shell publishes its work on these channels of node:diagnostics_channel. docs/channels.md lists them for subscribers.
 */

/** Every message names its server: a process may have several. */
export interface ShellMessage {
  /** The Fastify instance, or one that was encapsulated in it. */
  server: FastifyInstance
  /** Undefined where the work is done for no visitor, such as the rendering of a page with `cache`. */
  request: FastifyRequest | undefined
}

/** A piece of work, from `start` to `end` or `asyncEnd`. */
export interface WorkMessage extends ShellMessage {
  /** The returned value; only there once the work has ended. */
  result?: unknown
  /** The thrown value; only there once the work has ended. */
  error?: unknown
  /** Whether `error` is an answer of the page, a redirect or a refusal (401, 403, 404): the work did not fail. */
  answered?: true
  /** HTTP status of a thrown refusal. */
  status?: number
}

/** Work of a page or a layout. */
export interface PageMessage extends WorkMessage {
  /** Pattern of the page, such as `/items/[id]`, or name of the layout; never a value that a visitor chose. */
  name: string
}

/** The rendering of a page with `cache`, for all visitors. */
export interface CachedRenderMessage extends PageMessage {
  request: undefined
  /** Fields for the log lines of this rendering; a subscriber may add some. */
  logFields: Record<string, unknown>
}

/** One attempt of ctx.fetch. Its `result` is the Response. */
export interface FetchMessage extends WorkMessage {
  method: string
  url: URL
  /** Whether it is answered in process. */
  own: boolean
  /** 1 for the first attempt. */
  number: number
  /** Attempts there may be. */
  of: number
  /** Headers to send besides the page's; a subscriber may set some at `start`. A redirect to another origin drops them. */
  headers: Headers
  /** The page's own headers, not to be changed. */
  given: Headers
}

/** One attempt of ctx.retry. */
export interface RetryMessage extends WorkMessage {
  /** 1 for the first attempt. */
  number: number
  /** Attempts there may be. */
  of: number
}

/** A document, or the data of a page with `cache`, that is about to be sent. */
export interface DocumentMessage extends ShellMessage {
  request: FastifyRequest
  /** A subscriber may set headers. */
  reply: FastifyReply
  /** Markup for the document's head, to which a subscriber may add. Undefined where the document cannot carry any: it is streamed or stored. */
  head?: string
}

/** An unexpected error. */
export interface ErrorMessage extends ShellMessage {
  error: unknown
  /** On the visitor's error page and in the log line. */
  digest: string
  /** `request`: thrown while a request was answered. `rejection`: a promise that no code waited for. `process`: uncaught, and the process ends. `background`: thrown by work for no visitor. */
  where: 'request' | 'rejection' | 'process' | 'background'
  /** Whether code of the shell caught it. */
  handled: boolean
}

const work = <Message extends WorkMessage>(name: string) =>
  tracingChannel(`hull:${name}`) as unknown as TracingChannel<unknown, Message>

/** Channels of work: each has `start`, `end`, `asyncStart`, `asyncEnd` and `error`. */
export const CHANNELS = {
  guard: work<PageMessage>('guard'),
  data: work<PageMessage>('data'),
  enter: work<PageMessage>('enter'),
  action: work<PageMessage>('action'),
  render: work<PageMessage>('render'),
  cachedRender: work<CachedRenderMessage>('cached-render'),
  fetch: work<FetchMessage>('fetch'),
  retry: work<RetryMessage>('retry')
}

/** Unexpected errors. */
export const ERRORS = channel('hull:error') as Channel<unknown, ErrorMessage>

/** Documents, just before they are sent. */
export const DOCUMENTS = channel('hull:document') as Channel<unknown, DocumentMessage>

/**
 * Publishes a document for one visitor that is sent whole.
 * @returns markup of subscribers for its head
 */
export function publishDocument(request: FastifyRequest, reply: FastifyReply): string {
  if (!DOCUMENTS.hasSubscribers) return ''
  const message = { server: request.server, request, reply, head: '' }
  DOCUMENTS.publish(message)
  return message.head
}

/**
 * Runs `fn` and publishes when it starts and ends, as `tracePromise` does, but a function that is synchronous stays so.
 * Where nobody listens `fn` is called, and nothing else happens.
 */
export function publishWork<Message extends WorkMessage, T>(
  channel: TracingChannel<unknown, Message>,
  message: Message,
  fn: () => T
): T {
  if (!channel.hasSubscribers) return fn()
  return channel.start.runStores(message, function runPublished() {
    try {
      const result = fn()
      if (isThenable(result)) return followPromise(channel, message, result) as T
      message.result = result
      return result
    } catch (error) {
      fail(channel, message, error)
      throw error
    } finally {
      channel.end.publish(message)
    }
  }) as T
}

function followPromise<Message extends WorkMessage>(
  channel: TracingChannel<unknown, Message>,
  message: Message,
  promise: PromiseLike<unknown>
): PromiseLike<unknown> {
  return promise.then(
    function publishResult(result) {
      message.result = result
      endAsync(channel, message)
      return result
    },
    function publishError(error: unknown) {
      fail(channel, message, error)
      endAsync(channel, message)
      throw error
    }
  )
}

function endAsync<Message extends WorkMessage>(
  { asyncStart, asyncEnd }: TracingChannel<unknown, Message>,
  message: Message
): void {
  asyncStart.publish(message)
  asyncEnd.publish(message)
}

function fail<Message extends WorkMessage>(
  channel: TracingChannel<unknown, Message>,
  message: Message,
  error: unknown
): void {
  message.error = error
  if (isRedirect(error)) message.answered = true
  else if (isOutcome(error)) {
    message.answered = true
    message.status = error.statusCode
  }
  channel.error.publish(message)
}
