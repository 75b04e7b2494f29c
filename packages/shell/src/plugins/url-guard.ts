import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { attempt } from '@hull/common/attempt.ts'
import { BadHost, BadUrl, MethodNotAllowed, NoPage } from '../errors.ts'
import { pathOf, withoutTrailingSlash, withPlainCharacters } from '@hull/common/http/request.ts'
import { addBasePath, removeBasePath } from '../http/base-path.ts'
import { DATA_PREFIX, RESERVED_PREFIX } from '@hull/common/constants.ts'

const kPageData = Symbol('page data')
const kMalformed = Symbol('malformed')

type MarkedMessage = IncomingMessage & { [kPageData]?: true; [kMalformed]?: true; originalUrl?: string }

declare module 'fastify' {
  interface FastifyInstance {
    /** Prefix of all addresses of the application, such as `/shop`; empty at the root of its origin. */
    readonly basePath: string
  }
  interface FastifyRequest {
    /** True if the request is for the page's data, not for its document. */
    readonly isPageData: boolean
  }
  interface FastifyContextConfig {
    /** The route is a page: its data is available at the page-data address. */
    isPage?: boolean
  }
}

/**
 * Returns Fastify's `rewriteUrl`. Removes the base path, so that the application's code never sees it. Routes
 * `/-/data/items?page=2` as `/items?page=2` and marks the request, so that a page and its data share one route, one
 * guard and one order of precedence. Routes `http://app.example/items` as `/items`, with its host in the `Host` header
 * (RFC 9112 §3.2.2). Routes an invalid address to a path without a page, so that its refusal passes the same hooks as
 * every other answer.
 */
export const createRewriteUrl = (basePath: string) =>
  function rewriteUrl(message: IncomingMessage): string {
    const marked = message as MarkedMessage
    let url = message.url!
    const absolute = splitAbsoluteForm(url)
    if (absolute) {
      url = marked.originalUrl = absolute.url
      message.headers.host = absolute.host
    }
    if (basePath !== '') {
      const inside = removeBasePath(url, basePath, message)
      if (inside === undefined) return RESERVED_PREFIX
      url = inside
    }
    if (url.startsWith(`${DATA_PREFIX}/`)) {
      marked[kPageData] = true
      url = url.slice(DATA_PREFIX.length)
    }
    if (url.includes('#') || !(url.startsWith('/') || url === '*') || (url.includes('%') && !isDecodable(url))) {
      marked[kMalformed] = true
      return RESERVED_PREFIX
    }
    return url
  }

/** Whether the percent-encoding of a path is valid. */
export const isDecodable = (url: string): boolean => attempt(() => decodeURIComponent(pathOf(url))) !== undefined

export interface UrlGuardOptions {
  /** Prefix of all addresses, as the build has it. @default none */
  basePath?: string
}

/** Refuses invalid addresses and hosts, and restricts the page-data address to pages. */
export default fp<UrlGuardOptions>(
  async function urlGuard(app, { basePath = '' }) {
    addBasePath(app, basePath)

    app.decorateRequest('isPageData', {
      getter(this: FastifyRequest) {
        return (this.raw as MarkedMessage)[kPageData] === true
      }
    })

    app.addHook('onRequest', function refuseAddress(request, reply, done) {
      if ((request.raw as MarkedMessage)[kMalformed]) return done(new BadUrl())
      if (hasTwoHosts(request.raw) || !(isHost(request.host) || hasNoHost(request))) return done(new BadHost())
      // A question about the server, not about a resource (RFC 9110 §9.3.7).
      if (request.url === '*' && request.method === 'OPTIONS') {
        void reply.code(204).header('allow', 'GET, HEAD, POST, OPTIONS').send()
        return
      }
      if (!request.isPageData) return done()
      if (request.method !== 'GET' && request.method !== 'HEAD') return done(new MethodNotAllowed(request.method))
      if (request.routeOptions.config.isPage) return done()
      if (!(withoutTrailingSlash(request.url) || withPlainCharacters(request.url))) return done(new NoPage())
      // A page with another spelling, to which the handler of unknown addresses redirects. A route does not run.
      if (request.is404) done()
      else reply.callNotFound()
    })
  },
  { name: 'url-guard', fastify: '5.x' }
)

/** HTTP/1.0 needs no Host. Node refuses HTTP/1.1 requests without one. */
const hasNoHost = ({ raw }: FastifyRequest) => raw.headers.host === undefined

/** Node uses the first Host header; a proxy in front may have used the second (RFC 9112 §3.2). */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

/** A registered name or IPv4 address, or an IPv6 address in brackets; then a port (RFC 9110 §4.2.1, RFC 3986 §3.2.2). */
const HOST = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The last checked host: nearly all requests are for the same one. */
let lastValid = ''

/** Whether a `Host` header is one host with an optional port, so that it can be part of an origin. */
function isHost(host: string): boolean {
  if (host === lastValid && host !== '') return true
  if (!HOST.test(host) || !URL.canParse(`http://${host}`)) return false
  lastValid = host
  return true
}

/** A request target in absolute form: its authority, and path and query. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is

/**
 * Splits a target in absolute form, which a client sends to a proxy (RFC 9112 §3.2.2).
 * @returns undefined for a target in another form
 */
function splitAbsoluteForm(target: string): { host: string; url: string } | undefined {
  const match = ABSOLUTE_FORM.exec(target)
  if (!match) return undefined
  const [, host = '', rest = ''] = match
  return { host, url: rest.startsWith('/') ? rest : `/${rest}` }
}
