import type { FastifyInstance, FastifyRequest } from 'fastify'
import { safeCallback } from '@hull/common/safe-callback.ts'

/** Status of a request whose client left before there were headers, as nginx logs it. */
const CLIENT_LEFT = 499

interface ReplyEnd {
  request: FastifyRequest
  status: number
}

/** Calls `fn` when a request has ended, answered or not: by the decorator `onReplyClose`, or a listener of its own. */
export function onReplyEnd(app: FastifyInstance, fn: (end: ReplyEnd) => void): void {
  if (app.hasDecorator('onReplyClose')) {
    app.getDecorator<(fn: (end: ReplyEnd) => void) => void>('onReplyClose')(fn)
    return
  }
  app.addHook('onRequest', function followReply(request, { raw }, done) {
    // Node keeps an address that was read once, and cannot read it when the socket is closed: events tell it later.
    void request.raw.socket.remoteAddress
    raw.once(
      'close',
      safeCallback(function endReply() {
        fn({ request, status: raw.headersSent ? raw.statusCode : CLIENT_LEFT })
      })
    )
    done()
  })
}
