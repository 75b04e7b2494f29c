import fp from 'fastify-plugin'
import { safeCallback } from '@hull/common/safe-callback.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Runs `fn` 250 ms after the server listens, for work that no page needs. Functions run one after the other, and
     * not at all if the server never listens, as in most tests.
     */
    afterStart: (fn: () => unknown) => void
  }
}

/** Milliseconds between listening and this work, so that the first requests are answered first. A guess. */
const DELAY = 250

/** Runs functions after the server has started. */
export default fp(
  async function afterStart(app) {
    const functions: Array<() => unknown> = []
    let timer: NodeJS.Timeout | undefined
    let isClosing = false

    app.decorate('afterStart', (fn) => {
      functions.push(fn)
    })
    app.addHook('onListen', async function scheduleFunctions() {
      timer = setTimeout(safeCallback(run), DELAY).unref()
    })
    // preClose, not onClose: a function that opens something after its plugin's onClose would leave it open.
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
          // The end of the server closes what the function uses, such as Vite when `npm run dev` restarts.
          app.log[isClosing ? 'debug' : 'error']({ err }, 'work after the start failed')
        }
      }
    }
  },
  { name: 'after-start', fastify: '5.x' }
)
