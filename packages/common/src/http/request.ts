import type { IncomingHttpHeaders } from 'node:http'

/** Path of a request's URL, without its query. */
export function pathOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? url : url.slice(0, at)
}

/** Query of a request's URL with its question mark, as in `location.search`; empty if there is none. */
export function searchOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 || at === url.length - 1 ? '' : url.slice(at)
}

/**
 * URL without a trailing slash of its path; the query is kept. Undefined if there is no trailing slash, or if browsers
 * read another host in the path, as in `//host/` and `/\host/`.
 */
export function withoutTrailingSlash(url: string): string | undefined {
  const path = pathOf(url)
  if (path.length === 1 || !path.endsWith('/') || /\/\/|\\/.test(path)) return undefined
  return path.slice(0, -1) + url.slice(path.length)
}

/**
 * URL whose path has the characters `$ & + , ; = @` as they are; the query is kept. Undefined if none of them is encoded.
 * Fastify's router finds them in a parameter in both forms, and in the rest of a route's path only in this one.
 */
export function withPlainCharacters(url: string): string | undefined {
  const path = pathOf(url)
  const plain = path.replace(/%(?:2[46BC]|3[BD]|40)/gi, decodeURIComponent)
  return plain === path ? undefined : plain + url.slice(path.length)
}

/**
 * The application's origin: as configured, or of the request, which the visitor chooses. An HTTP/1.0 request may have
 * no host.
 */
export function originOf({ protocol, host }: { protocol: string; host: string }, baseUrl?: string): string {
  return baseUrl ?? `${protocol}://${host || 'localhost'}`
}

/**
 * Whether a request that changes something comes from another site. Uses `Sec-Fetch-Site` if the browser sends it;
 * otherwise compares `Origin` with the application's own origin. A client that sends neither is not a browser, and does
 * not send a visitor's cookies by itself.
 */
export function isCrossSite(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const from = headers.origin
  if (from === undefined) return false
  return !URL.canParse(from) || !URL.canParse(origin) || new URL(from).origin !== new URL(origin).origin
}
