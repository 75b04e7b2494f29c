import { AsyncLocalStorage } from 'node:async_hooks'
import type { Scope } from '@sentry/core'
import type { OwnCall } from './fetch/depth.ts'
import type { RequestTrace } from './tracing/request-trace.ts'
import type { OpenSpan } from './tracing/span.ts'

/** What of the SDK goes with a piece of code. */
export interface Scopes {
  scope: Scope
  isolationScope: Scope
}

/**
 * What code knows of the request it runs for, however many turns of the event loop later. One object for depth, trace
 * and the SDK's scopes: each storage of its own would be entered on every request.
 * @see docs/decisions/017-one-async-context.md
 */
export interface AsyncContext {
  /** The call of an own route that this runs inside of; undefined in the visitor's own request. */
  readonly own: OwnCall | undefined
  /** Undefined outside of requests. */
  readonly trace: RequestTrace | undefined
  /** The innermost open span; undefined where the request is not recorded. */
  span: OpenSpan | undefined
  /** Made when the SDK first asks for them. */
  scopes: Scopes | undefined
  /** Where this one was entered from. */
  readonly outer: AsyncContext | undefined
}

const storage = new AsyncLocalStorage<AsyncContext | undefined>()

/** For libraries that enter a context by themselves: those of Node's diagnostics channels are bound to a storage. */
export const contextStorage: AsyncLocalStorage<AsyncContext | undefined> = storage

/** The context this code runs in; undefined outside of requests. */
export const currentContext = (): AsyncContext | undefined => storage.getStore()

/** Runs `fn`, and whatever it starts, in a context; undefined takes it out of every request. */
export const runInContext = <T>(context: AsyncContext | undefined, fn: () => T): T => storage.run(context, fn)

/** A context inside the current one that differs in what is given. */
export function createContext(
  changes: Partial<Pick<AsyncContext, 'own' | 'trace' | 'span' | 'scopes'>>,
  outer = storage.getStore()
): AsyncContext {
  return { own: outer?.own, trace: outer?.trace, span: outer?.span, scopes: undefined, outer, ...changes }
}
