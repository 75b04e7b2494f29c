import { channel, tracingChannel, type Channel, type TracingChannel } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/*
 * Channels of node:diagnostics_channel on which the shell publishes its work, and the types of their messages.
 * Subscribers, such as monitoring, use the same. docs/channels.md lists them for subscribers outside of Hull.
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
  /** Whether `error` is a redirect or a refusal (401, 403, 404) that the page threw on purpose: the work did not fail. */
  expected?: true
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

/** One attempt of ctx.retry. */
export interface AttemptMessage extends WorkMessage {
  /** Number of this attempt; 1 for the first. */
  attempt: number
  /** Maximum number of attempts, the first included. */
  maxAttempts: number
}

/** One attempt of ctx.fetch. Its `result` is the Response. */
export interface FetchMessage extends AttemptMessage {
  method: string
  url: URL
  /** Whether a route of this server answers the request, without a socket. */
  inProcess: boolean
  /** Headers of the page. Do not change them. */
  pageHeaders: Headers
  /**
   * Headers that are sent in addition to the page's. A subscriber may set some at `start`. A redirect to another origin
   * drops them.
   */
  addedHeaders: Headers
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
  /** Set if caches may store the answer, and send it to other visitors. */
  isShared?: true
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
  retry: work<AttemptMessage>('retry')
}

/** Unexpected errors. */
export const ERRORS = channel('hull:error') as Channel<unknown, ErrorMessage>

/** Documents, just before they are sent. */
export const DOCUMENTS = channel('hull:document') as Channel<unknown, DocumentMessage>
