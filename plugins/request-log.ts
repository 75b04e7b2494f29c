import fp from 'fastify-plugin'

export interface RequestLogOptions {
  /** Whether the request was made by a page while it was rendered: logged at debug. */
  isInner?: () => boolean
}

/** One line a request, when it is over, and its id on the answer. The query is left out: it may hold secrets. */
export default fp<RequestLogOptions>(
  async function requestLog(app, { isInner = () => false }) {
    app.addHook('onRequest', function tellRequestId(request, reply, done) {
      reply.header('x-request-id', request.id)
      done()
    })

    app.addHook('onResponse', function logRequest(request, reply, done) {
      const { method, originalUrl, routeOptions } = request
      const end = originalUrl.indexOf('?')
      const line = {
        method,
        path: end === -1 ? originalUrl : originalUrl.slice(0, end),
        route: routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10
      }
      if (isInner()) request.log.debug(line, 'inner request')
      else request.log.info(line, 'request')
      done()
    })

    app.addHook('onRequestAbort', function logAbort(request, done) {
      request.log.debug({ method: request.method, route: request.routeOptions.url }, 'visitor left')
      done()
    })
  },
  { name: 'request-log', fastify: '5.x' }
)
