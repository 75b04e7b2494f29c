import { setTimeout as sleep } from 'node:timers/promises'
import { ClientGone } from '@hull/common/errors.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

export interface DeadlineOptions {
  /** Milliseconds for everything. */
  timeout: number
  /** Aborted when the visitor leaves; see {@link toGone}. */
  visitor?: AbortSignal
  /** A signal of the page's own; its reason is thrown as it is. */
  caller?: AbortSignal | null
}

/** One end for several attempts: the time is up, or nobody waits for them any more. */
export interface Deadline {
  /** Aborted at the end; its reason is what to throw, unless `expired`. */
  readonly signal: AbortSignal
  /** Whether it was the time that ended it. */
  readonly expired: () => boolean
  /** Milliseconds left. */
  readonly left: () => number
  /** Resolves after `delay` milliseconds, or at once at the end. */
  readonly wait: (delay: number) => Promise<void>
  /** Lets go of timer and signals. */
  readonly close: () => void
}

export function openDeadline({ timeout, visitor, caller }: DeadlineOptions): Deadline {
  const controller = new AbortController()
  const end = performance.now() + timeout
  let late = false

  const expire = safeCallback(() => {
    late = !controller.signal.aborted
    controller.abort()
  })
  const leave = safeCallback(() => controller.abort(toGone(visitor?.reason)))
  const cancel = safeCallback(() => controller.abort(caller?.reason))

  const timer = setTimeout(expire, timeout)
  if (visitor?.aborted) leave()
  else visitor?.addEventListener('abort', leave, { once: true })
  if (caller?.aborted) cancel()
  else caller?.addEventListener('abort', cancel, { once: true })

  return {
    signal: controller.signal,
    expired: () => late,
    left: () => end - performance.now(),
    wait: (delay) => sleep(delay, undefined, { signal: controller.signal }).catch(() => {}),
    close() {
      clearTimeout(timer)
      visitor?.removeEventListener('abort', leave)
      caller?.removeEventListener('abort', cancel)
    }
  }
}

/** The error for an abort: a coded reason (a render past its deadline) as it is, anything else APP_CLIENT_GONE. */
export function toGone(reason: unknown): Error {
  if (reason instanceof Error && 'statusCode' in reason) return reason
  return Object.assign(new ClientGone({ cause: reason }), { name: 'AbortError' })
}
