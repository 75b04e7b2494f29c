import { runInContext } from '../tracing/context.ts'
import { TRANSPORT_QUEUE_SIZE } from '@hull/common/constants.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/**
 * Milliseconds that something waits for company at most. A guess: nobody looks for a trace within the second, and what
 * goes alone costs the server, the disk and the provider three times as much.
 */
const LONGEST = 1_000

/** How many go without waiting longer: as many may still be on their way from the last time. */
const ENOUGH = TRANSPORT_QUEUE_SIZE / 2

/** Lets what nobody waits for go together. */
export class Batcher<T> {
  readonly #take: (things: T[]) => void
  #waiting: T[] = []
  #timer: NodeJS.Timeout | undefined

  /** @param take is called outside of every request */
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

  /** All go now. */
  release(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const things = this.#waiting
    this.#waiting = []
    runInContext(undefined, () => this.#take(things))
  }
}
