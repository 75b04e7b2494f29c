import { readProperty } from '@hull/common/readable-error.ts'

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

/**
 * The same outcome as a {@link HandledPromise}. Call it at once in `entry`: the stack of an error goes on with the callers
 * of `entry`, which V8's asynchronous stack traces leave out, since they end at a promise with several listeners.
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

/** Anything may be thrown: an error that is frozen, or whose stack is no text, stays as it is. */
function addCallers(error: unknown, callers: { stack?: string }): void {
  const stack = readProperty(error, 'stack')
  const [, ...frames] = callers.stack?.split('\n') ?? []
  const missing = frames.filter((frame) => typeof stack === 'string' && !stack.includes(frame))
  if (missing.length === 0) return
  try {
    Reflect.set(error as object, 'stack', `${stack as string}\n${missing.join('\n')}`)
  } catch {
    // A proxy that refuses it.
  }
}
