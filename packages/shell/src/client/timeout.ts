/** Something took longer than it may. */
export class Overdue extends Error {
  override readonly name = 'Overdue'
}

/**
 * Bounds a wait.
 * @param limit milliseconds; what has settled already is in time by any limit
 * @throws Overdue when the promise has not settled by then
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

/** @returns whether the task that called this is still running, its microtasks included */
export function watchTask(): () => boolean {
  let isRunning = true
  setTimeout(() => {
    isRunning = false
  })
  return () => isRunning
}
