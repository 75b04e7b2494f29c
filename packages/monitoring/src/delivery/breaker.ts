import { fullJitter } from '@hull/common/full-jitter.ts'
import type { Clock } from './clock.ts'

/** Milliseconds: a provider that fails is probed at least this often, unless it says when to come back. */
export const PROBE_INTERVAL = 5_000

/** Envelopes that fail one after the other until it is the provider that counts as failing. Ours. */
const THRESHOLD = 5

/** Milliseconds: the first wait is up to this, and each further one up to twice as long. */
const BASE = 250

/** Milliseconds: so long an envelope that fails while others pass waits at most. */
const SET_ASIDE_BASE = 1_000
const SET_ASIDE_CAP = 300_000

export type BreakerState = 'closed' | 'open'

/**
 * Whether a provider is worth trying. It opens when several envelopes failed and none got through since: a single one
 * that always fails, while others pass or there are no others, keeps nothing waiting.
 */
export class Breaker {
  readonly #clock: Pick<Clock, 'now'>
  /** Envelopes that failed since the last success, as far as it matters. */
  readonly #failed = new Set<number>()
  #failures = 0
  #probeAt = 0
  #heldUntil = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Open: only probes are sent. */
  get state(): BreakerState {
    return this.#failed.size >= THRESHOLD ? 'open' : 'closed'
  }

  /** Whether the last attempt failed, so that there is something to probe. */
  get failing(): boolean {
    return this.#failures > 0
  }

  /** Until then the provider asked to be left alone. */
  get heldUntil(): number {
    return this.#heldUntil
  }

  /** When the next probe is due; nothing that was set aside is too early for it. */
  get probeAt(): number {
    return Math.max(this.#probeAt, this.#heldUntil)
  }

  /** A probe begins. The next is due though this one should hang. */
  probe(): void {
    this.#probeAt = this.#clock.now() + PROBE_INTERVAL
  }

  /** @returns whether it was open until now */
  succeed(): boolean {
    const wasOpen = this.state === 'open'
    this.#failed.clear()
    this.#failures = 0
    this.#heldUntil = 0
    return wasOpen
  }

  /** @param retryAfter milliseconds, where the provider says so */
  fail(id: number, retryAfter = 0): void {
    const now = this.#clock.now()
    const delay = fullJitter(BASE, this.#failures, PROBE_INTERVAL)
    // The first failure decides; those of attempts that were under way beside it do not put the probe off.
    this.#probeAt = this.#failures === 0 ? now + delay : Math.min(this.#probeAt, now + delay)
    this.#failures++
    if (this.#failed.size < THRESHOLD) this.#failed.add(id)
    this.#heldUntil = Math.max(this.#heldUntil, now + retryAfter)
  }

  /** When an envelope may be tried again that failed after `attempts` before it. */
  retryAt(attempts: number): number {
    return this.#clock.now() + fullJitter(SET_ASIDE_BASE, attempts, SET_ASIDE_CAP)
  }
}
