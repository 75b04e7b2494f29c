import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { currentContext } from './context.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import type { PropagationHeaders, RequestTrace } from './request-trace.ts'
import { HTTP_CLIENT, type OpenSpan, type SpanEnding, type SpanInfo } from './span.ts'

/** A request that the code of the application sends, over either of Node's HTTP clients. */
interface Outgoing {
  method: string
  url: URL
  /** The `baggage` that the request has already. */
  baggage: string | undefined
  setHeader: (name: string, value: string) => void
}

/** What undici publishes, that of Node's own `fetch` and that of npm. */
interface UndiciRequest {
  method: string
  origin: string | URL
  path: string
  /** Names and values in turn. */
  headers: unknown
  addHeader: (name: string, value: string) => unknown
}

/** What opens spans for code that runs outside of visitors' requests. */
export interface OutsideRecorder {
  /**
   * Opens a span below that of the code; undefined where it has none.
   * @param baggage that the outgoing request has already
   */
  openOutside: (
    info: SpanInfo,
    baggage: string | undefined
  ) => { span: OpenSpan; headers: PropagationHeaders } | undefined
}

/**
 * Traces what code of the application sends by `fetch`, undici and `node:http`, `ctx.fetch` included: each request gets
 * a span, where the visitor's request is recorded or the code runs in a span of its own, and the headers that carry the
 * trace where it goes to a target.
 * @param targets origins, compared whole; traces of this application have the same set, since a process may hold more
 * than one application
 * @returns ends it
 */
export function traceOutgoing(targets: ReadonlySet<string>, recorder?: OutsideRecorder): () => void {
  const spans = new WeakMap<object, OpenSpan>()

  const listeners: Record<string, (message: never) => void> = {
    'undici:request:create': ({ request }: { request: UndiciRequest }) => {
      if (request.method !== 'CONNECT') start(request, fromUndici)
    },
    'undici:request:headers': ({ request, response }: { request: object; response: { statusCode: number } }) =>
      finish(request, { status: response.statusCode }),
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

  /** An attempt of `ctx.fetch` has a span already. */
  function openInside(trace: RequestTrace, outer: OpenSpan | undefined, { method, url, baggage }: Outgoing) {
    const span = outer?.op === HTTP_CLIENT ? outer : outer && trace.recorder?.open(toClientSpan(method, url))
    return { span, headers: () => trace.toHeaders(span, baggage) }
  }

  function openOutside({ method, url, baggage }: Outgoing) {
    const opened = recorder!.openOutside(toClientSpan(method, url), baggage)
    return { span: opened?.span, headers: () => opened?.headers ?? {} }
  }

  /** With the headers of the answer: whether its body is ever read to the end is up to the code that asked. */
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

/** What the span of an outgoing request says of it. */
export const toClientSpan = (method: string, url: URL) => ({
  op: HTTP_CLIENT,
  name: `${method} ${url.origin}${url.pathname}`,
  attributes: { 'http.request.method': method, 'server.address': url.host }
})

function fromUndici(request: UndiciRequest): Outgoing | undefined {
  const url = toUrl(String(request.origin), request.path)
  // Versions before 6 have one string, and end with themselves.
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

/** Undefined where it goes to no origin, and where its headers are written already: those given as a list are. */
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

/** The header has the port, and may have been set by hand: it does not decide where the connection goes. */
const isHostOf = ({ hostname }: URL, host: string): boolean =>
  hostname === host.toLowerCase() || hostname === `[${host.toLowerCase()}]`

function toUrl(origin: string, path: string): URL | undefined {
  // Not `new URL(path, origin)`: a path of `//other` would choose the origin.
  return URL.parse(origin.replace(/\/$/, '') + (path.startsWith('/') ? path : `/${path}`)) ?? undefined
}
