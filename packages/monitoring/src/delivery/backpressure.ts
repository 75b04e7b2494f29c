/**
 * Share of its concurrency that a queue uses during a burst: intake goes first, and a delivery costs as much as
 * accepting an envelope. A guess.
 */
const SHARE = 1 / 8

/**
 * Milliseconds in which that many attempts may begin, so that a provider that answers at once does not raise the rate.
 * A guess.
 */
const INTERVAL = 10

/**
 * Maximum milliseconds for which a burst delays deliveries. A longer burst is a steady rate and would fill the spool. A
 * guess.
 */
const LONGEST_BURST = 2_000

/** Milliseconds without a burst after which the next one counts as new: a steady rate has short gaps. A guess. */
const GAP = 1_000

/** Limits delivery attempts during a burst of envelopes, in favour of intake. */
export class Backpressure {
  readonly #concurrency: number
  readonly #share: number
  /** Start of the burst, and the last time it was seen. */
  #since = 0
  #seen = -Infinity
  #until = 0
  #begun = 0

  /** @param concurrency maximum concurrent attempts without a burst */
  constructor(concurrency: number) {
    this.#concurrency = concurrency
    this.#share = Math.max(1, Math.floor(concurrency * SHARE))
  }

  /** End of the current interval, on the clock's `now`. */
  get until(): number {
    return this.#until
  }

  /** Whether an attempt may begin. Call it before each attempt during a burst; true counts as an attempt. */
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
