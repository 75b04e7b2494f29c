import { isOutcome, isRedirect } from '../common/outcomes.ts'
import { parseRetryAfter } from './retry-after.ts'

/** A 5xx answer to a call that may be repeated. */
export class ServerAnswer extends Error {
  override readonly name = 'ServerAnswer'
  readonly statusCode: number
  readonly headers: { 'retry-after'?: string }
  /** Our own route answered after retries of its own; repeating it would multiply them. */
  readonly exhausted: boolean

  constructor(statusCode: number, retryAfter: string | null, exhausted: boolean) {
    super(`answered ${statusCode}`)
    this.statusCode = statusCode
    this.headers = retryAfter === null ? {} : { 'retry-after': retryAfter }
    this.exhausted = exhausted
  }
}

/**
 * Whether another attempt could help. Not for what a page says on purpose (an outcome, a redirect), not for a
 * status below 500, and not for what has been through ctx.fetch already; anything else is taken for a failed
 * connection.
 */
export function isRetryable(error: unknown): boolean {
  if (isOutcome(error) || isRedirect(error) || isOwnFailure(error)) return false
  const status = statusOf(error)
  return status === undefined || status >= 500
}

/** Whether `error` is one of ctx.fetch's coded errors, which are final. */
export function isOwnFailure(error: unknown): boolean {
  const code = read(error, 'code')
  return typeof code === 'string' && code.startsWith('APP_FETCH_')
}

/** The HTTP status that an error carries or a Response has. */
export function statusOf(value: unknown): number | undefined {
  const status = read(value, 'statusCode') ?? read(value, 'status')
  return typeof status === 'number' ? status : undefined
}

/** Milliseconds that the server asked for, in the `headers` which a ServerAnswer, an http-error or undici's error has. */
export function retryAfterOf(error: unknown): number | undefined {
  const value = read(read(error, 'headers'), 'retry-after')
  return typeof value === 'string' || typeof value === 'number' ? parseRetryAfter(String(value)) : undefined
}

/** An error in a few words: undici's "fetch failed" says nothing without the code of its cause. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const why = read(error.cause, 'code') ?? read(error.cause, 'message') ?? read(error, 'code')
  return why === undefined ? error.message : `${error.message} (${String(why)})`
}

function read(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}
