import type { FastifyInstance, FastifyRequest } from 'fastify'
import { endedStatusOf } from '@hull/common/http/ended-status.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

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
  app.addHook('onRequest', function followReply(request, reply, done) {
    // Events contain the address later. Node caches an address that was read once, but cannot read it after the socket
    // is closed.
    void request.raw.socket.remoteAddress
    reply.raw.once(
      'close',
      safeCallback(function endReply() {
        fn({ request, status: endedStatusOf(request, reply) })
      })
    )
    done()
  })
}
