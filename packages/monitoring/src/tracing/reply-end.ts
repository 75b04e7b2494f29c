import type { FastifyInstance, FastifyRequest } from 'fastify'
import { safeCallback } from '@hull/common/safe-callback.ts'

/** Status of a request whose client disconnected before the headers were sent, as nginx logs it. */
const CLIENT_LEFT = 499

interface ReplyEnd {
  request: FastifyRequest
  status: number
}

/**
 * Calls `fn` when a request has ended, with or without an answer. Uses the decorator `onReplyClose` if there is one, or
 * its own listener.
 */
export function onReplyEnd(app: FastifyInstance, fn: (end: ReplyEnd) => void): void {
  if (app.hasDecorator('onReplyClose')) {
    app.getDecorator<(fn: (end: ReplyEnd) => void) => void>('onReplyClose')(fn)
    return
  }
  app.addHook('onRequest', function followReply(request, { raw }, done) {
    // Events contain the address later. Node caches an address that was read once, but cannot read it after the socket
    // is closed.
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
