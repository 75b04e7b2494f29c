import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { endedStatusOf } from '@hull/common/http/ended-status.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { isInnerRequest } from '../fetch/depth.ts'

/** How a request ended. */
export interface ReplyEnding {
  request: FastifyRequest
  reply: FastifyReply
  /** Milliseconds since the request arrived. */
  duration: number
  /** Status of the response; 101 for a WebSocket; 499 if the client left before the headers were sent. */
  status: number
  /** True if `ctx.fetch` of a page made the request, in process. */
  inner: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Calls `fn` when a request has ended, whether it was answered or the client left; Fastify's onResponse is only
     * called in the first case. One listener per request serves all functions. If one throws, the others still run.
     */
    onReplyClose: (fn: (ending: ReplyEnding) => void) => void
  }
}

/** Decorates `app.onReplyClose`, which calls a function when a request has ended. */
export default fp(
  async function replyClose(app) {
    const listeners: Array<(ending: ReplyEnding) => void> = []
    app.decorate('onReplyClose', (fn) => {
      listeners.push(safeCallback(fn))
    })

    app.addHook('onRequest', function followReply(request, reply, done) {
      const start = performance.now()
      const inner = isInnerRequest()
      // Node caches the address on first read, and cannot read it after the socket has closed. Reports need it later.
      void request.raw.socket.remoteAddress
      reply.raw.once(
        'close',
        safeCallback(function endReply() {
          const status = endedStatusOf(request, reply)
          const ending = { request, reply, status, inner, duration: performance.now() - start }
          for (const listener of listeners) listener(ending)
        })
      )
      done()
    })
  },
  { name: 'reply-close', fastify: '5.x' }
)
