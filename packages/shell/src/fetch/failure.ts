import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import { readProperty } from '@hull/common/read-property.ts'
import { toReadableError } from '@hull/common/readable-error.ts'
import { parseRetryAfter } from '@hull/common/http/retry-after.ts'
import { statusOf } from '@hull/common/http/status-of.ts'

/** A 5xx answer to a repeatable call. */
export class ServerAnswer extends Error {
  override readonly name = 'ServerAnswer'
  readonly statusCode: number
  readonly headers: { 'retry-after'?: string }
  /** The own route answered after its own retries. Repeating the call would multiply them. */
  readonly exhausted: boolean

  constructor(statusCode: number, retryAfter: string | null, exhausted: boolean) {
    super(`answered ${statusCode}`)
    this.statusCode = statusCode
    this.headers = retryAfter === null ? {} : { 'retry-after': retryAfter }
    this.exhausted = exhausted
  }
}

/**
 * Whether another attempt could help. False for a page's deliberate answers (outcomes and redirects), for a status
 * below 500, and for errors of ctx.fetch. Everything else counts as a failed connection.
 */
export function isRetryable(error: unknown): boolean {
  if (isOutcome(error) || isRedirect(error) || isOwnFailure(error)) return false
  const status = statusOf(error)
  return status === undefined || status >= 500
}

/** Whether `error` is a coded error of ctx.fetch. These are final. */
export function isOwnFailure(error: unknown): boolean {
  const code = readProperty(error, 'code')
  return typeof code === 'string' && code.startsWith('APP_FETCH_')
}

/** Milliseconds in `Retry-After`, from the `headers` of a ServerAnswer, an http-error or an undici error. */
export function retryAfterOf(error: unknown): number | undefined {
  const value = readProperty(readProperty(error, 'headers'), 'retry-after')
  return typeof value === 'string' || typeof value === 'number' ? parseRetryAfter(String(value)) : undefined
}

/** Describes an error briefly. undici's "fetch failed" needs the code of its cause. */
export function describe(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  const { message, cause, code } = toReadableError(error) as NodeJS.ErrnoException
  const why = readProperty(cause, 'code') ?? readProperty(cause, 'message') ?? code
  return why === undefined ? message : `${message} (${String(why)})`
}
