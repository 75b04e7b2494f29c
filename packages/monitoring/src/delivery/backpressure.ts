/**
 * Which part of its attempts a queue makes while many senders wait: what comes in goes first, and to deliver costs as
 * much as to take. A guess.
 */
const SHARE = 1 / 8

/** Milliseconds in which it makes them: a provider that answers at once must not bring the next ones forward. A guess. */
const INTERVAL = 10

/** Milliseconds for which a crowd delays deliveries. A longer one is a steady rate, and would fill the spool. A guess. */
const LONGEST_BURST = 2_000

/** Milliseconds without a crowd after which the next one counts as new: a steady rate has short gaps. A guess. */
const GAP = 1_000

/** Limits attempts to deliver during a burst of envelopes, in favour of intake. */
export class Backpressure {
  readonly #concurrency: number
  readonly #share: number
  /** When the crowd began, and when it was last seen. */
  #since = 0
  #seen = -Infinity
  #until = 0
  #begun = 0

  /** @param concurrency attempts at once without a crowd */
  constructor(concurrency: number) {
    this.#concurrency = concurrency
    this.#share = Math.max(1, Math.floor(concurrency * SHARE))
  }

  /** When attempts begin to count anew. */
  get until(): number {
    return this.#until
  }

  /** Asked before each attempt while there is a crowd; a yes counts as one. */
  mayBegin(now: number, underWay: number): boolean {
    if (now - this.#seen > GAP) this.#since = now
    this.#seen = now
    if (now - this.#since >= LONGEST_BURST) return underWay < this.#concurrency
    if (now >= this.#until) {
      this.#until = now + INTERVAL
      this.#begun = 0
    }
    return underWay < this.#share && this.#begun++ < this.#share
  }
}
