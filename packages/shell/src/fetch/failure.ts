import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import { readProperty, toReadableError } from '@hull/common/readable-error.ts'
import { parseRetryAfter } from '@hull/common/http/retry-after.ts'
import { statusOf } from '@hull/common/http/status-of.ts'

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
  const code = readProperty(error, 'code')
  return typeof code === 'string' && code.startsWith('APP_FETCH_')
}

/** Milliseconds that the server asked for, in the `headers` which a ServerAnswer, an http-error or undici's error has. */
export function retryAfterOf(error: unknown): number | undefined {
  const value = readProperty(readProperty(error, 'headers'), 'retry-after')
  return typeof value === 'string' || typeof value === 'number' ? parseRetryAfter(String(value)) : undefined
}

/** An error in a few words: undici's "fetch failed" says nothing without the code of its cause. */
export function describe(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  const { message, cause, code } = toReadableError(error) as NodeJS.ErrnoException
  const why = readProperty(cause, 'code') ?? readProperty(cause, 'message') ?? code
  return why === undefined ? message : `${message} (${String(why)})`
}
