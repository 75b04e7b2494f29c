import { ERROR_QUEUE, ERROR_QUEUE_SIZE, type ErrorQueue, type ReactError } from '../../lib/common/monitoring.ts'

/** The errors of this document that nobody has taken yet; none where nobody will. */
export const errorQueue = (): ErrorQueue | undefined => (self as unknown as Record<string, ErrorQueue>)[ERROR_QUEUE]

/** Tells of an error that React has met; the browser itself tells of all others. */
export function tellError(told: ReactError): void {
  const queue = errorQueue()
  if (!queue) return
  if (queue.length < ERROR_QUEUE_SIZE) queue.push(told)
  else queue.lost = (queue.lost ?? 0) + 1
}

/** Whether the server knows of it already, and has told. */
export const isTold = (error: unknown): error is { digest: string } =>
  typeof error === 'object' && error !== null && 'digest' in error && typeof error.digest === 'string'
