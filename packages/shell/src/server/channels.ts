import { channel, tracingChannel, type Channel, type TracingChannel } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import { isThenable } from '@hull/common/is-thenable.ts'

/*
 * Channels of node:diagnostics_channel on which the shell publishes its work. docs/channels.md lists them for
 * subscribers.
 */

/** Every message names its server, because a process may have several. */
export interface ShellMessage {
  /** The Fastify instance, or one encapsulated in it. */
  server: FastifyInstance
  /** Undefined for work without a visitor, such as rendering a page with `cache`. */
  request: FastifyRequest | undefined
}

/** A unit of work, from `start` to `end` or `asyncEnd`. */
export interface WorkMessage extends ShellMessage {
  /** The returned value; set when the work has ended. */
  result?: unknown
  /** The thrown value; set when the work has ended. */
  error?: unknown
  /**
   * Whether `error` is an answer of the page, that is, a redirect or a refusal (401, 403, 404), so that the work did
   * not fail.
   */
  answered?: true
  /** HTTP status of a thrown refusal. */
  status?: number
}

/** Work of a page or a layout. */
export interface PageMessage extends WorkMessage {
  /** Pattern of the page, such as `/items/[id]`, or name of the layout. Never contains a visitor's input. */
  name: string
}

/** Rendering of a page with `cache`, for all visitors. */
export interface CachedRenderMessage extends PageMessage {
  request: undefined
  /** Fields for the log lines of this rendering. A subscriber may add fields. */
  logFields: Record<string, unknown>
}

/** One attempt of ctx.fetch. Its `result` is the Response. */
export interface FetchMessage extends WorkMessage {
  method: string
  url: URL
  /** Whether the request is answered in process. */
  own: boolean
  /** 1 for the first attempt. */
  number: number
  /** Maximum attempts. */
  of: number
  /**
   * Headers that are sent in addition to the page's. A subscriber may set some at `start`. A redirect to another origin
   * drops them.
   */
  headers: Headers
  /** The page's own headers. Do not change them. */
  given: Headers
}

/** One attempt of ctx.retry. */
export interface RetryMessage extends WorkMessage {
  /** 1 for the first attempt. */
  number: number
  /** Maximum attempts. */
  of: number
}

/** A document, or the data of a page with `cache`, before it is sent. */
export interface DocumentMessage extends ShellMessage {
  request: FastifyRequest
  /** A subscriber may set headers. */
  reply: FastifyReply
  /**
   * Markup for the document's head. A subscriber may add to it. Undefined for a streamed or stored document, which
   * cannot contain any.
   */
  head?: string
}

/** An unexpected error. */
export interface ErrorMessage extends ShellMessage {
  error: unknown
  /** Identifies the error on the visitor's error page and in the log line. */
  digest: string
  /**
   * `request`: thrown while answering a request. `rejection`: an unhandled rejection. `process`: an uncaught error that
   * ends the process. `background`: thrown by work for no visitor.
   */
  where: 'request' | 'rejection' | 'process' | 'background'
  /** Whether the shell's code caught the error. */
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
 * @returns markup from subscribers for the head
 */
export function publishDocument(request: FastifyRequest, reply: FastifyReply): string {
  if (!DOCUMENTS.hasSubscribers) return ''
  const message = { server: request.server, request, reply, head: '' }
  DOCUMENTS.publish(message)
  return message.head
}

/**
 * Runs `fn` and publishes its start and end, as `tracePromise` does, but a synchronous function stays synchronous.
 * Without subscribers, only calls `fn`.
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
