import fp from 'fastify-plugin'
import { safeCallback } from '@hull/common/safe-callback.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Runs `fn` once the server has listened for a moment, one after the other: for what no page waits for. Whatever needs
     * it sooner does it sooner; where nobody listens, as in most tests, nothing else does it.
     */
    afterStart: (fn: () => unknown) => void
  }
}

/** Milliseconds: those who waited for the server to come up are answered first. A guess. */
const DELAY = 250

/** Keeps out of the start what can be done behind it. */
export default fp(
  async function afterStart(app) {
    const functions: Array<() => unknown> = []
    let timer: NodeJS.Timeout | undefined
    let isClosing = false

    app.decorate('afterStart', (fn) => {
      functions.push(fn)
    })
    app.addHook('onListen', async function waitAMoment() {
      timer = setTimeout(safeCallback(run), DELAY).unref()
    })
    // Before anything is closed: what is opened after its own onClose would stay open.
    app.addHook('preClose', async () => {
      isClosing = true
      clearTimeout(timer)
    })

    async function run() {
      for (const fn of functions) {
        if (isClosing) return
        try {
          await fn()
        } catch (err) {
          app.log.error({ err }, 'something that comes after the start failed')
        }
      }
    }
  },
  { name: 'after-start', fastify: '5.x' }
)
