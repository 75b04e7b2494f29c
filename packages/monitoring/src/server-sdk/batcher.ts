import { runInContext } from '../tracing/context.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/**
 * Maximum milliseconds that an item waits to be sent with others. A guess: a trace is rarely viewed within a second,
 * and an item that is sent alone costs the server, the disk and the provider three times as much.
 */
const LONGEST = 1_000

/** Size of a batch that is sent without waiting longer. A guess. */
const ENOUGH = 32

/** Collects items that no caller waits for, to send them together. */
export class Batcher<T> {
  readonly #take: (things: T[]) => void
  #waiting: T[] = []
  #timer: NodeJS.Timeout | undefined

  /** @param take receives the items, outside of every request */
  constructor(take: (things: T[]) => void) {
    this.#take = take
  }

  add(thing: T): void {
    this.#waiting.push(thing)
    if (this.#waiting.length === ENOUGH) this.release()
    else
      this.#timer ??= runInContext(undefined, () =>
        setTimeout(
          safeCallback(() => this.release()),
          LONGEST
        ).unref()
      )
  }

  /** Takes all items now. */
  release(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const things = this.#waiting
    this.#waiting = []
    runInContext(undefined, () => this.#take(things))
  }
}
