import type { IncomingHttpHeaders } from 'node:http'

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
