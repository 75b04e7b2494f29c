import type { Clock } from './clock.ts'
import { yieldOnce } from './deliverer.ts'
import type { Fate, Taken } from './spool.ts'
import { toDiscarded, type Discarded, type DropReason } from './spool-messages.ts'
import type { EnvelopeMeta } from './types.ts'

/**
 * Milliseconds after which an envelope goes to the disk although it is still under way: more than a provider takes that
 * is well, and what a process loses at most that is killed meanwhile. A guess.
 */
const PATIENCE = 5_000

interface Passing {
  counts: EnvelopeMeta['counts']
  settle: (isDone: boolean) => void
  cancel: () => void
}

/** Envelopes that are delivered from memory, and are not in the spool. */
export class Bypass implements Fate {
  readonly #clock: Clock
  readonly #onDrop: (discarded: readonly Discarded[]) => void
  readonly #passing = new Map<number, Passing>()
  #lastId = 0

  constructor(clock: Clock, onDrop: (discarded: readonly Discarded[]) => void) {
    this.#clock = clock
    this.#onDrop = onDrop
  }

  has(id: number): boolean {
    return this.#passing.has(id)
  }

  /** @returns what is to be delivered, its id below zero: the spool has none of those. And whether that is all: otherwise it is to be spooled */
  begin({ meta, size, bytes, lane }: Pick<Taken, 'meta' | 'size' | 'lane'> & { bytes: Uint8Array }) {
    const id = --this.#lastId
    const done = new Promise<boolean>((settle) => {
      const cancel = this.#clock.after(PATIENCE, () => this.giveBack(id))
      this.#passing.set(id, { counts: meta.counts, settle, cancel })
    })
    const envelope: Taken = { id, meta, lane, size, bytes, attempts: 0, body: () => yieldOnce(bytes) }
    return { envelope, done }
  }

  delivered(id: number): void {
    this.#settle(id, true)
  }

  drop(id: number, reason: DropReason): void {
    const passing = this.#passing.get(id)
    if (passing) this.#onDrop(toDiscarded(passing.counts, reason))
    this.#settle(id, true)
  }

  setAside(id: number): void {
    this.giveBack(id)
  }

  /** It is for the spool from now on. */
  giveBack(id: number): void {
    this.#settle(id, false)
  }

  giveAllBack(): void {
    for (const id of this.#passing.keys()) this.giveBack(id)
  }

  #settle(id: number, isDone: boolean): void {
    const passing = this.#passing.get(id)
    if (!passing) return
    this.#passing.delete(id)
    passing.cancel()
    passing.settle(isDone)
  }
}
