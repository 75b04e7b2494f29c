import type { Metrics } from './metrics.ts'

/* Functions for plugins that also work on a Fastify server without the plugins of @hull/shell. */

/** Parts of a Fastify instance that are used here. */
interface Server {
  hasDecorator: (name: string) => boolean
  addHook: (name: 'onListen' | 'onReady', hook: () => Promise<void>) => unknown
  afterStart?: (fn: () => unknown) => void
  drain?: { onDrain: (fn: (timeLeft: number) => unknown) => void }
  metrics?: Metrics
}

/** Returns the decorator `metrics`, which a plugin that is registered before adds; undefined without it. */
export const findMetrics = (app: Server): Metrics | undefined => (app.hasDecorator('metrics') ? app.metrics : undefined)

/** Runs `fn` after the start: with the decorator `afterStart`, or else once the server listens. */
export function runAfterStart(app: Server, fn: () => unknown): void {
  if (app.hasDecorator('afterStart')) return app.afterStart!(fn)
  app.addHook('onListen', async function startLate() {
    await fn()
  })
}

/**
 * Runs `fn` when the server shuts down, after open responses have finished, with the milliseconds that it may use.
 * Without the decorator `drain`, it never runs. A plugin that is registered later may add the decorator.
 */
export function runOnDrain(app: Server, fn: (timeLeft: number) => unknown): void {
  app.addHook('onReady', async function addDrainFunction() {
    if (app.hasDecorator('drain')) app.drain!.onDrain(fn)
  })
}
