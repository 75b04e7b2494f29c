import { runInContext } from '../tracing/context.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/**
 * Maximum milliseconds that an item waits to be sent with others. A guess: a trace is rarely viewed within a second,
 * and an item that is sent alone costs the server, the disk and the provider three times as much.
 */
const MAX_DELAY = 1_000

/** Size of a batch that is sent without waiting longer. A guess. */
const MAX_ITEMS = 32

/** Collects items that no caller waits for, to send them together. */
export class Batcher<T> {
  readonly #send: (items: T[]) => void
  #waiting: T[] = []
  #timer: NodeJS.Timeout | undefined

  /** @param send receives the items, outside of every request */
  constructor(send: (items: T[]) => void) {
    this.#send = send
  }

  add(item: T): void {
    this.#waiting.push(item)
    if (this.#waiting.length === MAX_ITEMS) this.release()
    else
      this.#timer ??= runInContext(undefined, () =>
        setTimeout(
          safeCallback(() => this.release()),
          MAX_DELAY
        ).unref()
      )
  }

  /** Sends all items now. */
  release(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const items = this.#waiting
    this.#waiting = []
    runInContext(undefined, () => this.#send(items))
  }
}
