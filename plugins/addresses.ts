import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { BadHost, BadUrl, MethodNotAllowed, NoPage } from '../lib/errors.ts'
import { withoutTrailingSlash } from '../lib/http/path.ts'
import { DATA_PREFIX, RESERVED_PREFIX } from '../lib/common/constants.ts'

const kPageData = Symbol('page data')
const kMalformed = Symbol('malformed')

type MarkedMessage = IncomingMessage & { [kPageData]?: true; [kMalformed]?: true }

declare module 'fastify' {
  interface FastifyRequest {
    /** The page's data is asked for, not its document. */
    readonly isPageData: boolean
  }
  interface FastifyContextConfig {
    /** The route is a page: its data can be asked for at the page-data address. */
    isPage?: boolean
  }
}

/**
 * Fastify's `rewriteUrl`. `/-/data/items?page=2` is routed as `/items?page=2` and marked, so that a page and its data
 * share one route, one guard and one order of precedence. An address that cannot be decoded is routed to where nothing
 * is, so that its refusal passes the same hooks as every other answer.
 */
export function rewriteUrl(message: IncomingMessage): string {
  const marked = message as MarkedMessage
  let url = message.url!
  if (url.startsWith(`${DATA_PREFIX}/`)) {
    marked[kPageData] = true
    url = url.slice(DATA_PREFIX.length)
  }
  if (url.includes('%') && !isDecodable(url)) {
    marked[kMalformed] = true
    return RESERVED_PREFIX
  }
  return url
}

function isDecodable(url: string): boolean {
  const end = url.search(/[?#]/)
  try {
    decodeURIComponent(end === -1 ? url : url.slice(0, end))
    return true
  } catch {
    return false
  }
}

/** Refuses malformed addresses and hosts, and keeps everything that is no page away from the page-data address. */
export default fp(
  async function addresses(app) {
    app.decorateRequest('isPageData', {
      getter(this: FastifyRequest) {
        return (this.raw as MarkedMessage)[kPageData] === true
      }
    })

    app.addHook('onRequest', function refuseAddress(request, _reply, done) {
      if ((request.raw as MarkedMessage)[kMalformed]) return done(new BadUrl())
      if (!HOST.test(request.host) || hasTwoHosts(request.raw)) return done(new BadHost())
      if (!request.isPageData) return done()
      if (request.method !== 'GET' && request.method !== 'HEAD') return done(new MethodNotAllowed(request.method))
      done(request.routeOptions.config.isPage || withoutTrailingSlash(request.url) ? undefined : new NoPage())
    })
  },
  { name: 'addresses', fastify: '5.x' }
)

/** What a page may be told to build its own origin from. Empty: HTTP/1.0 needs no Host. */
const HOST = /^[\w.:[\]-]{0,255}$/

/** Node keeps the first; a proxy in front may have gone by the other (RFC 9112 §3.2). */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}
