import type { ServerResponse } from 'node:http'
import { ClientGone } from '@hull/common/errors.ts'
import { RenderTimeout } from '../errors.ts'
import { isThenable } from '@hull/common/is-thenable.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/**
 * The time a page has, and the visitor's patience: whichever ends first ends everything that waits. Costs nothing until
 * something waits.
 */
export class Deadline {
  readonly #timeout: number
  readonly #response: ServerResponse | undefined
  #controller: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #startedAt = performance.now()

  /**
   * @param timeout milliseconds from now
   * @param response what the visitor waits for; undefined where more than one visitor does
   */
  constructor(timeout: number, response?: ServerResponse) {
    this.#timeout = timeout
    this.#response = response
  }

  /** Aborted with ClientGone or RenderTimeout as its reason. */
  get signal(): AbortSignal {
    return this.#start().signal
  }

  /** `value`, or what ends the wait for it. A value that is no promise passes at once. */
  within<T>(value: T | PromiseLike<T>): T | Promise<T> {
    return isThenable(value) ? this.#race(value) : value
  }

  #race<T>(promise: PromiseLike<T>): Promise<T> {
    const { signal } = this
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

  /** The page is done: the clock stops. */
  end(): void {
    if (!this.#controller) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#response?.off('close', this.#onClose)
  }

  #start(): AbortController {
    if (this.#controller) return this.#controller
    const controller = (this.#controller = new AbortController())
    const left = Math.max(0, this.#timeout - (performance.now() - this.#startedAt))
    this.#timer = setTimeout(
      safeCallback(() => controller.abort(new RenderTimeout(this.#timeout))),
      left
    )
    if (this.#response?.destroyed) this.#onClose()
    else this.#response?.once('close', this.#onClose)
    return controller
  }

  readonly #onClose = safeCallback(() => {
    clearTimeout(this.#timer)
    if (!this.#response!.writableFinished)
      this.#controller?.abort(Object.assign(new ClientGone(), { name: 'AbortError' }))
  })
}
