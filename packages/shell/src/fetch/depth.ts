import { createContext, currentContext, runInContext, type InnerCall } from '@hull/common/async-context.ts'
import { FetchDepth } from '../errors.ts'

/**
 * Maximum depth of own routes that call each other with ctx.fetch. A guess: deeper nesting is a page that fetches
 * itself.
 */
const MAX_FETCH_DEPTH = 4

/** Returns the number of nested ctx.fetch calls of own routes around this code; 0 in the visitor's own request. */
export function fetchDepth(): number {
  return currentContext()?.innerCall?.depth ?? 0
}

/** Whether this code answers a call of an own route, not a visitor's request. */
export const isInnerRequest = (): boolean => fetchDepth() > 0

/** Runs `call` one level deeper. @throws APP_FETCH_DEPTH beyond {@link MAX_FETCH_DEPTH} */
export function runInnerCall<T>(call: (innerCall: InnerCall) => T): T {
  const innerCall = { depth: fetchDepth() + 1, exhausted: false }
  if (innerCall.depth > MAX_FETCH_DEPTH) throw new FetchDepth(MAX_FETCH_DEPTH)
  return runInContext(createContext({ innerCall }), () => call(innerCall))
}

/**
 * Marks the own-route call around this code, if any, as out of retries, so that its caller does not retry as well: four
 * attempts at each of four depths would be 256 requests for one page.
 */
export function markRetriesExhausted(): void {
  const innerCall = currentContext()?.innerCall
  if (innerCall !== undefined) innerCall.exhausted = true
}
