import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** How a request ended. */
export interface ReplyEnding {
  request: FastifyRequest
  reply: FastifyReply
  /** Milliseconds since it came. */
  duration: number
  /** What the client got: 499 when it left before there were headers. */
  status: number
  /** A page made it of its own server, while it was rendered. */
  inner: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Calls `fn` when a request is over, whether it was answered or the client left: Fastify's onResponse tells of the
     * first alone. One listener a request serves all.
     */
    onReplyClose: (fn: (ending: ReplyEnding) => void) => void
  }
}

/** Status of a request whose client left, as nginx logs it: nobody receives it. */
const CLIENT_LEFT = 499

export interface ReplyCloseOptions {
  /** Whether this code runs inside a request that a page made of its own server. @default never */
  isInner?: () => boolean
}

/** Tells when a request is over. */
export default fp<ReplyCloseOptions>(
  async function replyClose(app, { isInner = () => false }) {
    const listeners: Array<(ending: ReplyEnding) => void> = []
    app.decorate('onReplyClose', (fn) => {
      listeners.push(fn)
    })

    app.addHook('onRequest', function followReply(request, reply, done) {
      const { raw } = reply
      const start = performance.now()
      const inner = isInner()
      raw.once('close', function endReply() {
        const status = raw.headersSent ? raw.statusCode : CLIENT_LEFT
        const ending = { request, reply, status, inner, duration: performance.now() - start }
        for (const listener of listeners) listener(ending)
      })
      done()
    })
  },
  { name: 'reply-close', fastify: '5.x' }
)
