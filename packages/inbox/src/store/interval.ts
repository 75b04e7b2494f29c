/** Says when work is due that is done once in an interval. If the clock was set back, it is due again. */
export class Interval {
  readonly #length: number
  #next = 0

  /** @param length milliseconds */
  constructor(length: number) {
    this.#length = length
  }

  /** Whether the work is due. @param now milliseconds since the epoch */
  isDue(now: number): boolean {
    return now >= this.#next || now < this.#next - this.#length
  }

  /** Call it when the work is done. @param now milliseconds since the epoch */
  restart(now: number): void {
    this.#next = now + this.#length
  }
}
