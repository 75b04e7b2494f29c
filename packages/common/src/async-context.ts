import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * A call of one of the application's own routes by ctx.fetch. Kept in the async context and never in a header, which a
 * visitor could send.
 */
export interface InnerCall {
  /** 1 for a fetch of the visitor's request, 2 for a fetch within that call. */
  readonly depth: number
  /** A fetch inside this call has used all of its retries. */
  exhausted: boolean
}

/**
 * The request for which code runs, even many turns of the event loop later. Monitoring adds its trace to the same
 * object (`packages/monitoring/src/tracing/context.ts`), because a second storage would have to be entered on every
 * request.
 * @see docs/decisions/017-one-async-context.md
 */
export interface AsyncContext {
  /** Fastify's request; undefined outside of requests. */
  readonly request: object | undefined
  /** The internal call that this code runs in; undefined in the visitor's own request. */
  readonly innerCall: InnerCall | undefined
  /** Context from which this one was entered. */
  readonly outer: AsyncContext | undefined
}

const storage = new AsyncLocalStorage<AsyncContext | undefined>()

/** For libraries that enter a context themselves: Node's diagnostics channels are bound to a storage. */
export const contextStorage: AsyncLocalStorage<AsyncContext | undefined> = storage

/**
 * Runs a function in the async contexts from the load of this module, which are empty. Leaves the contexts of other
 * libraries as well.
 */
const runOutside = AsyncLocalStorage.snapshot()

/** Context of the running code; undefined outside of requests. */
export const currentContext = (): AsyncContext | undefined => storage.getStore()

/** Runs `fn`, and everything that it starts, in a context; outside of every request if the context is undefined. */
export const runInContext = <T>(context: AsyncContext | undefined, fn: () => T): T => storage.run(context, fn)

/** Creates a context inside the current one, with the given changes. */
export function createContext(changes: Partial<Pick<AsyncContext, 'request' | 'innerCall'>>): AsyncContext {
  const outer = storage.getStore()
  return { request: undefined, innerCall: undefined, ...outer, ...changes, outer }
}

/**
 * Runs `fn` in the context of a request: the existing one, or a new one inside the current context. Every plugin that
 * needs the context enters it in its first hook, and the first one creates it.
 */
export function enterRequest<T>(request: object, fn: (context: AsyncContext) => T): T {
  const current = storage.getStore()
  if (current?.request === request) return fn(current)
  const context = createContext({ request })
  return storage.run(context, () => fn(context))
}

/**
 * Runs `fn` for no request, outside of every async context. Keeps the depth of internal calls, so that a page that
 * fetches itself is still detected.
 */
export function runDetached<T>(fn: () => T): T {
  const innerCall = storage.getStore()?.innerCall
  return runOutside(() => runInContext(createContext({ innerCall }), fn))
}
