/**
 * Which part of its attempts a courier makes while many senders wait: what comes in goes first, and to deliver costs as
 * much as to take. A guess.
 */
const SHARE = 1 / 8

/** Milliseconds in which it makes them: a provider that answers at once must not bring the next ones forward. A guess. */
const INTERVAL = 10

/** Holds back attempts to deliver, in favour of what comes in. */
export class CrowdedPace {
  readonly #share: number
  #until = 0
  #begun = 0

  /** @param concurrency attempts at once without a crowd */
  constructor(concurrency: number) {
    this.#share = Math.max(1, Math.floor(concurrency * SHARE))
  }

  /** When attempts begin to count anew. */
  get until(): number {
    return this.#until
  }

  /** Asked before each attempt; a yes counts as one. */
  mayBegin(now: number, underWay: number): boolean {
    if (now >= this.#until) {
      this.#until = now + INTERVAL
      this.#begun = 0
    }
    return underWay < this.#share && this.#begun++ < this.#share
  }
}
