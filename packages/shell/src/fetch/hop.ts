import type { Payload } from './body.ts'

/** One request of an attempt: the first, or one that a redirect led to. */
export interface Hop {
  url: URL
  method: string
  headers: Headers
  payload: Payload | null
  signal: AbortSignal
}

/** What either transport answers; its body has not been read. */
export interface Answer {
  status: number
  statusText: string
  headers: Headers
  body: AsyncIterable<Uint8Array> | null
  /** Whether retries inside the answering route are used up. */
  exhausted: () => boolean
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** What may not follow a redirect to another origin. */
const CREDENTIALS = ['authorization', 'cookie', 'host', 'proxy-authorization']

/** Whether fetch would go on to the answer's `Location`. */
export function isRedirectAnswer({ status, headers }: Answer): boolean {
  return REDIRECTS.has(status) && headers.has('location')
}

/** Where a redirect leads: method, body and headers change as the Fetch standard says (§4.4, HTTP-redirect fetch). */
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
