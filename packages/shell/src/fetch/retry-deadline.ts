import { setTimeout as sleep } from 'node:timers/promises'
import { ClientGone } from '@hull/common/errors.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

export interface RetryDeadlineOptions {
  /** Milliseconds for all attempts and waits. */
  timeout: number
  /** Aborted when the visitor leaves; see {@link toAbortError}. */
  visitor?: AbortSignal
  /** The page's own signal. Its reason is thrown unchanged. */
  caller?: AbortSignal | null
}

/** Shared by several attempts: ends when the time has passed or nobody waits for the answer. */
export interface RetryDeadline {
  /** Aborted at the end. Its reason is the error to throw, unless `expired`. */
  readonly signal: AbortSignal
  /** Whether the time has passed. */
  readonly expired: () => boolean
  /** Milliseconds left. */
  readonly remaining: () => number
  /** Resolves after `delay` milliseconds, or immediately at the end. */
  readonly wait: (delay: number) => Promise<void>
  /** Removes the timer and the listeners. */
  readonly close: () => void
}

export function openRetryDeadline({ timeout, visitor, caller }: RetryDeadlineOptions): RetryDeadline {
  const controller = new AbortController()
  const end = performance.now() + timeout
  let late = false

  const expire = safeCallback(() => {
    late = !controller.signal.aborted
    controller.abort()
  })
  const leave = safeCallback(() => controller.abort(toAbortError(visitor?.reason)))
  const cancel = safeCallback(() => controller.abort(caller?.reason))

  const timer = setTimeout(expire, timeout)
  if (visitor?.aborted) leave()
  else visitor?.addEventListener('abort', leave, { once: true })
  if (caller?.aborted) cancel()
  else caller?.addEventListener('abort', cancel, { once: true })

  return {
    signal: controller.signal,
    expired: () => late,
    remaining: () => end - performance.now(),
    wait: (delay) => sleep(delay, undefined, { signal: controller.signal }).catch(() => {}),
    close() {
      clearTimeout(timer)
      visitor?.removeEventListener('abort', leave)
      caller?.removeEventListener('abort', cancel)
    }
  }
}

/**
 * Returns the error for an abort: the reason if it has a status (such as a render past its deadline), otherwise
 * APP_CLIENT_GONE.
 */
function toAbortError(reason: unknown): Error {
  if (reason instanceof Error && 'statusCode' in reason) return reason
  return Object.assign(new ClientGone({ cause: reason }), { name: 'AbortError' })
}
