import { AsyncLocalStorage } from 'node:async_hooks'

/** One call of an own route by ctx.fetch, kept in the async context and never in a header, which a visitor could send. */
export interface OwnCall {
  /** 1 for a fetch of the visitor's request, 2 for a fetch of what that one called. */
  readonly depth: number
  /** A fetch inside this call has used up its own retries. */
  exhausted: boolean
}

/**
 * The request that code runs for, however many turns of the event loop later. Monitoring adds its trace to the same
 * object (`packages/monitoring/src/tracing/context.ts`): a second storage would be entered on every request.
 * @see docs/decisions/017-one-async-context.md
 */
export interface AsyncContext {
  /** Fastify's request; undefined outside of requests. */
  readonly request: object | undefined
  /** The call of an own route that this code runs inside of; undefined in the visitor's own request. */
  readonly own: OwnCall | undefined
  /** The context that this one was entered from. */
  readonly outer: AsyncContext | undefined
}

const storage = new AsyncLocalStorage<AsyncContext | undefined>()

/** For libraries that enter a context by themselves: those of Node's diagnostics channels are bound to a storage. */
export const contextStorage: AsyncLocalStorage<AsyncContext | undefined> = storage

/** Enters the async contexts of this module's start, which are none: also outside of those of other libraries. */
const runOutside = AsyncLocalStorage.snapshot()

/** The context this code runs in; undefined outside of requests. */
export const currentContext = (): AsyncContext | undefined => storage.getStore()

/** Runs `fn`, and whatever it starts, in a context; undefined takes it out of every request. */
export const runInContext = <T>(context: AsyncContext | undefined, fn: () => T): T => storage.run(context, fn)

/** A context inside the current one that differs in what is given. */
export function createContext(changes: Partial<Pick<AsyncContext, 'request' | 'own'>>): AsyncContext {
  const outer = storage.getStore()
  return { request: undefined, own: undefined, ...outer, ...changes, outer }
}

/**
 * Runs `fn` in the context of a request: the one that was entered for it before, or a new one inside the current
 * context. Every plugin that needs the context enters it in its first hook; the first one makes it.
 */
export function enterRequest<T>(request: object, fn: (context: AsyncContext) => T): T {
  const current = storage.getStore()
  if (current?.request === request) return fn(current)
  const context = createContext({ request })
  return storage.run(context, () => fn(context))
}

/** Runs `fn` for no request, outside of every async context. A page that fetches itself is still found by its depth. */
export function runDetached<T>(fn: () => T): T {
  const own = storage.getStore()?.own
  return runOutside(() => runInContext(createContext({ own }), fn))
}
