/** Parts of a Fastify instance that are used here. */
interface Server {
  hasDecorator: (name: string) => boolean
  addHook: (name: 'onListen', hook: () => Promise<void>) => unknown
  afterStart?: (fn: () => unknown) => void
}

/** Runs `fn` after the start: with the decorator `afterStart`, or else once the server listens. */
export function runAfterStart(app: Server, fn: () => unknown): void {
  if (app.hasDecorator('afterStart')) return app.afterStart!(fn)
  app.addHook('onListen', async function startLate() {
    await fn()
  })
}

/** Parts of the decorator `drain` that are used if a server has it. */
export interface Drain {
  /** Runs `fn` when the server shuts down, after open responses have finished, with the milliseconds that it may use. */
  onDrain: (fn: (timeLeft: number) => unknown) => void
}
