import type { Clock } from './clock.ts'
import { yieldOnce } from './deliverer.ts'
import type { Fate, Taken } from '../spool/spool.ts'
import { toDiscarded, type Discarded, type DropReason } from '../spool/spool-messages.ts'

/**
 * Milliseconds after which an envelope that is still being delivered is written to disk: longer than a healthy provider
 * needs, and the most that a killed process loses. A guess.
 */
const PATIENCE = 5_000

/**
 * Concurrent attempts while the provider answers quickly, since simultaneous envelopes do not each need a connection. A
 * guess.
 */
const FEW = 4

/**
 * Milliseconds without an answer after which {@link FEW} more attempts may begin, because the provider is far away. A
 * guess.
 */
const SOON = 20

/** An envelope that is not in the spool. */
export type Unspooled = Pick<Taken, 'meta' | 'lane'> & { bytes: Uint8Array }

interface Passing {
  envelope: Taken
  settle: (isDone: boolean) => void
  cancel: () => void
}

/** Delivers envelopes from memory, without the spool. */
export class Bypass implements Fate {
  readonly #clock: Clock
  readonly #onDrop: (discarded: readonly Discarded[]) => void
  readonly #passing = new Map<number, Passing>()
  /** Envelopes without an attempt so far, in order. */
  readonly #waiting = new Map<number, Taken>()
  #lastId = 0
  /** Maximum concurrent attempts at the moment. */
  #allowed = FEW
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
    const envelope: Taken = { id, meta, lane, bytes, size: bytes.length, attempts: 0, body: () => yieldOnce(bytes) }
    this.#waiting.set(id, envelope)
    return new Promise((settle) => {
      const cancel = this.#clock.after(PATIENCE, () => this.setAside(id))
      this.#passing.set(id, { envelope, settle, cancel })
    })
  }

  /**
   * Returns the envelope to attempt next; undefined if none may begin.
   * @param underWay number of current attempts
   */
  next(now: number, underWay: number): Taken | undefined {
    const [first] = this.#waiting.values()
    if (first === undefined) return undefined
    if (underWay < FEW) this.#allowed = FEW
    else if (underWay >= this.#allowed) {
      if (now < this.#moreAt) return undefined
      this.#allowed = underWay + FEW
    }
    this.#moreAt = now + SOON
    this.#waiting.delete(first.id)
    return first
  }

  delivered(id: number): void {
    this.#settle(id, true)
  }

  drop(id: number, reason: DropReason): void {
    const passing = this.#passing.get(id)
    if (passing) this.#onDrop(toDiscarded(passing.envelope.meta.counts, reason))
    this.#settle(id, true)
  }

  /** Gives the envelope back to be spooled. */
  setAside(id: number): void {
    this.#waiting.delete(id)
    this.#settle(id, false)
  }

  /** Gives waiting envelopes of matching lanes back to be spooled. */
  turnBack(isMeant: (lane: string) => boolean): void {
    for (const { id, lane } of this.#waiting.values()) if (isMeant(lane)) this.setAside(id)
  }

  /** Gives all envelopes back to be spooled. */
  close(): void {
    for (const id of this.#passing.keys()) this.setAside(id)
  }

  #settle(id: number, isDone: boolean): void {
    const passing = this.#passing.get(id)
    if (!passing) return
    this.#passing.delete(id)
    passing.cancel()
    passing.settle(isDone)
  }
}
