import { Server, Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { completesWithin } from '@hull/common/completes-within.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

export interface DrainLimits {
  /** Milliseconds for open responses to finish; others are cut. */
  responses: number
  /** Milliseconds for all functions of {@link Drain.onDrain} together, in addition to the time that the responses leave. */
  functions: number
}

export interface Drain {
  /** Requests in progress, including open streams. */
  readonly inFlight: number
  /** Whether the server is stopping: a response without an end, which begins now, must end at once. */
  readonly started: boolean
  /**
   * Runs `fn` when no response is open and nothing is closed yet: flush data of requests here. `app.inject` still
   * works, unlike in `onClose`. `fn` receives the milliseconds in which it must be done.
   */
  onDrain: (fn: (timeLeft: number) => unknown) => void
  /** Runs `fn` when the drain begins: end endless responses here, such as event streams. */
  onStart: (fn: () => void) => void
  /**
   * Marks the server as not ready, and closes each connection after its next response. Requests are still accepted.
   */
  announce: () => void
  /**
   * Does what `announce` does, refuses new connections, closes idle ones, waits for responses, and runs the functions.
   * Call `app.close` afterwards.
   * @returns number of responses that were cut
   */
  start: (limits: DrainLimits) => Promise<number>
}

declare module 'fastify' {
  interface FastifyInstance {
    drain: Drain
  }
}

/** Milliseconds for requests that are in transit when the last response ends. A guess. */
const SETTLE_TIME = 100

/** Decorates `app.drain`, which waits for open responses before the server closes. */
export default fp(
  async function drain(app) {
    const open = new Set<FastifyReply>()
    const sockets = new Set<Socket>()
    const functions: ((timeLeft: number) => unknown)[] = []
    const starters: (() => void)[] = []
    let announced = false
    let started = false
    let draining: Promise<number> | undefined
    let onEmpty = () => {}

    app.decorate('drain', {
      get inFlight() {
        return open.size
      },
      get started() {
        return started
      },
      onDrain(fn) {
        functions.push(fn)
      },
      onStart(fn) {
        starters.push(fn)
      },
      announce,
      start: (limits) => (draining ??= start(limits))
    })

    app.addHook('onRequest', function trackReply(request, reply, done) {
      const { socket } = request.raw
      open.add(reply)
      if (announced) announceClose(reply)
      // an injected request has no real socket
      if (!sockets.has(socket) && socket instanceof Socket) {
        sockets.add(socket)
        socket.once(
          'close',
          safeCallback(() => sockets.delete(socket))
        )
      }
      done()
    })

    app.onReplyClose(function endReply({ request, reply }) {
      open.delete(reply)
      if (!started) return
      if (open.size === 0) onEmpty()
      setImmediate(safeCallback(closeIfIdle), request.raw.socket)
    })

    function announce(): void {
      announced = true
      app.health.drain()
      for (const reply of open) announceClose(reply)
    }

    async function start({ responses, functions: functionTime }: DrainLimits): Promise<number> {
      const deadline = performance.now() + responses
      const left = () => Math.max(0, deadline - performance.now())
      started = true
      announce()
      const disconnected = stopListening()
      for (const fn of starters) void runFunction(fn)
      for (const socket of sockets) closeIfIdle(socket)
      do {
        await completesWithin(empty(), left())
        await completesWithin(disconnected, Math.min(SETTLE_TIME, left()))
      } while (open.size > 0 && left() > 0)

      const cut = open.size
      for (const reply of open) reply.raw.destroy()
      const timeLeft = left() + functionTime
      const ran = Promise.all(functions.map((fn) => runFunction(() => fn(timeLeft))))
      if (!(await completesWithin(ran, timeLeft))) app.log.error('a drain function is not done in time')
      // connections without a request, such as those that browsers open in advance, would delay app.close
      app.server.closeAllConnections()
      return cut
    }

    /**
     * Calls net's close instead of http's, which also destroys connections whose response has ended in the handler but
     * is not completely sent, so that a slow client receives half a page (Node 24, `closeIdleConnections` checks
     * `_httpMessage.finished`).
     */
    function stopListening(): Promise<void> {
      return new Promise((resolve) => {
        Server.prototype.close.call(app.server, () => resolve())
      })
    }

    function empty(): Promise<void> {
      return new Promise((resolve) => {
        onEmpty = resolve
        if (open.size === 0) resolve()
      })
    }

    /** Closes a connection that its last response, sent before the drain, left open for more requests. */
    function closeIfIdle(socket: Socket) {
      for (const { request } of open) if (request.raw.socket === socket) return
      if (socket instanceof Socket) socket.destroySoon()
    }

    async function runFunction(fn: () => unknown): Promise<void> {
      try {
        await fn()
      } catch (err) {
        app.log.error({ err }, 'a drain function failed')
      }
    }
  },
  { name: 'drain', fastify: '5.x', dependencies: ['health', 'reply-close'] }
)

function announceClose({ raw }: FastifyReply) {
  if (!raw.headersSent) raw.setHeader('connection', 'close')
}
