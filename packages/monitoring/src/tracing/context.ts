import type { Scope } from '@sentry/core'
import {
  contextStorage,
  currentContext as currentAsyncContext,
  runInContext as runInAsyncContext,
  type AsyncContext
} from '@hull/common/async-context.ts'
import type { RequestTrace } from './request-trace.ts'
import type { OpenSpan } from './span.ts'

/** The SDK's scopes of a piece of code. */
export interface Scopes {
  scope: Scope
  isolationScope: Scope
}

/** The async context of a request, with its trace. */
export interface TraceContext extends AsyncContext {
  /** Undefined outside of requests, and before the trace was opened. */
  trace?: RequestTrace | undefined
  /** The innermost open span; undefined where the request is not recorded. */
  span?: OpenSpan | undefined
  /** Made when the SDK first asks for them. */
  scopes?: Scopes | undefined
  readonly outer: TraceContext | undefined
}

export { contextStorage }

/** The context this code runs in; undefined outside of requests. */
export const currentContext = currentAsyncContext as () => TraceContext | undefined

/** Runs `fn`, and whatever it starts, in a context; undefined takes it out of every request. */
export const runInContext: <T>(context: TraceContext | undefined, fn: () => T) => T = runInAsyncContext

/** A context inside `outer` that differs in what is given. The SDK's scopes are derived again. @param outer @default the current one */
export function createContext(
  changes: Partial<Pick<TraceContext, 'request' | 'own' | 'trace' | 'span' | 'scopes'>>,
  outer = currentContext()
): TraceContext {
  return {
    request: outer?.request,
    own: outer?.own,
    trace: outer?.trace,
    span: outer?.span,
    scopes: undefined,
    outer,
    ...changes
  }
}
