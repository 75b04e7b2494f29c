import { parseAddress, toSafeText } from './address.ts'
import { toPayload } from './body.ts'
import { exchange, type ExchangeOptions, type PageRequest } from './exchange.ts'
import { FETCH_RETRIES } from '@hull/common/constants.ts'
import { toHandledPromise } from '../server/handled-promise.ts'
import {
  FETCH_TIMEOUT,
  runAttempts,
  type AttemptInfo,
  type AttemptReport,
  type RetryOptions,
  type WrapAttempt
} from './retry.ts'

export type { Retry } from './retry.ts'

/** What of fetch's `init` ctx.fetch heeds. */
export interface PageFetchInit extends Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal' | 'redirect'> {
  /**
   * `include` or `same-origin`: the visitor's cookie and authorization go along to own routes. They never go to
   * other services. On a page with `cache` they are APP_PAGE_CACHE_PRIVATE. @default 'omit'
   */
  credentials?: RequestCredentials
}

/**
 * fetch as pages see it. Paths and the app's own origin are answered in process; all else goes out by undici.
 *
 * A call that may be repeated (GET, HEAD, OPTIONS, PUT, DELETE; not with a stream as its body) is retried when the
 * answer is 5xx or the connection fails, and throws APP_FETCH_FAILED when that does not help. Any other call is
 * made once: its 5xx is returned as fetch does, a failed connection is APP_FETCH_FAILED. 4xx is always returned.
 * A slow answer is no failure: an attempt has all the time that is left of the deadline, and no limit of its own.
 * The body is read before the promise resolves, so that a reset in its middle is retried as well; more than the
 * limit is APP_FETCH_TOO_LARGE.
 */
export type PageFetch = (input: string | URL, init?: PageFetchInit) => Promise<Response>

/** What is known of a request before its attempt, for a span and for counting. */
export interface FetchInfo {
  method: string
  url: URL
  /** Whether it is answered in process. */
  own: boolean
}

export interface FetchAttempt extends AttemptInfo, FetchInfo {
  /** Headers to send with this attempt besides the page's, for propagation; a redirect to another origin drops them. */
  headers: Headers
  /** The page's own headers, not to be changed. */
  given: Headers
}

export interface PageFetchOptions
  extends Omit<RetryOptions, 'onAttempt' | 'wrapAttempt'>, Omit<ExchangeOptions, 'forward' | 'maxBody'> {
  /** The app's own origin; what `new URL(input, origin)` has on it is an own route. */
  origin: string
  /** Visitor's headers that reach own routes unasked, lower-case names. @default FORWARDED_HEADERS */
  forward?: readonly string[]
  /** Bytes of an answer's body. @default MAX_BODY */
  maxBody?: number
  /** Called when a call asks for the visitor's credentials; throws where there is no visitor. */
  onCredentials?: () => void
  onAttempt?: (report: AttemptReport & FetchInfo) => void
  wrapAttempt?: WrapAttempt<FetchAttempt>
}

/** Ours: what a page's text may depend on, and what logs show. */
export const FORWARDED_HEADERS: readonly string[] = ['accept-language', 'user-agent']

/** Bytes of an answer. Ours: far above any page's data, far below a container's memory. */
export const MAX_BODY = 16 * 1024 * 1024

/** RFC 9110 §9.2.2, without TRACE, which fetch forbids. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])
const FORBIDDEN = new Set(['CONNECT', 'TRACE', 'TRACK'])
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

/** ctx.fetch for one request of a visitor. */
export function createPageFetch(options: PageFetchOptions): PageFetch {
  const { timeout = FETCH_TIMEOUT, signal, backoff, onAttempt, wrapAttempt } = options
  const limits = { forward: FORWARDED_HEADERS, maxBody: MAX_BODY, ...options }

  return function pageFetch(input, init = {}) {
    return toHandledPromise(fetchPage(input, init), pageFetch)
  }

  async function fetchPage(input: string | URL, init: PageFetchInit): Promise<Response> {
    const request = await toPageRequest(input, init, options.origin)
    if (request.credentials) options.onCredentials?.()
    const info: FetchInfo = { method: request.method, url: request.url, own: request.url.origin === request.origin }
    const retries = isRepeatable(request) ? FETCH_RETRIES : 0
    let added: Headers | undefined

    return runAttempts(
      (attempt) => exchange({ ...request, added, repeatable: retries > 0 }, attempt, limits),
      () => [request.method, toSafeText(request.url)],
      {
        timeout,
        retries,
        backoff,
        signal,
        caller: init.signal,
        onAttempt: onAttempt && ((report) => onAttempt({ ...report, ...info })),
        wrapAttempt:
          wrapAttempt &&
          ((attempt, run) => {
            const headers = (added = new Headers())
            return wrapAttempt({ ...attempt, ...info, headers, given: request.headers }, run)
          })
      }
    )
  }
}

/** Reads what the page passed. Throws as fetch does, before anything is sent, on what no attempt could help. */
async function toPageRequest(input: string | URL, init: PageFetchInit, base: string): Promise<PageRequest> {
  const url = parseAddress(input, base)
  const method = (init.method ?? 'GET').toUpperCase()
  if (!TOKEN.test(method) || FORBIDDEN.has(method)) throw new TypeError(`'${method}' is not a method that fetch sends`)
  const headers = new Headers(init.headers)
  const payload = await toPayload(init.body)
  if (payload !== null && (method === 'GET' || method === 'HEAD'))
    throw new TypeError(`A ${method} request has no body`)
  if (payload !== null && payload.type !== null && !headers.has('content-type'))
    headers.set('content-type', payload.type)
  const credentials = init.credentials !== undefined && init.credentials !== 'omit'
  return {
    url,
    method,
    headers,
    payload,
    credentials,
    redirect: init.redirect ?? 'follow',
    origin: new URL(base).origin
  }
}

function isRepeatable({ method, payload }: PageRequest): boolean {
  return IDEMPOTENT.has(method) && payload?.stream === undefined
}
