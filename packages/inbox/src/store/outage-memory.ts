import { safeCallback } from '@hull/common/safe-callback.ts'
import type { Log } from '@hull/common/worker-rpc.ts'
import type { EnvelopeMeta } from '@hull/monitoring'
import { costOf } from './sink.ts'

/** Maximum bytes of the envelopes. A guess: some minutes of a small application. */
const MAX_BYTES = 16 * 1024 ** 2

/** Milliseconds between attempts to move the envelopes. A guess. */
const MOVE_INTERVAL = 1_000

interface HeldEnvelope {
  meta: EnvelopeMeta
  body: Uint8Array
}

export interface OutageMemoryOptions {
  /** File that cannot be written, for the log. */
  file: string
  log: Log
  /** Stores an envelope, or writes it to the disk. @throws Error if that is not possible */
  store: (envelope: HeldEnvelope) => Promise<void>
}

/** Envelopes that wait in memory because the database cannot be reached and the disk cannot be written. */
export class OutageMemory {
  readonly #options: OutageMemoryOptions
  #envelopes: HeldEnvelope[] = []
  #bytes = 0
  #moving: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: OutageMemoryOptions) {
    this.#options = options
  }

  /** `oldestAge` in milliseconds. */
  get waiting(): { envelopes: number; bytes: number; oldestAge: number } {
    const [oldest] = this.#envelopes
    return {
      envelopes: this.#envelopes.length,
      bytes: this.#bytes,
      oldestAge: oldest ? Math.max(0, Date.now() - oldest.meta.receivedAt) : 0
    }
  }

  /** @throws `reason`, if there is no room */
  hold(envelope: HeldEnvelope, reason: Error): void {
    const { file, log } = this.#options
    const bytes = this.#bytes + costOf(envelope.body)
    if (this.#isClosed || bytes > MAX_BYTES) throw reason
    if (this.#envelopes.length === 0)
      log.warn({ file, reason: reason.message }, 'envelopes wait in memory: the spool cannot be written')
    this.#envelopes.push(envelope)
    this.#bytes = bytes
    envelope.meta.isInMemory = true
    this.#schedule()
  }

  /** Moves all envelopes now. Those that cannot be moved stay, and are tried again. */
  move(): void {
    if (this.#envelopes.length === 0) return
    this.#moving ??= this.#moveAll().finally(() => {
      this.#moving = undefined
      if (this.#envelopes.length > 0) this.#schedule()
    })
  }

  async #moveAll(): Promise<void> {
    const { file, log, store } = this.#options
    const results = await Promise.allSettled(this.#envelopes.map(store))
    // Others may have been added meanwhile.
    this.#envelopes = this.#envelopes.filter((_envelope, index) => results[index]?.status !== 'fulfilled')
    this.#bytes = this.#envelopes.reduce((sum, { body }) => sum + costOf(body), 0)
    if (this.#envelopes.length === 0) log.info({ file }, 'no envelopes wait in memory any more')
  }

  #schedule(): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      safeCallback(() => this.move()),
      MOVE_INTERVAL
    ).unref()
  }

  /** Waits for a move that has begun. The other envelopes are lost. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#moving
    const { file, log } = this.#options
    const lost = this.#envelopes.length
    if (lost > 0)
      log.error({ file, envelopes: lost }, 'envelopes that waited in memory are lost: the spool cannot be written')
  }
}
