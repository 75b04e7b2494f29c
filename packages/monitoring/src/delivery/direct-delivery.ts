import type { Clock } from './clock.ts'
import { yieldOnce } from './deliverer.ts'
import type { AttemptResults, LeasedEnvelope } from '../spool/spool.ts'
import { toDiscarded, type Discarded, type DropReason } from '../spool/drops.ts'

/**
 * Milliseconds after which an envelope that is still being delivered is written to disk: longer than a healthy provider
 * needs, and the most that a killed process loses. A guess.
 */
const MAX_MEMORY_TIME = 5_000

/**
 * Concurrent attempts while the provider answers quickly, since simultaneous envelopes do not each need a connection. A
 * guess.
 */
const INITIAL_CONCURRENCY = 4

/**
 * Milliseconds without an answer after which {@link INITIAL_CONCURRENCY} more attempts may begin, because the provider
 * is far away. A guess.
 */
const GROWTH_INTERVAL = 20

/** An envelope that is not in the spool. */
export type Unspooled = Pick<LeasedEnvelope, 'meta' | 'lane'> & { bytes: Uint8Array }

interface PendingEnvelope {
  envelope: LeasedEnvelope
  settle: (isDone: boolean) => void
  cancel: () => void
}

/** Delivers envelopes from memory, without the spool. */
export class DirectDelivery implements AttemptResults {
  readonly #clock: Clock
  readonly #onDrop: (discarded: readonly Discarded[]) => void
  readonly #pending = new Map<number, PendingEnvelope>()
  /** Envelopes without an attempt so far, in order. */
  readonly #waiting = new Map<number, LeasedEnvelope>()
  #lastId = 0
  /** Maximum concurrent attempts at the moment. */
  #allowed = INITIAL_CONCURRENCY
  #moreAt = 0

  constructor(clock: Clock, onDrop: (discarded: readonly Discarded[]) => void) {
    this.#clock = clock
    this.#onDrop = onDrop
  }

  /** Number of envelopes that wait for an attempt. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Time when more attempts may begin without an answer; Infinity if no envelope waits. */
  get moreAt(): number {
    return this.#waiting.size === 0 ? Infinity : this.#moreAt
  }

  /**
   * Adds an envelope with a negative id, which the spool never assigns.
   * @returns whether the envelope is done; otherwise it must be spooled
   */
  add({ meta, lane, bytes }: Unspooled): Promise<boolean> {
    const id = --this.#lastId
    const envelope: LeasedEnvelope = {
      id,
      meta,
      lane,
      bytes,
      size: bytes.length,
      attempts: 0,
      body: () => yieldOnce(bytes)
    }
    this.#waiting.set(id, envelope)
    return new Promise((settle) => {
      const cancel = this.#clock.after(MAX_MEMORY_TIME, () => this.setAside(id))
      this.#pending.set(id, { envelope, settle, cancel })
    })
  }

  /**
   * Returns the envelope to attempt next; undefined if none may begin.
   * @param underWay number of current attempts
   */
  next(now: number, underWay: number): LeasedEnvelope | undefined {
    const [first] = this.#waiting.values()
    if (first === undefined) return undefined
    if (underWay < INITIAL_CONCURRENCY) this.#allowed = INITIAL_CONCURRENCY
    else if (underWay >= this.#allowed) {
      if (now < this.#moreAt) return undefined
      this.#allowed = underWay + INITIAL_CONCURRENCY
    }
    this.#moreAt = now + GROWTH_INTERVAL
    this.#waiting.delete(first.id)
    return first
  }

  delivered(id: number): void {
    this.#settle(id, true)
  }

  drop(id: number, reason: DropReason): void {
    const pending = this.#pending.get(id)
    if (pending) this.#onDrop(toDiscarded(pending.envelope.meta.counts, reason))
    this.#settle(id, true)
  }

  /** Gives the envelope back to be spooled. */
  setAside(id: number): void {
    this.#waiting.delete(id)
    this.#settle(id, false)
  }

  /** Gives waiting envelopes of matching lanes back to be spooled. */
  giveBack(matchesLane: (lane: string) => boolean): void {
    for (const { id, lane } of this.#waiting.values()) if (matchesLane(lane)) this.setAside(id)
  }

  /** Gives all envelopes back to be spooled. */
  close(): void {
    for (const id of this.#pending.keys()) this.setAside(id)
  }

  #settle(id: number, isDone: boolean): void {
    const pending = this.#pending.get(id)
    if (!pending) return
    this.#pending.delete(id)
    pending.cancel()
    pending.settle(isDone)
  }
}
