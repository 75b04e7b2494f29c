import type { Scope } from '@sentry/core'
import {
  contextStorage,
  currentContext as currentAsyncContext,
  runInContext as runInAsyncContext,
  type AsyncContext
} from '@hull/common/async-context.ts'
import type { RequestTrace } from './request-trace.ts'
import type { OpenSpan } from './span.ts'

/** The SDK's scopes of an async context. */
export interface Scopes {
  scope: Scope
  isolationScope: Scope
}

/** Async context of a request, with its trace. */
export interface TraceContext extends AsyncContext {
  /** Undefined outside of requests, and until the trace is opened. */
  trace?: RequestTrace | undefined
  /** Innermost open span; undefined if the request is not recorded. */
  span?: OpenSpan | undefined
  /** Created when the SDK first asks for them. */
  scopes?: Scopes | undefined
  readonly outer: TraceContext | undefined
}

export { contextStorage }

/** Context of the running code; undefined outside of requests. */
export const currentContext = currentAsyncContext as () => TraceContext | undefined

/** Runs `fn`, and everything that it starts, in a context; outside of every request if the context is undefined. */
export const runInContext: <T>(context: TraceContext | undefined, fn: () => T) => T = runInAsyncContext

/**
 * Creates a context inside `outer` with the given changes. The SDK's scopes are derived from those of `outer`.
 * @param outer @default the current context
 */
export function createContext(
  changes: Partial<Pick<TraceContext, 'request' | 'innerCall' | 'trace' | 'span' | 'scopes'>>,
  outer = currentContext()
): TraceContext {
  return {
    request: outer?.request,
    innerCall: outer?.innerCall,
    trace: outer?.trace,
    span: outer?.span,
    scopes: undefined,
    outer,
    ...changes
  }
}
