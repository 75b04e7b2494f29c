/** Error for an operation that took too long. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/**
 * Limits a wait.
 * @param limit milliseconds; an already settled promise is always in time
 * @throws TimeoutError if the promise has not settled in time
 */
export function withTimeout<T>(limit: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => {
        reject(new TimeoutError(`timed out after ${limit} ms`))
      },
      Math.max(limit, 0)
    )
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer)
    })
  })
}

/** @returns a function that returns true as long as the current task runs, including its microtasks */
export function watchTask(): () => boolean {
  let isRunning = true
  setTimeout(() => {
    isRunning = false
  })
  return () => isRunning
}
