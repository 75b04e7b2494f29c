import { fullJitter } from '@hull/common/full-jitter.ts'
import { FetchFailed } from '../errors.ts'
import type { AttemptMessage, WorkMessage } from '@hull/common/channels.ts'
import { FETCH_RETRIES } from '@hull/common/constants.ts'
import { toHandledPromise } from '../server/handled-promise.ts'
import { untilAborted } from '../server/until-aborted.ts'
import { openRetryDeadline, type RetryDeadline, type RetryDeadlineOptions } from './retry-deadline.ts'
import { markRetriesExhausted } from './depth.ts'
import { statusOf } from '@hull/common/http/status-of.ts'
import { describe, isOwnFailure, isRetryable, retryAfterOf } from './failure.ts'
import { readProperty } from '@hull/common/read-property.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/** Runs `fn` with the retry policy of page data: 1 + 3 attempts within one deadline. */
export type Retry = <T>(fn: (attempt: Attempt) => Promise<T>) => Promise<T>

export type AttemptInfo = Omit<AttemptMessage, keyof WorkMessage>

export interface AttemptReport extends AttemptInfo {
  /** Why the attempt failed. */
  error?: unknown
  /** Status of the answer or of the error, if it has one. */
  status?: number
  /** Milliseconds until the next attempt; undefined if no attempt follows. */
  delay?: number
}

/** Wraps one attempt, for a span. Must call `run` once and return its result or throw its error. */
export type WrapAttempt<Info extends AttemptInfo = AttemptInfo> = <T>(info: Info, run: () => Promise<T>) => Promise<T>

/** Full jitter: before retry n, a random wait from 0 to `min(cap, base * 2 ** (n - 1))` milliseconds. */
export interface Backoff {
  base: number
  cap: number
}

/** Our choice: a visitor is waiting, so three retries add 350 ms on average and 700 at most. */
const BACKOFF: Backoff = { base: 100, cap: 1_000 }

/** Milliseconds for all attempts and the waits between them; default of the FETCH_TIMEOUT setting. */
export const FETCH_TIMEOUT = 8_000

export interface RetryOptions {
  /** Milliseconds for all attempts and waits together. @default FETCH_TIMEOUT */
  timeout?: number
  /** Ends all attempts when aborted, with APP_CLIENT_GONE or the reason if it has a status. */
  signal?: AbortSignal
  /** @default BACKOFF */
  backoff?: Backoff
  /** Called after each attempt, for metrics. */
  onAttempt?: (report: AttemptReport) => void
  wrapAttempt?: WrapAttempt
}

export interface Attempt {
  number: number
  /** Aborted when this attempt fails or is cancelled. */
  signal: AbortSignal
}

/** Returns the method and address in the message of APP_FETCH_FAILED. Called only on failure. */
export type Subject = () => readonly [method: string, target: string]

/**
 * Creates ctx.retry, the retry policy of page data for work other than fetch. An attempt fails by rejecting. An
 * outcome, a redirect, or an error with an HTTP status below 500 (`statusCode` or `status`) is thrown unchanged without
 * another attempt. `headers['retry-after']` of an error is respected. If all attempts fail, the error is
 * APP_FETCH_FAILED.
 */
export function createRetry(options: RetryOptions = {}): Retry {
  return function retry(fn) {
    return toHandledPromise(
      runAttempts(fn, () => ['ctx.retry', fn.name || 'function'], options),
      retry
    )
  }
}

/** Runs `fn` until it resolves, at most `1 + retries` times, and never beyond the deadline. */
export async function runAttempts<T>(
  fn: (attempt: Attempt) => Promise<T>,
  subject: Subject,
  options: RetryOptions & Pick<RetryDeadlineOptions, 'caller'> & { retries?: number }
): Promise<T> {
  const { timeout = FETCH_TIMEOUT, retries = FETCH_RETRIES, backoff = BACKOFF, onAttempt } = options
  const deadline = openRetryDeadline({ timeout, visitor: options.signal, caller: options.caller })
  const maxAttempts = retries + 1
  let last: unknown
  try {
    deadline.signal.throwIfAborted()
    for (let attempt = 1; ; attempt++) {
      try {
        const value = await runAttempt(fn, { attempt, maxAttempts }, deadline, options.wrapAttempt)
        onAttempt?.({ attempt, maxAttempts, status: statusOf(value) })
        return value
      } catch (error) {
        const wanted = attempt < maxAttempts && mayRepeat(error) ? delayAfter(error, attempt, backoff) : undefined
        const delay =
          !deadline.signal.aborted && wanted !== undefined && wanted < deadline.remaining() ? wanted : undefined
        onAttempt?.({ attempt, maxAttempts, error, status: statusOf(error), delay })
        last = deadline.signal.aborted ? last : error
        if (delay !== undefined) await deadline.wait(delay)
        if (deadline.signal.aborted || delay === undefined) {
          throw toFailure(last, { subject, attempts: attempt, timeout, deadline, tooLong: wanted !== undefined })
        }
      }
    }
  } catch (error) {
    if (isOwnFailure(error)) markRetriesExhausted()
    throw error
  } finally {
    deadline.close()
  }
}

async function runAttempt<T>(
  fn: (attempt: Attempt) => Promise<T>,
  info: AttemptInfo,
  deadline: RetryDeadline,
  wrapAttempt?: WrapAttempt
): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  const end = safeCallback(() => controller.abort(deadline.signal.reason))
  const run = async () => await untilAborted(fn({ number: info.attempt, signal }), signal)

  deadline.signal.addEventListener('abort', end, { once: true })
  try {
    return await (wrapAttempt === undefined ? run() : wrapAttempt(info, run))
  } catch (error) {
    controller.abort(error)
    throw error
  } finally {
    deadline.signal.removeEventListener('abort', end)
  }
}

function mayRepeat(error: unknown): boolean {
  return isRetryable(error) && readProperty(error, 'exhausted') !== true
}

/**
 * Returns the milliseconds to wait after attempt `number`: at least `Retry-After`, plus a random time so that clients
 * do not retry together.
 */
function delayAfter(error: unknown, number: number, { base, cap }: Backoff): number {
  return (retryAfterOf(error) ?? 0) + fullJitter(base, number - 1, cap)
}

interface Ended {
  subject: Subject
  attempts: number
  timeout: number
  deadline: RetryDeadline
  tooLong: boolean
}

/**
 * Returns the error for the caller.
 * @param error the last one that was not caused by the deadline
 */
function toFailure(error: unknown, { subject, attempts, timeout, deadline, tooLong }: Ended): unknown {
  if (deadline.signal.aborted && !deadline.expired()) return deadline.signal.reason
  const reasons = error === undefined ? [] : [describe(error)]
  if (deadline.expired()) reasons.push(`not done within ${timeout} ms`)
  else if (!isRetryable(error)) return error
  else if (tooLong) reasons.push(`the next attempt would be later than ${timeout} ms`)
  return new FetchFailed(...subject(), attempts, reasons.join('; '), { cause: error ?? deadline.signal.reason })
}
