import type { FastifyRequest, HookHandlerDoneFunction, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { isCrossSite, originOf } from '@hull/common/http/request.ts'
import { CrossSiteRequest, RouteOrigin } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Other origins whose pages may send requests that change something, and open WebSockets; `'*'` for any origin. An
     * entry that is no origin is APP_ROUTE_ORIGIN at the start.
     * @default none
     */
    allowedOrigins?: '*' | readonly string[]
  }
}

export interface CrossSiteOptions {
  /**
   * Origin that visitors use.
   * @default the origin of each request
   */
  baseUrl?: string
}

/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Refuses requests from pages of other sites that change something, and their WebSockets, on all routes that are
 * registered afterwards. Pages and the tunnel have the same rule of their own. Routes with safe methods have no hook.
 */
export default fp<CrossSiteOptions>(
  async function crossSite(app, { baseUrl }) {
    app.addHook('onRoute', function protectRoute(route) {
      const { isPage, isTunnel, allowedOrigins = [] } = route.config ?? {}
      if (allowedOrigins === '*' || isPage || isTunnel || !(isWebSocket(route) || isUnsafe(route))) return
      for (const origin of allowedOrigins)
        if (URL.parse(origin)?.origin !== origin) throw new RouteOrigin(route.url, origin)
      route.onRequest = [createCheck(allowedOrigins, baseUrl), route.onRequest ?? []].flat()
    })
  },
  { name: 'cross-site', fastify: '5.x' }
)

function createCheck(allowedOrigins: readonly string[], baseUrl: string | undefined) {
  return function refuseCrossSite(request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction) {
    const { method, headers } = request
    if (SAFE.has(method) && headers.upgrade === undefined) return done()
    const isRefused = isCrossSite(headers, originOf(request, baseUrl)) && !allowedOrigins.includes(headers.origin ?? '')
    done(isRefused ? new CrossSiteRequest() : undefined)
  }
}

const isUnsafe = ({ method }: RouteOptions) => [method].flat().some((name) => !SAFE.has(name))

/** Options of @fastify/websocket. Browsers open WebSockets to every origin, and send cookies. */
const isWebSocket = (route: RouteOptions & { websocket?: boolean; wsHandler?: unknown }) =>
  route.websocket === true || route.wsHandler !== undefined
