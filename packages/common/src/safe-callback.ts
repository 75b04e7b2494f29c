/**
 * Wraps a function that the event loop calls: a listener, or the callback of a timer. An error thrown there would end
 * the process. In a safe callback it becomes an unhandled rejection, which is logged and reported with its request
 * while the server continues.
 * @see docs/decisions/031-failures-outside-of-requests.md
 */
export function safeCallback<This, Args extends unknown[]>(
  fn: (this: This, ...args: Args) => unknown
): (this: This, ...args: Args) => void {
  return function runSafely(...args) {
    try {
      void fn.apply(this, args)
    } catch (error) {
      void Promise.reject(error)
    }
  }
}
