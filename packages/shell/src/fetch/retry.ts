import { fullJitter } from '@hull/common/full-jitter.ts'
import { FetchFailed } from '../errors.ts'
import { FETCH_RETRIES } from '@hull/common/constants.ts'
import { toHandledPromise } from '../server/handled-promise.ts'
import { openDeadline, type Deadline, type DeadlineOptions } from './deadline.ts'
import { markExhausted } from './depth.ts'
import { statusOf } from '@hull/common/http/status-of.ts'
import { describe, isOwnFailure, isRetryable, retryAfterOf } from './failure.ts'
import { readProperty } from '@hull/common/readable-error.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/** Runs `fn` under the retry policy of page data: 1 + 3 attempts inside one deadline. */
export type Retry = <T>(fn: (attempt: { number: number; signal: AbortSignal }) => Promise<T>) => Promise<T>

export interface AttemptInfo {
  /** 1 for the first. */
  number: number
  /** Attempts there may be. */
  of: number
}

export interface AttemptReport extends AttemptInfo {
  /** Why the attempt failed. */
  error?: unknown
  /** The status of the answer or of the error, where there is one. */
  status?: number
  /** Milliseconds until the next attempt; undefined when there is none. */
  delay?: number
}

/** Goes around one attempt, for a span: must call `run` once and hand on what becomes of it. */
export type WrapAttempt<Info extends AttemptInfo = AttemptInfo> = <T>(info: Info, run: () => Promise<T>) => Promise<T>

/** Full jitter: before retry n, a random wait from 0 to `min(cap, base * 2 ** (n - 1))` milliseconds. */
export interface Backoff {
  base: number
  cap: number
}

/** Ours: a visitor is waiting, so three retries add 350 ms on average and 700 at most. */
export const BACKOFF: Backoff = { base: 100, cap: 1_000 }

/** Milliseconds for all attempts and the waits between them; FETCH_TIMEOUT's default. */
export const FETCH_TIMEOUT = 8_000

export interface RetryOptions {
  /** Milliseconds for all attempts and waits together. @default FETCH_TIMEOUT */
  timeout?: number
  /** Ends everything at once when aborted: the visitor has left (APP_CLIENT_GONE), or the reason where it is coded. */
  signal?: AbortSignal
  /** @default BACKOFF */
  backoff?: Backoff
  /** Called after each attempt, for counting. */
  onAttempt?: (report: AttemptReport) => void
  wrapAttempt?: WrapAttempt
}

export interface Attempt {
  number: number
  /** Aborted when this attempt is given up. */
  signal: AbortSignal
}

/** What is tried, for the message of APP_FETCH_FAILED: a method and an address. Asked for on failure only. */
export type Subject = () => readonly [method: string, target: string]

/**
 * The policy of page data for what is no fetch. An attempt fails by rejecting; one that rejects with a status
 * below 500 (`statusCode` or `status`), an outcome or a redirect is not repeated and its error is thrown as it
 * is. `headers['retry-after']` of an error is honoured. What still fails is APP_FETCH_FAILED.
 */
export function createRetry(options: RetryOptions = {}): Retry {
  return function retry(fn) {
    return toHandledPromise(
      runAttempts(fn, () => ['ctx.retry', fn.name || 'function'], options),
      retry
    )
  }
}

/** Runs `fn` until it resolves, at most `1 + retries` times, and never past the deadline. */
export async function runAttempts<T>(
  fn: (attempt: Attempt) => Promise<T>,
  subject: Subject,
  options: RetryOptions & Pick<DeadlineOptions, 'caller'> & { retries?: number }
): Promise<T> {
  const { timeout = FETCH_TIMEOUT, retries = FETCH_RETRIES, backoff = BACKOFF, onAttempt } = options
  const deadline = openDeadline({ timeout, visitor: options.signal, caller: options.caller })
  const of = retries + 1
  let last: unknown
  try {
    deadline.signal.throwIfAborted()
    for (let number = 1; ; number++) {
      try {
        const value = await runAttempt(fn, { number, of }, deadline, options.wrapAttempt)
        onAttempt?.({ number, of, status: statusOf(value) })
        return value
      } catch (error) {
        const wanted = number < of && mayRepeat(error) ? delayAfter(error, number, backoff) : undefined
        const delay = !deadline.signal.aborted && wanted !== undefined && wanted < deadline.left() ? wanted : undefined
        onAttempt?.({ number, of, error, status: statusOf(error), delay })
        last = deadline.signal.aborted ? last : error
        if (delay !== undefined) await deadline.wait(delay)
        if (deadline.signal.aborted || delay === undefined) {
          throw toFailure(last, { subject, number, timeout, deadline, tooLong: wanted !== undefined })
        }
      }
    }
  } catch (error) {
    if (isOwnFailure(error)) markExhausted()
    throw error
  } finally {
    deadline.close()
  }
}

async function runAttempt<T>(
  fn: (attempt: Attempt) => Promise<T>,
  info: AttemptInfo,
  deadline: Deadline,
  wrapAttempt?: WrapAttempt
): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  const giveUp = (reason: unknown) => controller.abort(reason)
  const end = safeCallback(() => giveUp(deadline.signal.reason))
  const run = async () => await untilAborted(fn({ number: info.number, signal }), signal)

  deadline.signal.addEventListener('abort', end, { once: true })
  try {
    return await (wrapAttempt === undefined ? run() : wrapAttempt(info, run))
  } catch (error) {
    giveUp(error)
    throw error
  } finally {
    deadline.signal.removeEventListener('abort', end)
  }
}

/** The promise, or the signal's reason as soon as it is aborted: not everything we run heeds its signal. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}

function mayRepeat(error: unknown): boolean {
  return isRetryable(error) && readProperty(error, 'exhausted') !== true
}

/** Milliseconds to wait after attempt `number`: never sooner than the server asked, and not all clients at once. */
function delayAfter(error: unknown, number: number, { base, cap }: Backoff): number {
  return (retryAfterOf(error) ?? 0) + fullJitter(base, number - 1, cap)
}

interface Ended {
  subject: Subject
  number: number
  timeout: number
  deadline: Deadline
  tooLong: boolean
}

/** What the caller is told; `error` is the last that was not the end of the deadline. */
function toFailure(error: unknown, { subject, number, timeout, deadline, tooLong }: Ended): unknown {
  if (deadline.signal.aborted && !deadline.expired()) return deadline.signal.reason
  const reasons = error === undefined ? [] : [describe(error)]
  if (deadline.expired()) reasons.push(`not done within ${timeout} ms`)
  else if (!isRetryable(error)) return error
  else if (tooLong) reasons.push(`the next attempt would be later than ${timeout} ms`)
  return new FetchFailed(...subject(), number, reasons.join('; '), { cause: error ?? deadline.signal.reason })
}
