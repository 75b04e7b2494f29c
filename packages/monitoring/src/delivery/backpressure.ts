import { performance } from 'node:perf_hooks'

/**
 * Share of its concurrency that a queue uses at the start of a burst and while the event loop is busy: intake goes
 * first, and a delivery costs as much as accepting an envelope. A guess.
 */
const LEAST_SHARE = 1 / 8

/** Attempts per interval at most, times the concurrency: more than one core can deliver. A guess. */
const MOST_SHARE = 4

/**
 * Milliseconds in which that many attempts may begin, so that a provider that answers at once does not raise the rate.
 * A guess.
 */
const INTERVAL = 10

/** Utilization of the event loop in an interval above which it counts as busy. A guess. */
const BUSY = 0.9

/**
 * Maximum milliseconds for which a burst delays deliveries. A longer burst is a steady rate and would fill the spool. A
 * guess.
 */
const LONGEST_BURST = 2_000

/** Milliseconds without a burst after which the next one counts as new: a steady rate has short gaps. A guess. */
const GAP = 1_000

/**
 * Limits delivery attempts during a burst of envelopes, in favour of intake. The limit doubles with each interval in
 * which the event loop had time left, and halves with each in which it had not: a rate that leaves time is delivered as
 * it arrives.
 */
export class Backpressure {
  readonly #concurrency: number
  readonly #least: number
  readonly #isBusy: () => boolean
  /** Start of the burst, and the last time it was seen. */
  #since = 0
  #seen = -Infinity
  #until = 0
  #begun = 0
  /** Attempts that may begin in the current interval. */
  #allowed: number

  /**
   * @param concurrency maximum concurrent attempts without a burst
   * @param isBusy whether the process was busy since the last call
   * @default whether the event loop was
   */
  constructor(concurrency: number, isBusy = createLoopMeter()) {
    this.#concurrency = concurrency
    this.#isBusy = isBusy
    this.#allowed = this.#least = Math.max(1, Math.floor(concurrency * LEAST_SHARE))
  }

  /** End of the current interval, on the clock's `now`. */
  get until(): number {
    return this.#until
  }

  /** Whether an attempt may begin. Call it before each attempt during a burst; true counts as an attempt. */
  mayBegin(now: number, underWay: number): boolean {
    const isNew = now - this.#seen > GAP
    this.#seen = now
    if (isNew) this.#since = now
    if (now - this.#since >= LONGEST_BURST) return underWay < this.#concurrency
    if (isNew || now >= this.#until) this.#beginInterval(now, isNew)
    return underWay < Math.min(this.#allowed, this.#concurrency) && this.#begun++ < this.#allowed
  }

  #beginInterval(now: number, isNew: boolean): void {
    const next = this.#isBusy() ? this.#allowed / 2 : this.#allowed * 2
    this.#allowed = isNew ? this.#least : Math.min(Math.max(next, this.#least), MOST_SHARE * this.#concurrency)
    this.#until = now + INTERVAL
    this.#begun = 0
  }
}

function createLoopMeter(): () => boolean {
  let last = performance.eventLoopUtilization()
  return () => {
    const before = last
    last = performance.eventLoopUtilization()
    return performance.eventLoopUtilization(last, before).utilization > BUSY
  }
}
