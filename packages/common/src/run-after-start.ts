/** The parts of a Fastify instance that are used here. */
interface Server {
  hasDecorator: (name: string) => boolean
  addHook: (name: 'onListen', hook: () => Promise<void>) => unknown
  afterStart?: (fn: () => unknown) => void
}

/** Runs `fn` behind the start: by the decorator `afterStart`, or where the server has none, once it listens. */
export function runAfterStart(app: Server, fn: () => unknown): void {
  if (app.hasDecorator('afterStart')) return app.afterStart!(fn)
  app.addHook('onListen', async function startLate() {
    await fn()
  })
}

/** What is used of the decorator `drain`, where a server has it. */
export interface Drain {
  /** Runs `fn` when the server shuts down, after open responses have finished. */
  onDrain: (fn: () => unknown) => void
}
