/** Settles like the promise, or rejects with the signal's reason on abort: not all functions obey their signal. */
export function untilAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(signal.reason as Error)
    }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).then(
      () => {
        signal.removeEventListener('abort', onAbort)
      },
      () => {}
    )
  })
}
