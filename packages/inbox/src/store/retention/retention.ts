import { DAY, HOUR } from '@hull/common/time.ts'
import { writeSetting } from '../stored-settings.ts'
import { readPragma, usedBytes, type Store } from '../store.ts'
import { removeBefore, removeSome } from './events.ts'
import { sweep } from './sweep.ts'

export interface RetentionOptions {
  maxBytes: number
  retentionDays: number
}

/** Share of the bytes above which the oldest goes, and below which it stays again: the rest is for what comes meanwhile. */
const TOO_MUCH = 0.9
const ENOUGH = 0.87

/** Chunks that go where a batch has no room: more events than a batch has. */
const CHUNKS_AT_ONCE = 24

/** Milliseconds from the end of a sweep to the next. */
const SWEEP_INTERVAL = 6 * HOUR

/** Share of a file's pages that may be empty before it is made smaller: they are filled again. */
const MAX_FREE = 0.3

/** Pages that are given back at a time. */
const PAGES = 64

/** Keeps the store within its age and its bytes: some rows at a time, between what comes. */
export class Retention {
  readonly #store: Store
  readonly #options: RetentionOptions
  /** It is above its bytes, and has not come below again. */
  #isOver = false
  #sweeping: Generator<number, void> | undefined
  #nextSweep = 0
  /** Rows of the round under way. */
  #rows = 0

  constructor(store: Store, options: RetentionOptions) {
    this.#store = store
    this.#options = options
  }

  /**
   * Does one chunk, in a transaction of its own.
   * @returns whether there is more to do
   */
  step(now: number): boolean {
    const rows = this.#store.transaction(() => this.#remove(now))
    if (rows !== undefined) {
      this.#rows += rows
      return true
    }
    if (this.#giveBack()) return true
    this.#note(now, false)
    return false
  }

  /** There is no room at all: makes some at once, unless it is the disk that is full, and not the store. */
  makeRoom(now: number): void {
    if (usedBytes(this.#store) < this.#options.maxBytes * ENOUGH) return
    this.#isOver = true
    for (let chunk = 0; chunk < CHUNKS_AT_ONCE; chunk++)
      this.#rows += this.#store.transaction(() => removeSome(this.#store))
    this.#note(now, true)
  }

  /** @returns rows removed; undefined when there is nothing to do */
  #remove(now: number): number | undefined {
    const before = now - this.#options.retentionDays * DAY
    const old = removeBefore(this.#store, before)
    if (old > 0) return old
    const some = this.#overBytes() ? removeSome(this.#store) : 0
    if (some > 0) return some
    if (this.#sweeping === undefined && now < this.#nextSweep && now > this.#nextSweep - SWEEP_INTERVAL)
      return undefined
    this.#sweeping ??= sweep(this.#store, before)
    const { value, done } = this.#sweeping.next()
    if (!done) return value
    this.#sweeping = undefined
    this.#nextSweep = now + SWEEP_INTERVAL
    return undefined
  }

  #overBytes(): boolean {
    const share = usedBytes(this.#store) / this.#options.maxBytes
    this.#isOver = share > (this.#isOver ? ENOUGH : TOO_MUCH)
    return this.#isOver
  }

  /**
   * Makes the file smaller by some pages, where it has many empty ones or is larger than its bound. Never a VACUUM, which
   * would write the whole file again.
   */
  #giveBack(): boolean {
    const free = readPragma(this.#store, 'freelist_count')
    const pages = readPragma(this.#store, 'page_count')
    const bound = Math.ceil(this.#options.maxBytes / readPragma(this.#store, 'page_size'))
    const excess = Math.min(free, pages - bound)
    if (excess <= 0 && (free < PAGES || free < pages * MAX_FREE)) return false
    this.#store.db.exec(`PRAGMA incremental_vacuum(${excess > 0 ? Math.min(excess, PAGES) : PAGES})`)
    // SQLite takes no bound below the size that a file has.
    if (excess > 0) this.#store.db.exec(`PRAGMA max_page_count = ${bound}`)
    return true
  }

  #note(now: number, behind: boolean): void {
    if (this.#rows === 0) return
    writeSetting(this.#store, 'retention', { at: now, rows: this.#rows, behind })
    this.#rows = 0
  }
}
