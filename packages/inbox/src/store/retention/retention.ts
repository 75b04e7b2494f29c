import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'
import { Interval } from '../interval.ts'
import { writeSetting } from '../stored-settings.ts'
import type { Store } from '../store.ts'
import type { AttachmentLimits } from '../../ingest/items/attachment.ts'
import { removeAttachments } from './attachments.ts'
import { removeBefore, removeSome } from './events.ts'
import { sweep } from './sweep.ts'

export interface RetentionOptions {
  /** Maximum size of the store; 0 is no limit. */
  maxBytes: number
  retentionDays: number
  attachments: AttachmentLimits
}

/**
 * Share of `maxBytes` above which the oldest rows are deleted, and the share at which that stops. The rest is room for
 * new rows.
 */
export const HIGH_WATER = 0.9
const LOW_WATER = 0.87

/** Chunks to delete if a batch does not fit: more events than a batch has. */
const CHUNKS_AT_ONCE = 24

/** Milliseconds between looks for old rows, which take ten statements. A guess. */
const OLD_INTERVAL = 5_000

/** Milliseconds between the end of a sweep and the start of the next. */
const SWEEP_INTERVAL = 6 * HOUR

/** Milliseconds between notes that the retention has run, if there was nothing to delete. */
const NOTE_INTERVAL = HOUR

/** Keeps the store within its maximum age and size. Deletes a few rows at a time, between batches. */
export class Retention {
  readonly #store: Store
  readonly #options: RetentionOptions
  /** Whether the store exceeded its size and has not yet shrunk below {@link LOW_WATER}. */
  #isOver = false
  #sweeping: Generator<number, void> | undefined
  readonly #sweeps = new Interval(SWEEP_INTERVAL)
  readonly #looks = new Interval(OLD_INTERVAL)
  readonly #attachmentLooks = new Interval(MINUTE)
  readonly #notes = new Interval(NOTE_INTERVAL)
  /** Rows deleted in the current round. */
  #rows = 0

  constructor(store: Store, options: RetentionOptions) {
    this.#store = store
    this.#options = options
  }

  /** Processes one chunk in its own transaction. @returns whether there is more to do */
  step(now: number): boolean {
    const rows = this.#store.transaction(() => this.#remove(now))
    if (rows !== undefined) {
      this.#rows += rows
      return true
    }
    if (this.#store.shrink(this.#options.maxBytes)) return true
    this.#note(now, false)
    return false
  }

  /**
   * Deletes several chunks at once because a batch did not fit. Does nothing if the disk is full rather than the store.
   */
  makeRoom(now: number): void {
    const { maxBytes } = this.#options
    if (maxBytes === 0 || this.#store.usedBytes() < maxBytes * LOW_WATER) return
    this.#isOver = true
    for (let chunk = 0; chunk < CHUNKS_AT_ONCE; chunk++)
      this.#rows += this.#store.transaction(() => removeSome(this.#store))
    this.#note(now, true)
  }

  /** @returns number of deleted rows; undefined if there is nothing to do */
  #remove(now: number): number | undefined {
    const before = now - this.#options.retentionDays * DAY
    const old = removeIfDue(this.#looks, now, () => removeBefore(this.#store, before))
    if (old > 0) return old
    const some = this.#overBytes() ? removeSome(this.#store) : 0
    if (some > 0) return some
    const { perProject } = this.#options.attachments
    const attachments = removeIfDue(this.#attachmentLooks, now, () => removeAttachments(this.#store, perProject, now))
    if (attachments > 0) return attachments
    if (this.#sweeping === undefined && !this.#sweeps.isDue(now)) return undefined
    const sweeping = this.#sweeping ?? sweep(this.#store, before)
    // A generator that throws has ended: the next step then begins the sweep again.
    this.#sweeping = undefined
    const { value, done } = sweeping.next()
    if (!done) {
      this.#sweeping = sweeping
      return value
    }
    this.#sweeps.restart(now)
    return undefined
  }

  #overBytes(): boolean {
    if (this.#options.maxBytes === 0) return false
    const share = this.#store.usedBytes() / this.#options.maxBytes
    this.#isOver = share > (this.#isOver ? LOW_WATER : HIGH_WATER)
    return this.#isOver
  }

  #note(now: number, behind: boolean): void {
    if (this.#rows === 0 && !this.#notes.isDue(now)) return
    this.#notes.restart(now)
    writeSetting(this.#store, 'retention', { at: now, rows: this.#rows, behind })
    this.#rows = 0
  }
}

/** Looks for old rows once in an interval, and again as long as there are some. @returns number of deleted rows */
function removeIfDue(looks: Interval, now: number, remove: () => number): number {
  if (!looks.isDue(now)) return 0
  const removed = remove()
  if (removed === 0) looks.restart(now)
  return removed
}
