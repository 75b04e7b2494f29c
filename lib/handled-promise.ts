const ignore = () => {}

/** Adds a listener for rejections: a rejection that nobody awaits is then no unhandled one. */
export function handleRejection<T>(promise: PromiseLike<T>): Promise<T> {
  const native = promise instanceof Promise ? promise : Promise.resolve(promise)
  Promise.prototype.then.call(native, undefined, ignore)
  return native as Promise<T>
}

/**
 * A promise that never becomes an unhandled rejection, and neither do the promises that `then`, `catch` and `finally`
 * make of it. For what a page may begin and not await, because another call fails first or the visitor leaves.
 */
class HandledPromise<T> extends Promise<T> {
  // oxlint-disable-next-line unicorn/no-thenable
  override then<Value = T, Caught = never>(
    onFulfilled?: ((value: T) => Value | PromiseLike<Value>) | null,
    onRejected?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null
  ): Promise<Value | Caught> {
    return handleRejection(super.then(onFulfilled, onRejected))
  }
}

/** The same outcome as a {@link HandledPromise}. */
export function toHandledPromise<T>(promise: Promise<T>): Promise<T> {
  return handleRejection(HandledPromise.resolve(promise))
}
