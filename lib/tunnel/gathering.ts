/** Milliseconds that something waits for company at most. A guess: what a commit and a delivery cost alone, ten then share. */
const LONGEST = 100

/** How many go without waiting longer: half of what the SDK lets be under way. */
const ENOUGH = 32

/** Lets what nobody waits for go together: the thread is woken, and the disk asked, once for all of it. */
export class Gathering {
  #waiting: { gone: PromiseWithResolvers<void>; count: number; timer: NodeJS.Timeout } | undefined

  /** Resolves at the same moment for all that came in the meantime. */
  join(): Promise<void> {
    const waiting = (this.#waiting ??= {
      gone: Promise.withResolvers(),
      count: 0,
      timer: setTimeout(() => this.release(), LONGEST)
    })
    if (++waiting.count === ENOUGH) this.release()
    return waiting.gone.promise
  }

  /** All go now. */
  release(): void {
    clearTimeout(this.#waiting?.timer)
    this.#waiting?.gone.resolve()
    this.#waiting = undefined
  }
}
