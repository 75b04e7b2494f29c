import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pathOf } from '@hull/common/http/request.ts'
import { BasePathOutside } from '../errors.ts'
import { isInnerRequest } from '../fetch/depth.ts'

const kOutside = Symbol('outside of the base path')

type MarkedMessage = IncomingMessage & { [kOutside]?: true }

/** Paths for machines in the same network, which answer with and without the base path. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * Returns a request's URL without the base path. Pages call own routes without it.
 * @returns undefined if the path is not below it; the message is marked, so that the plugin refuses it
 */
export function removeBasePath(url: string, basePath: string, message: IncomingMessage): string | undefined {
  if (url.startsWith(basePath)) {
    const rest = url.slice(basePath.length)
    if (rest.startsWith('/')) return rest
    if (rest === '' || rest.startsWith('?')) return `/${rest}`
  }
  if (url === '*' || PROBES.has(pathOf(url)) || isInnerRequest()) return url
  ;(message as MarkedMessage)[kOutside] = true
  return undefined
}

/**
 * Adds the base path to redirects, which pages and routes write without it, and refuses addresses outside of it.
 * @see docs/decisions/078-base-path.md
 */
export function addBasePath(app: FastifyInstance, basePath: string): void {
  app.decorate('basePath', basePath)
  let warned = false
  const warn = (request: FastifyRequest, advice: string) => {
    if (!warned) request.log.warn(advice)
    warned = true
  }
  if (basePath === '') {
    app.addHook('onRequest', function noticePrefix(request, _reply, done) {
      if (!warned && request.headers['x-forwarded-prefix'] !== undefined) warn(request, PREFIX_ADVICE)
      done()
    })
    return
  }

  app.addHook('onRequest', function refuseOutside(request, _reply, done) {
    if (!(request.raw as MarkedMessage)[kOutside]) return done()
    warn(request, toAdvice(request, basePath))
    done(new BasePathOutside(basePath))
  })

  app.addHook('onSend', function prefixLocation(_request, reply: FastifyReply, _payload, done) {
    const location = reply.getHeader('location')
    // A page that calls the route does not see the prefix either.
    if (typeof location === 'string' && location.startsWith('/') && !location.startsWith('//') && !isInnerRequest())
      reply.header('location', basePath + location)
    done()
  })
}

const PREFIX_ADVICE =
  'A proxy sent X-Forwarded-Prefix, but the application was built without BASE_PATH, so its links lead outside of the prefix: build with BASE_PATH, and let the proxy pass the path unchanged'

function toAdvice({ originalUrl }: FastifyRequest, basePath: string): string {
  const path = pathOf(originalUrl).slice(0, 200)
  return (
    `A request for ${path} is outside of BASE_PATH=${basePath}. If the visitor asked for ${basePath}${path}, the proxy ` +
    'removes the prefix: let it pass the path unchanged (nginx: proxy_pass without a path; Caddy: handle, not ' +
    'handle_path; Traefik: no StripPrefix). If not, build without BASE_PATH, or let the proxy send only paths below it'
  )
}
