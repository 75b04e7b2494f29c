import { createDigest } from '../../lib/common/digest.ts'
import { ERROR_QUEUE, ERROR_QUEUE_SIZE, type ErrorQueue, type ReactError } from '../../lib/common/monitoring.ts'
import { ServerFailure } from './payload.ts'

/** Errors of this document that are not reported yet; undefined in a document that reports none. */
export const errorQueue = (): ErrorQueue | undefined => (self as unknown as Record<string, ErrorQueue>)[ERROR_QUEUE]

const digests = new WeakMap<object, string>()

/** The digest of an error that happened in the browser: the same for each mention of the same object. */
export function digestOf(error: unknown): string {
  if (!isObject(error)) return createDigest()
  let digest = digests.get(error)
  if (!digest) digests.set(error, (digest = createDigest()))
  return digest
}

/**
 * Reports an error that React, or the shell, met; the browser's own events report all others.
 * @returns the digest by which its event is found; undefined when no event is sent
 */
export function tellError(error: unknown, details: Omit<ReactError, 'error' | 'digest'>): string | undefined {
  if (isServerFailure(error)) return error.digest
  const queue = errorQueue()
  // An uncaught value that is no object is reported by the browser's own event alone.
  if (!queue || (!details.handled && !isObject(error))) return undefined
  if (queue.length >= ERROR_QUEUE_SIZE) {
    queue.lost = (queue.lost ?? 0) + 1
    return undefined
  }
  const digest = digestOf(error)
  queue.push({ ...details, error, digest })
  return digest
}

/** Whether the server reported it: not whatever has a `digest`, as errors of libraries do. */
export const isServerFailure = (error: unknown): error is ServerFailure & { digest: string } =>
  error instanceof ServerFailure && error.digest !== undefined

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
