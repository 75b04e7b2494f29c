/** Error for an operation that took too long. */
export class Overdue extends Error {
  override readonly name = 'Overdue'
}

/**
 * Limits a wait.
 * @param limit milliseconds; an already settled promise is always in time
 * @throws Overdue if the promise has not settled in time
 */
export function within<T>(limit: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => {
        reject(new Overdue(`not there after ${limit} ms`))
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
