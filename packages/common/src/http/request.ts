import type { IncomingHttpHeaders } from 'node:http'

/** The path of a request's URL, without its query. */
export function pathOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? url : url.slice(0, at)
}

/** The query of a request's URL with its question mark, as `location.search` has it: empty where there is none. */
export function searchOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 || at === url.length - 1 ? '' : url.slice(at)
}

/**
 * The URL without the one slash too many at the end of its path, query kept; undefined where there is none, and for a
 * path with another empty segment, `//host/` among them.
 */
export function withoutTrailingSlash(url: string): string | undefined {
  const path = pathOf(url)
  if (path.length === 1 || !path.endsWith('/') || path.includes('//')) return undefined
  return path.slice(0, -1) + url.slice(path.length)
}

/**
 * The application's origin: the one that is configured, else the one of the request, which the visitor chooses. A request
 * in HTTP/1.0 may have no host.
 */
export function originOf({ protocol, host }: { protocol: string; host: string }, baseUrl?: string): string {
  return baseUrl ?? `${protocol}://${host || 'localhost'}`
}

/**
 * Whether a request that changes something comes from another site: by `Sec-Fetch-Site` where the browser sends it,
 * else by `Origin` against the application's own. A client that sends neither is no browser, and carries no visitor's
 * cookies by itself.
 */
export function isCrossSite(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const from = headers.origin
  if (from === undefined) return false
  return !URL.canParse(from) || !URL.canParse(origin) || new URL(from).origin !== new URL(origin).origin
}
