import fp from 'fastify-plugin'
import { pathOf } from '@hull/common/http/request.ts'
import { nameOfRoute } from '@hull/common/route-name.ts'

/**
 * Logs one line for each request when it has ended, and sets `x-request-id`. The line omits the query, which may
 * contain secrets.
 */
export default fp(
  async function requestLog(app) {
    app.addHook('onRequest', function setRequestIdHeader(request, reply, done) {
      reply.header('x-request-id', request.id)
      done()
    })

    app.onReplyClose(function logRequest({ request, status, duration, inner }) {
      const { method, originalUrl, log } = request
      const line = {
        method,
        path: pathOf(originalUrl),
        route: nameOfRoute(request),
        status,
        ms: Math.round(duration * 10) / 10
      }
      if (inner) log.debug(line, 'inner request')
      else log.info(line, 'request')
    })
  },
  { name: 'request-log', fastify: '5.x', dependencies: ['reply-close'] }
)
