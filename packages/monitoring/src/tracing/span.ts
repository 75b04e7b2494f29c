import { createContext, currentContext, runInContext, type TraceContext } from './context.ts'
import { isThenable } from '@hull/common/is-thenable.ts'
import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'

/** Description of a span. */
export interface SpanInfo {
  /** Kind of work, such as `getData`; spans are grouped by it. */
  op: string
  /** Name within the kind, such as a route pattern. Never contains input of a visitor. */
  name: string
  attributes?: Record<string, string | number | boolean | undefined>
  /** 16 hexadecimal digits. @default random */
  id?: string
}

/** How a span ended: successfully, with an error, or with an HTTP status. */
export interface SpanEnding {
  error?: unknown
  status?: number
  /** Replaces the name of the span. */
  name?: string
}

/** Op of the span of an outgoing request. */
export const HTTP_CLIENT = 'http.client'

/** A span that is being recorded. */
export interface OpenSpan {
  /** 16 hexadecimal digits. */
  readonly id: string
  /** Kind of work, as in {@link SpanInfo}. */
  readonly op: string
  /** Ends the span. A second call does nothing. */
  end: (ending?: SpanEnding) => void
}

/** Records spans. */
export interface Recorder {
  /** Whether spans can be recorded. If false, no spans should be opened. */
  readonly isReady: boolean
  /** Opens a span below the innermost open span of the current context. */
  open: (info: SpanInfo) => OpenSpan
  /** Opens the first span of a context. */
  enter: (context: TraceContext, info: SpanInfo) => OpenSpan
}

/** Span in which each error was first thrown. */
const failedIn = new WeakMap<object, OpenSpan>()

/**
 * Returns the innermost span that ended with `error`, and forgets it, because another request may fail with the same
 * object; undefined if there is none.
 */
export function takeFailedSpan(error: unknown): OpenSpan | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const span = failedIn.get(error)
  failedIn.delete(error)
  return span
}

/**
 * Runs `fn` inside a span, which ends when the returned value has settled. If the request is not recorded, only `fn` is
 * called.
 * @param toEnding converts the returned value to the ending of the span
 */
export function inSpan<T>(
  info: SpanInfo,
  fn: (span?: OpenSpan) => T,
  toEnding: (value: Awaited<T>) => SpanEnding | undefined = () => undefined
): T {
  const context = currentContext()
  const recorder = context?.span && context.trace?.recorder
  if (!recorder) return fn()
  const span = recorder.open(info)
  try {
    const result = runInContext(createContext({ span }, context), () => fn(span))
    if (!isThenable(result)) {
      span.end(toEnding(result as Awaited<T>))
      return result
    }
    return result.then(
      (value) => {
        span.end(toEnding(value as Awaited<T>))
        return value
      },
      (error: unknown) => {
        endThrown(span, error)
        throw error
      }
    ) as T
  } catch (error) {
    endThrown(span, error)
    throw error
  }
}

function endThrown(span: OpenSpan, error: unknown) {
  if (isRedirect(error)) return span.end()
  if (isOutcome(error)) return span.end({ status: error.statusCode })
  failSpan(span, error)
}

/** Ends a span with an unexpected error, and remembers where the error was thrown. */
export function failSpan(span: OpenSpan, error: unknown): void {
  if (typeof error === 'object' && error !== null && !failedIn.has(error)) failedIn.set(error, span)
  span.end({ error })
}
