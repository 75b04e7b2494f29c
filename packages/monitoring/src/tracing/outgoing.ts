import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { currentContext } from './context.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import type { PropagationHeaders, RequestTrace } from './request-trace.ts'
import { HTTP_CLIENT, type OpenSpan, type SpanEnding, type SpanInfo } from './span.ts'

/** Request that the application's code sends with either of Node's HTTP clients. */
interface Outgoing {
  method: string
  url: URL
  /** Existing `baggage` of the request. */
  baggage: string | undefined
  setHeader: (name: string, value: string) => void
}

/** Request in the messages of undici, both the one in Node's `fetch` and the npm package. */
interface UndiciRequest {
  method: string
  origin: string | URL
  path: string
  /** Alternating names and values. */
  headers: unknown
  addHeader: (name: string, value: string) => unknown
}

/** Opens spans for code that runs outside of visitors' requests. */
export interface OutsideRecorder {
  /**
   * Opens a span below the code's own span; undefined if there is none.
   * @param baggage existing baggage of the outgoing request
   */
  openOutside: (
    info: SpanInfo,
    baggage: string | undefined
  ) => { span: OpenSpan; headers: PropagationHeaders } | undefined
}

/**
 * Traces requests that the application sends with `fetch`, undici and `node:http`, including `ctx.fetch`. Each request
 * gets a span if the visitor's request is recorded or the code runs in its own span. Requests to a target get trace
 * headers.
 * @param targets origins, compared as a whole. Traces of this application have the same set, because a process may hold
 * several applications
 * @returns function that stops tracing
 */
export function traceOutgoing(targets: ReadonlySet<string>, recorder?: OutsideRecorder): () => void {
  const spans = new WeakMap<object, OpenSpan>()

  const listeners: Record<string, (message: never) => void> = {
    'undici:request:create': ({ request }: { request: UndiciRequest }) => {
      if (request.method !== 'CONNECT') start(request, fromUndici)
    },
    'undici:request:headers': ({ request, response }: { request: object; response: { statusCode: number } }) => {
      // Except for an upgrade, other statuses announce an answer, such as 103 with early hints.
      if (response.statusCode === 101 || response.statusCode >= 200) finish(request, { status: response.statusCode })
    },
    'undici:request:error': ({ request, error }: { request: object; error: unknown }) => finish(request, { error }),
    'http.client.request.created': ({ request }: { request: ClientRequest }) => start(request, fromClientRequest),
    'http.client.response.finish': ({ request, response }: { request: object; response: IncomingMessage }) =>
      finish(request, { status: response.statusCode }),
    'http.client.request.error': ({ request, error }: { request: object; error: unknown }) => finish(request, { error })
  }

  function start<T extends object>(request: T, read: (request: T) => Outgoing | undefined): void {
    const context = currentContext()
    const trace = context?.trace
    if (trace ? trace.targets !== targets : !recorder) return
    const outgoing = read(request)
    if (outgoing === undefined) return
    const { span, headers } = trace ? openInside(trace, context.span, outgoing) : openOutside(outgoing)
    if (span && span !== context?.span) spans.set(request, span)
    if (!targets.has(outgoing.url.origin)) return
    for (const [name, value] of Object.entries(headers())) outgoing.setHeader(name, value)
  }

  /** A request of `ctx.fetch` already has a span. */
  function openInside(trace: RequestTrace, outer: OpenSpan | undefined, { method, url, baggage }: Outgoing) {
    const span = outer?.op === HTTP_CLIENT ? outer : outer && trace.recorder?.open(toClientSpan(method, url))
    return { span, headers: () => trace.toHeaders(span, baggage) }
  }

  function openOutside({ method, url, baggage }: Outgoing) {
    const opened = recorder!.openOutside(toClientSpan(method, url), baggage)
    return { span: opened?.span, headers: () => opened?.headers ?? {} }
  }

  /**
   * Ends the span when the headers of the answer arrive, because the calling code may never read the body to the end.
   */
  function finish(request: object, ending: SpanEnding): void {
    spans.get(request)?.end(ending)
  }

  const subscriptions = Object.entries(listeners).map(
    ([channel, listener]) => [channel, safeCallback(listener)] as const
  )
  for (const [channel, listener] of subscriptions) subscribe(channel, listener as never)
  return () => {
    for (const [channel, listener] of subscriptions) unsubscribe(channel, listener as never)
  }
}

/** Describes the span of an outgoing request. */
export const toClientSpan = (method: string, url: URL) => ({
  op: HTTP_CLIENT,
  name: `${method} ${url.origin}${url.pathname}`,
  attributes: { 'http.request.method': method, 'server.address': url.host }
})

function fromUndici(request: UndiciRequest): Outgoing | undefined {
  const url = toUrl(String(request.origin), request.path)
  // A string in undici before version 6.
  const headers = Array.isArray(request.headers) ? (request.headers as unknown[]) : []
  const indexOf = (name: string) =>
    headers.findIndex((header, index) => index % 2 === 0 && String(header).toLowerCase() === name)
  const baggage = headers[indexOf('baggage') + 1]
  return (
    url && {
      method: request.method,
      url,
      baggage: indexOf('baggage') === -1 ? undefined : String(baggage),
      setHeader(name, value) {
        const index = indexOf(name)
        if (index === -1) request.addHeader(name, value)
        else headers[index + 1] = value
      }
    }
  )
}

/**
 * Undefined if the request goes to no origin, or if its headers are already written, as headers given as a list are.
 */
function fromClientRequest(request: ClientRequest): Outgoing | undefined {
  const { host, socketPath } = request as ClientRequest & { socketPath?: string }
  const url = toUrl(`${request.protocol}//${String(request.getHeader('host') ?? host)}`, request.path)
  if (socketPath || request.headersSent || url === undefined || !isHostOf(url, host)) return undefined
  return {
    method: request.method,
    url,
    baggage: request.getHeader('baggage')?.toString(),
    setHeader: (name, value) => request.setHeader(name, value)
  }
}

/**
 * Compares without the port. The Host header may have been set by hand, and does not decide where the connection goes.
 */
const isHostOf = ({ hostname }: URL, host: string): boolean =>
  hostname === host.toLowerCase() || hostname === `[${host.toLowerCase()}]`

function toUrl(origin: string, path: string): URL | undefined {
  // A request to a proxy, which names its target.
  if (/^https?:\/\//.test(path)) return URL.parse(path) ?? undefined
  // Not `new URL(path, origin)`: a path such as `//other` would replace the origin.
  return URL.parse(origin.replace(/\/$/, '') + (path.startsWith('/') ? path : `/${path}`)) ?? undefined
}
