import { fullJitter } from '@hull/common/full-jitter.ts'
import type { Clock } from './clock.ts'

/** Maximum milliseconds between probes of a failing provider, unless its answer has a Retry-After. */
const PROBE_INTERVAL = 5_000

/** Number of envelopes that must fail without a success in between before the breaker opens. Our choice. */
const THRESHOLD = 5

/** Maximum of the first delay in milliseconds; it doubles with each further failure. */
const BASE = 250

/**
 * Maximum delay in milliseconds, at first and at most, for an envelope that failed. The first doubles with each
 * attempt.
 */
const SET_ASIDE_BASE = 1_000
const SET_ASIDE_CAP = 300_000

export type BreakerState = 'closed' | 'open'

/**
 * Circuit breaker of a provider. Opens when several envelopes failed and none was delivered since. A single envelope
 * that always fails does not open it.
 */
export class Breaker {
  readonly #clock: Pick<Clock, 'now'>
  /** Ids of envelopes that failed since the last success, at most {@link THRESHOLD}. */
  readonly #failed = new Set<number>()
  #failures = 0
  #probeAt = 0
  #heldUntil = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** In state `open`, only probes are sent. */
  get state(): BreakerState {
    return this.#failed.size >= THRESHOLD ? 'open' : 'closed'
  }

  /** Whether the last attempt failed, so that a probe is needed. */
  get failing(): boolean {
    return this.#failures > 0
  }

  /** Time before which the provider asked for no requests. */
  get heldUntil(): number {
    return this.#heldUntil
  }

  /** Time of the next probe, which may use an envelope that is not due yet. */
  get probeAt(): number {
    return Math.max(this.#probeAt, this.#heldUntil)
  }

  /** Call when a probe begins. Schedules the next one, in case this one hangs. */
  probe(): void {
    this.#probeAt = this.#clock.now() + PROBE_INTERVAL
  }

  /** @returns whether the breaker was open before */
  succeed(): boolean {
    const wasOpen = this.state === 'open'
    this.#failed.clear()
    this.#failures = 0
    this.#heldUntil = 0
    return wasOpen
  }

  /** @param retryAfter milliseconds from the provider's answer */
  fail(id: number, retryAfter = 0): void {
    const now = this.#clock.now()
    const delay = fullJitter(BASE, this.#failures, PROBE_INTERVAL)
    // The first failure sets the time. Failures of concurrent attempts do not postpone the probe.
    this.#probeAt = this.#failures === 0 ? now + delay : Math.min(this.#probeAt, now + delay)
    this.#failures++
    if (this.#failed.size < THRESHOLD) this.#failed.add(id)
    this.#heldUntil = Math.max(this.#heldUntil, now + retryAfter)
  }

  /** Time of the next attempt for an envelope that had failed `attempts` times before. */
  retryAt(attempts: number): number {
    return this.#clock.now() + fullJitter(SET_ASIDE_BASE, attempts, SET_ASIDE_CAP)
  }
}
