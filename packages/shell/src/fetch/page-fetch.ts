import { parseAddress, toSafeText } from './address.ts'
import { toPayload } from './body.ts'
import { exchange, type ExchangeOptions, type PageRequest } from './exchange.ts'
import type { FetchMessage, WorkMessage } from '@hull/common/channels.ts'
import { FETCH_RETRIES } from '@hull/common/constants.ts'
import { toHandledPromise } from '../server/handled-promise.ts'
import { FETCH_TIMEOUT, runAttempts, type AttemptReport, type RetryOptions, type WrapAttempt } from './retry.ts'

export type { Retry } from './retry.ts'

/** Options of fetch's `init` that ctx.fetch supports. */
export interface PageFetchInit extends Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal' | 'redirect'> {
  /**
   * With `include` or `same-origin`, own routes receive the visitor's cookie and authorization. Other services never
   * do. On a page with `cache`, both throw APP_PAGE_CACHE_PRIVATE.
   * @default 'omit'
   */
  credentials?: RequestCredentials
}

/**
 * fetch for pages. Paths and the application's own origin are answered in process; all other requests use undici.
 *
 * A repeatable call (GET, HEAD, OPTIONS, PUT, DELETE; not with a stream as its body) is retried after a 5xx or a failed
 * connection, and throws APP_FETCH_FAILED if all attempts fail. Any other call is made once: its 5xx is returned as by
 * fetch, a failed connection is APP_FETCH_FAILED. 4xx is always returned. A slow answer is not a failure: an attempt
 * may use all of the time that is left, and has no limit of its own. The body is read before the promise resolves, so
 * that a connection that breaks in the middle is retried too. A body beyond the limit is APP_FETCH_TOO_LARGE.
 */
export type PageFetch = (input: string | URL, init?: PageFetchInit) => Promise<Response>

/** A request before its attempt, for metrics. */
export type FetchInfo = Pick<FetchMessage, 'method' | 'url' | 'inProcess'>

/** One attempt, for spans. */
export type FetchAttempt = Omit<FetchMessage, keyof WorkMessage>

export interface PageFetchOptions
  extends Omit<RetryOptions, 'onAttempt' | 'wrapAttempt'>, Omit<ExchangeOptions, 'maxBody'> {
  /** The application's own origin. `new URL(input, origin)` with this origin is an own route. */
  origin: string
  /**
   * Maximum bytes of an answer's body.
   * @default MAX_BODY
   */
  maxBody?: number
  /** Called when a call requests the visitor's credentials. Throws if there is no visitor. */
  onCredentials?: () => void
  onAttempt?: (report: AttemptReport & FetchInfo) => void
  wrapAttempt?: WrapAttempt<FetchAttempt>
}

/** Maximum bytes of an answer. A guess: far above any page's data, far below a container's memory. */
export const MAX_BODY = 16 * 1024 * 1024

/** Idempotent methods (RFC 9110 §9.2.2), without TRACE, which fetch forbids. */
export const RETRIED_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])
const FORBIDDEN = new Set(['CONNECT', 'TRACE', 'TRACK'])
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

/** Creates ctx.fetch for one request of a visitor. */
export function createPageFetch(options: PageFetchOptions): PageFetch {
  const { timeout = FETCH_TIMEOUT, signal, backoff, onAttempt, wrapAttempt } = options
  const limits = { maxBody: MAX_BODY, ...options }

  return function pageFetch(input, init = {}) {
    return toHandledPromise(fetchPage(input, init), pageFetch)
  }

  async function fetchPage(input: string | URL, init: PageFetchInit): Promise<Response> {
    const request = await toPageRequest(input, init, options.origin)
    if (request.credentials) options.onCredentials?.()
    const info: FetchInfo = {
      method: request.method,
      url: request.url,
      inProcess: request.url.origin === request.origin
    }
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
            const addedHeaders = (added = new Headers())
            return wrapAttempt({ ...attempt, ...info, addedHeaders, pageHeaders: request.headers }, run)
          })
      }
    )
  }
}

/** Parses the page's arguments. Throws as fetch does, before anything is sent, for errors that no attempt could fix. */
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
  return RETRIED_METHODS.has(method) && payload?.stream === undefined
}
