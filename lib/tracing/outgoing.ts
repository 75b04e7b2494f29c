import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { currentContext } from '../async-context.ts'
import type { RequestTrace } from './request-trace.ts'
import { HTTP_CLIENT, type OpenSpan } from './span.ts'

/** A request that the code of the application sends, over either of Node's HTTP clients. */
interface Outgoing {
  /** The client's own object for the request. */
  request: object
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

/**
 * Traces what requests of visitors send by `fetch`, undici and `node:http`, `ctx.fetch` included: each gets a span where
 * the visitor's request is recorded, and the headers that carry the trace where it goes to one of the trace's targets.
 * @param isTraced whether a trace is of this application: a process may hold more than one
 * @returns ends it
 */
export function traceOutgoing(isTraced: (trace: RequestTrace) => boolean): () => void {
  const spans = new WeakMap<object, OpenSpan>()

  const listeners: Record<string, (message: never) => void> = {
    'undici:request:create': ({ request }: { request: UndiciRequest }) => {
      const trace = findTrace()
      if (trace && request.method !== 'CONNECT') start(trace, fromUndici(request))
    },
    'undici:request:headers': ({ request, response }: { request: object; response: { statusCode: number } }) =>
      finish(request, { status: response.statusCode }),
    'undici:request:error': ({ request, error }: { request: object; error: unknown }) => finish(request, { error }),
    'http.client.request.created': ({ request }: { request: ClientRequest }) => {
      const trace = findTrace()
      if (trace) start(trace, fromClientRequest(request))
    },
    'http.client.response.finish': ({ request, response }: { request: object; response: IncomingMessage }) =>
      finish(request, { status: response.statusCode }),
    'http.client.request.error': ({ request, error }: { request: object; error: unknown }) => finish(request, { error })
  }

  function findTrace(): RequestTrace | undefined {
    const trace = currentContext()?.trace
    return trace && isTraced(trace) ? trace : undefined
  }

  function start(trace: RequestTrace, outgoing: Outgoing | undefined): void {
    if (outgoing === undefined) return
    const outer = currentContext()!.span
    const span = outer?.op === HTTP_CLIENT ? outer : open(trace, outer, outgoing)
    if (!trace.targets.has(outgoing.url.origin)) return
    for (const [name, value] of Object.entries(trace.toHeaders(span, outgoing.baggage))) outgoing.setHeader(name, value)
  }

  /** An attempt of `ctx.fetch` has a span already. */
  function open(trace: RequestTrace, outer: OpenSpan | undefined, { request, method, url }: Outgoing) {
    const span = outer && trace.recorder?.open(toClientSpan(method, url))
    if (span) spans.set(request, span)
    return span
  }

  /** With the headers of the answer: whether its body is ever read to the end is up to the code that asked. */
  function finish(request: object, ending: { status?: number; error?: unknown }): void {
    spans.get(request)?.end(ending)
  }

  for (const [channel, listener] of Object.entries(listeners)) subscribe(channel, listener as never)
  return () => {
    for (const [channel, listener] of Object.entries(listeners)) unsubscribe(channel, listener as never)
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
      request,
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
    request,
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
