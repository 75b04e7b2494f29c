import { createContext, currentContext, runInContext, type OwnCall } from '@hull/common/async-context.ts'
import { FetchDepth } from '../errors.ts'

/** Own routes that may call own routes by ctx.fetch, one inside the other. Ours: deeper than this is a page that fetches itself. */
export const MAX_FETCH_DEPTH = 4

/** How many ctx.fetch calls of own routes this code runs inside of; 0 in the visitor's own request. */
export function fetchDepth(): number {
  return currentContext()?.own?.depth ?? 0
}

/** Whether this code runs for a call of an own route, not for a visitor's request. */
export const isInnerRequest = (): boolean => fetchDepth() > 0

/** Runs `call` one level deeper. Throws APP_FETCH_DEPTH past {@link MAX_FETCH_DEPTH}. */
export function runOwnCall<T>(call: (own: OwnCall) => T): T {
  const own = { depth: fetchDepth() + 1, exhausted: false }
  if (own.depth > MAX_FETCH_DEPTH) throw new FetchDepth(MAX_FETCH_DEPTH)
  return runInContext(createContext({ own }), () => call(own))
}

/**
 * Tells the call that we are inside of, if any, that its retries are used up. Whoever made it does not retry in
 * turn: four attempts at each of four depths would be 256 requests for one page.
 */
export function markExhausted(): void {
  const own = currentContext()?.own
  if (own !== undefined) own.exhausted = true
}
