/** Pseudo-random numbers, the same in every run. */
export class Random {
  #state: number

  constructor(seed = 1) {
    this.#state = seed >>> 0
  }

  /** Returns a number from 0 to 1, exclusive. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns an integer from 0 to `below`, exclusive. */
  below(below: number): number {
    return Math.floor(this.next() * below)
  }

  /** Returns an integer between the two numbers, inclusive. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  /** Picks an item; the first items are more frequent than the last. */
  pickSkewed<T>(items: readonly T[], skew = 2.5): T {
    return items[Math.floor(items.length * this.next() ** skew)]!
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits)
      text += Math.floor(this.next() * 2 ** 32)
        .toString(16)
        .padStart(8, '0')
    return text.slice(0, digits)
  }

  /** Returns a positive number around `median`, with a long tail. */
  skewed(median: number, spread = 0.6): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next())
    return median * Math.exp(normal * spread)
  }
}
