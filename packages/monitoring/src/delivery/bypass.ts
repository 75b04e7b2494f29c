import type { Clock } from './clock.ts'
import { yieldOnce } from './deliverer.ts'
import type { Fate, Taken } from '../spool/spool.ts'
import { toDiscarded, type Discarded, type DropReason } from '../spool/spool-messages.ts'

/**
 * Milliseconds after which an envelope goes to the disk although it is still under way: more than a provider takes that
 * is well, and what a process loses at most that is killed meanwhile. A guess.
 */
const PATIENCE = 5_000

/** Attempts at once while each is answered soon: those that come together need no connection each. A guess. */
const FEW = 4

/** Milliseconds without an answer after which as many more may begin: the provider is far away. A guess. */
const SOON = 20

/** An envelope of which the spool does not know. */
export type Unspooled = Pick<Taken, 'meta' | 'lane'> & { bytes: Uint8Array }

interface Passing {
  envelope: Taken
  settle: (isDone: boolean) => void
  cancel: () => void
}

/** Envelopes that are delivered from memory, and are not in the spool. */
export class Bypass implements Fate {
  readonly #clock: Clock
  readonly #onDrop: (discarded: readonly Discarded[]) => void
  readonly #passing = new Map<number, Passing>()
  /** Those of them that have not begun, in order. */
  readonly #waiting = new Map<number, Taken>()
  #lastId = 0
  /** So many may be under way. */
  #allowed = FEW
  #moreAt = 0

  constructor(clock: Clock, onDrop: (discarded: readonly Discarded[]) => void) {
    this.#clock = clock
    this.#onDrop = onDrop
  }

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** When more may begin, though none was answered. */
  get moreAt(): number {
    return this.#waiting.size === 0 ? Infinity : this.#moreAt
  }

  /** Its id is below zero: the spool has none of those. @returns whether it is done with; otherwise it is to be spooled */
  add({ meta, lane, bytes }: Unspooled): Promise<boolean> {
    const id = --this.#lastId
    const envelope: Taken = { id, meta, lane, bytes, size: bytes.length, attempts: 0, body: () => yieldOnce(bytes) }
    this.#waiting.set(id, envelope)
    return new Promise((settle) => {
      const cancel = this.#clock.after(PATIENCE, () => this.setAside(id))
      this.#passing.set(id, { envelope, settle, cancel })
    })
  }

  /** The next whose turn it is. @param underWay attempts that are */
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

  /** It is for the spool from now on. */
  setAside(id: number): void {
    this.#waiting.delete(id)
    this.#settle(id, false)
  }

  /** Those that have not begun, and are of such a lane, are for the spool. */
  turnBack(isMeant: (lane: string) => boolean): void {
    for (const { id, lane } of this.#waiting.values()) if (isMeant(lane)) this.setAside(id)
  }

  /** All are. */
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
