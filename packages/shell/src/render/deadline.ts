import type { ServerResponse } from 'node:http'
import { ClientGone } from '@hull/common/errors.ts'
import { RenderTimeout } from '../errors.ts'
import { isThenable } from '@hull/common/is-thenable.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { untilAborted } from '../server/until-aborted.ts'

/**
 * Aborts waiting work after a page's time limit, or when the visitor disconnects. Has no cost until something waits.
 */
export class Deadline {
  readonly #timeout: number
  readonly #response: ServerResponse | undefined
  #controller: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  #startedAt = performance.now()
  #isPaused = false

  /**
   * @param timeout milliseconds from now
   * @param response answer to the visitor; undefined if more than one visitor waits
   */
  constructor(timeout: number, response?: ServerResponse) {
    this.#timeout = timeout
    this.#response = response
  }

  /** Aborted with ClientGone or RenderTimeout as the reason. */
  get signal(): AbortSignal {
    return this.#start().signal
  }

  /** Resolves to the value, or rejects when the signal aborts. Returns a value that is no promise at once. */
  race<T>(value: T | PromiseLike<T>): T | Promise<T> {
    return isThenable(value) ? untilAborted(value, this.signal) : value
  }

  /** Stops the clock: the page is done. */
  stop(): void {
    if (!this.#controller) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#response?.off('close', this.#onClose)
  }

  /** Stops the clock while the visitor sends a body. A disconnection still aborts. */
  pause(): void {
    this.#isPaused = true
    clearTimeout(this.#timer)
  }

  /** Starts the clock again, with the whole time limit. */
  restart(): void {
    this.#isPaused = false
    clearTimeout(this.#timer)
    this.#startedAt = performance.now()
    if (this.#controller && !this.#controller.signal.aborted) this.#startTimer(this.#controller)
  }

  #startTimer(controller: AbortController): void {
    const remaining = Math.max(0, this.#timeout - (performance.now() - this.#startedAt))
    this.#timer = setTimeout(
      safeCallback(() => controller.abort(new RenderTimeout(this.#timeout))),
      remaining
    )
  }

  #start(): AbortController {
    if (this.#controller) return this.#controller
    const controller = (this.#controller = new AbortController())
    if (!this.#isPaused) this.#startTimer(controller)
    if (this.#response?.destroyed) this.#onClose()
    else this.#response?.once('close', this.#onClose)
    return controller
  }

  readonly #onClose = safeCallback(() => {
    clearTimeout(this.#timer)
    if (!this.#response!.writableEnded) this.#controller?.abort(Object.assign(new ClientGone(), { name: 'AbortError' }))
  })
}
