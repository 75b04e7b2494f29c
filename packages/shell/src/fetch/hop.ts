import type { Payload } from './body.ts'

/** One request of an attempt: the first, or one after a redirect. */
export interface Hop {
  url: URL
  method: string
  headers: Headers
  payload: Payload | null
  signal: AbortSignal
}

/** Answer of either transport, before its body is read. */
export interface Answer {
  status: number
  statusText: string
  headers: Headers
  body: AsyncIterable<Uint8Array> | null
  /** Whether the answering route has used up its own retries. */
  exhausted: () => boolean
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Headers that a redirect to another origin drops. */
const CREDENTIALS = ['authorization', 'cookie', 'host', 'proxy-authorization']

/** Whether fetch would follow the answer's `Location`. */
export function isRedirectAnswer({ status, headers }: Answer): boolean {
  return REDIRECTS.has(status) && headers.has('location')
}

/**
 * Returns the request that follows a redirect. Method, body and headers change as in the Fetch standard (§4.4,
 * HTTP-redirect fetch).
 */
export function toNextHop(hop: Hop, status: number, url: URL): Hop {
  const headers = new Headers(hop.headers)
  let { method, payload } = hop
  if ((status === 303 && method !== 'GET' && method !== 'HEAD') || (status < 303 && method === 'POST')) {
    method = 'GET'
    payload = null
    for (const name of ['content-encoding', 'content-language', 'content-location', 'content-type'])
      headers.delete(name)
  }
  if (url.origin !== hop.url.origin) {
    for (const name of CREDENTIALS) headers.delete(name)
  }
  return { ...hop, url, method, headers, payload }
}
