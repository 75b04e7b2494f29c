import { attempt } from '@hull/common/attempt.ts'
import { readProperty } from '@hull/common/read-property.ts'

const ignore = () => {}

/** Adds a rejection listener, so that a rejection that is never awaited is not an unhandled one. */
export function handleRejection<T>(promise: PromiseLike<T>): Promise<T> {
  const native = promise instanceof Promise ? promise : Promise.resolve(promise)
  Promise.prototype.then.call(native, undefined, ignore)
  return native as Promise<T>
}

/**
 * A promise that never causes an unhandled rejection, and whose `then`, `catch` and `finally` return such promises too.
 * For work that a page may start and not await, because another call fails first or the visitor leaves.
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

/**
 * Returns a {@link HandledPromise} with the same result. Call it synchronously in `entry`: the callers of `entry` are
 * added to an error's stack. V8's asynchronous stack traces omit them, because they end at a promise with several
 * listeners.
 */
export function toHandledPromise<T>(promise: Promise<T>, entry: (...args: never[]) => unknown): Promise<T> {
  const callers: { stack?: string } = {}
  Error.captureStackTrace(callers, entry)
  const outcome = promise.catch((error: unknown) => {
    addCallers(error, callers)
    throw error
  })
  return handleRejection(HandledPromise.resolve(outcome))
}

/** Adds the missing callers to an error's stack. Leaves frozen errors, and those whose stack is not text, unchanged. */
function addCallers(error: unknown, callers: { stack?: string }): void {
  const stack = readProperty(error, 'stack')
  const [, ...frames] = callers.stack?.split('\n') ?? []
  const missing = frames.filter((frame) => typeof stack === 'string' && !stack.includes(frame))
  if (missing.length === 0) return
  // A proxy may refuse the change.
  attempt(() => Reflect.set(error as object, 'stack', `${stack as string}\n${missing.join('\n')}`))
}
