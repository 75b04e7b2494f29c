import type { Log } from '@hull/common/worker-rpc.ts'
import { SpoolUnavailable } from '../errors.ts'
import { completesWithin } from '@hull/common/completes-within.ts'
import {
  bytesOf,
  isLasting,
  toFreeing,
  type Discarded,
  type PutOperation,
  type Questions,
  type SpoolOperation,
  type SpoolState,
  type WorkerSettings
} from './spool-messages.ts'
import { pack } from './batch-codec.ts'
import { SpoolThread, type Notice, type ThreadOptions } from './spool-thread.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/** Bytes on their way to the disk above which writers are asked to wait; they go on at half of it. A guess. */
export const MAX_WAITING = 8 * 1024 ** 2

/** Milliseconds that what nobody waits for may be gathered, so that each delivery is no write to the disk of its own. */
const GATHER = 10

/** Commits that are looked back on for a crowd: between two full ones there may be a few with next to nothing. A guess. */
const LOOK_BACK = 4

/** Milliseconds until what failed is tried again. */
const RETRY_DELAY = 1_000

/** Milliseconds after which a disk that does not answer counts as none. */
const COMMIT_TIMEOUT = 10_000

/** Milliseconds for what is under way when the spool is closed. */
const CLOSE_TIMEOUT = 2_000

export interface LinkOptions extends WorkerSettings, Pick<ThreadOptions, 'threadFile' | 'answerTimeout'> {
  log: Log
  /** What there is now. `arrived`: DSNs that have something new; undefined when it may be any. */
  onState: (state: SpoolState, discarded: readonly Discarded[], arrived?: ReadonlySet<string>) => void
}

interface Pending {
  resolve: () => void
  reject: (error: Error) => void
}

/**
 * The main thread's end of the spool. Operations of one turn, and all that come while the disk is busy, are one
 * transaction. What the worker could not do is repeated where that makes sense, and refused where somebody waits for it.
 */
export class SpoolClient {
  readonly #options: LinkOptions
  readonly #thread: SpoolThread
  #queue: SpoolOperation[] = []
  #sent: SpoolOperation[] | undefined
  #puts = new Map<number, Pending>()
  /** By id, what was said last of an envelope and is not on the disk yet, and until when it holds it back. */
  readonly #unsettled = new Map<number, { said: SpoolOperation; until: number }>()
  /** Envelopes in each of the last commits. */
  #commits: number[] = []
  #numbers = 0
  #waiting = 0
  #sentBytes = 0
  #blocked: Array<() => void> = []
  #scheduled = false
  #batcher: NodeJS.Timeout | undefined
  #trouble: string | undefined
  #retry: NodeJS.Timeout | undefined
  #watchdog: NodeJS.Timeout | undefined
  /** What was sent is not answered in time: what comes meanwhile is refused. */
  #stalled = false
  #closed = false

  constructor(options: LinkOptions) {
    this.#options = options
    this.#thread = new SpoolThread({
      ...options,
      onNotice: (notice) => this.#receive(notice),
      onStart: () => this.#schedule(),
      onEnd: () => this.#fail('its thread ended'),
      onSilence: () => this.#stall('its thread does not answer')
    })
  }

  /** Bytes that are on their way to the disk. */
  get waiting(): number {
    return this.#waiting
  }

  /** Envelopes that wait for the disk, or waited together lately: a moment after a commit nobody does. */
  get crowd(): number {
    return Math.max(this.#puts.size, ...this.#commits)
  }

  /** Whether the last that was asked of it could be done. */
  get available(): boolean {
    return this.#trouble === undefined
  }

  /**
   * Ids that are not to be taken although the disk does not know it yet: those that are gone and, unless `evenEarly`,
   * those that were set aside for longer. On a full disk that is not known for as long as it is full.
   */
  heldBack(now: number, evenEarly: boolean): number[] {
    const held = [...this.#unsettled].filter(([, { until }]) => (evenEarly ? until === Infinity : until > now))
    return held.map(([id]) => id)
  }

  push(operation: Exclude<SpoolOperation, PutOperation>): void {
    if (this.#closed || (this.#stalled && operation.op === 'row')) return
    if (isLasting(operation) && 'id' in operation) {
      const until = operation.op === 'set-aside' ? operation.due : Infinity
      this.#unsettled.set(operation.id, { said: operation, until })
    } else if (operation.op === 'release') this.#makeDue()
    this.#enqueue(operation)
  }

  /** Resolves when the envelope is on the disk. @throws SpoolUnavailable */
  put(operation: Omit<PutOperation, 'op' | 'ticket'>): Promise<void> {
    if (this.#closed || this.#stalled) return Promise.reject(new SpoolUnavailable())
    const ticket = ++this.#numbers
    return new Promise((resolve, reject) => {
      this.#puts.set(ticket, { resolve, reject })
      this.#enqueue({ op: 'put', ticket, ...operation })
    })
  }

  /** @throws SpoolUnavailable */
  ask<Kind extends keyof Questions>(question: Questions[Kind]['question']): Promise<Questions[Kind]['answer']> {
    return this.#thread.ask<Kind>(question)
  }

  /** Resolves when there is room for more; undefined when there is. */
  room(): Promise<void> | undefined {
    if (this.#waiting <= MAX_WAITING || this.#stalled || this.#closed) return undefined
    return new Promise((resolve) => {
      this.#blocked.push(resolve)
    })
  }

  /** What was accepted is on the disk, or refused, and the file closed, when it resolves. */
  async close(): Promise<void> {
    if (this.#closed) return
    await completesWithin(this.settled(), CLOSE_TIMEOUT)
    this.#closed = true
    clearTimeout(this.#retry)
    clearTimeout(this.#watchdog)
    clearTimeout(this.#batcher)
    await this.#thread.close()
    this.#refuse('closed')
    this.#unblock()
  }

  /** Resolves when what was pushed is on the disk, or cannot be. Messages are answered in order. */
  async settled(): Promise<void> {
    this.#flush()
    while (this.#sent !== undefined && this.available && !this.#closed) {
      await this.ask<'drops'>({ ask: 'drops', dsn: '' }).catch(() => {})
      this.#flush()
    }
  }

  #makeDue(): void {
    for (const unsettled of this.#unsettled.values()) if (unsettled.until !== Infinity) unsettled.until = 0
  }

  #enqueue(operation: SpoolOperation): void {
    this.#queue.push(operation)
    this.#waiting += bytesOf([operation])
    if (!isLasting(operation)) return this.#schedule()
    this.#batcher ??= setTimeout(
      safeCallback(() => {
        this.#batcher = undefined
        this.#flush()
      }),
      GATHER
    )
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(
      safeCallback(() => {
        this.#scheduled = false
        this.#flush()
      })
    )
  }

  /** One batch at a time: what comes meanwhile is the next. */
  #flush(): void {
    if (!this.#thread.alive) return this.#refuse('its thread ended')
    if (this.#sent !== undefined || this.#queue.length === 0) return
    const operations = this.#queue
    this.#queue = []
    this.#sent = operations
    this.#watchdog = setTimeout(
      safeCallback(() => this.#stall('the disk does not answer')),
      COMMIT_TIMEOUT
    ).unref()
    // Once handed over a body has no length any more.
    this.#sentBytes = bytesOf(operations)
    const { packed, owned } = pack(operations)
    this.#thread.post({ kind: 'batch', ...packed }, owned)
  }

  #receive(notice: Notice): void {
    if (notice.kind === 'batch') this.#applied(notice)
    else if (notice.kind === 'failed') this.#fail(notice.reason)
    else this.#options.onState(notice.state, notice.discarded ?? [])
    if (notice.kind !== 'failed') this.#flush()
  }

  #applied({ refused, discarded, state, failed }: Extract<Notice, { kind: 'batch' }>): void {
    const operations = this.#takeSent()
    // What was set aside may be due by now, or earlier than what was known to be next.
    const any = operations.some(({ op }) => op === 'set-aside')
    const arrived = new Set<string>()
    this.#commits = [...this.#commits.slice(1 - LOOK_BACK), operations.filter(({ op }) => op === 'put').length]
    for (const operation of operations) {
      if (operation.op === 'put') this.#settle(operation, refused)
      else if ('id' in operation && this.#unsettled.get(operation.id)?.said === operation)
        this.#unsettled.delete(operation.id)
      if (operation.op === 'put' || operation.op === 'release') arrived.add(operation.dsn)
    }
    if (failed === undefined) this.#recover()
    else {
      this.#noteTrouble(failed)
      this.#tryAgain()
    }
    this.#options.onState(state, discarded, any ? undefined : arrived)
  }

  #takeSent(): SpoolOperation[] {
    const operations = this.#sent ?? []
    this.#sent = undefined
    this.#stalled = false
    clearTimeout(this.#watchdog)
    this.#waiting -= this.#sentBytes
    this.#sentBytes = 0
    this.#release()
    return operations
  }

  #settle({ ticket }: PutOperation, refused: readonly number[]): void {
    const pending = this.#puts.get(ticket)
    this.#puts.delete(ticket)
    if (refused.includes(ticket)) pending?.reject(new SpoolUnavailable())
    else pending?.resolve()
  }

  #recover(): void {
    if (this.#trouble === undefined) return
    this.#trouble = undefined
    this.#options.log.info({ file: this.#options.file }, 'the spool of envelopes is back')
  }

  #noteTrouble(reason: string): void {
    if (this.#trouble === undefined)
      this.#options.log.warn({ file: this.#options.file, reason }, 'envelopes cannot be kept: they are refused')
    this.#trouble = reason
  }

  #stall(reason: string): void {
    this.#stalled = this.#sent !== undefined
    this.#noteTrouble(reason)
    this.#refuse(reason)
    this.#unblock()
    if (!this.#stalled) this.#tryAgain()
  }

  /** Nothing of what was sent is on the disk. */
  #fail(reason: string): void {
    this.#noteTrouble(reason)
    const operations = this.#takeSent()
    this.#refuse(reason)
    this.#queue.unshift(...operations.flatMap(toFreeing))
    this.#tryAgain()
  }

  /** With something to ask it, so that it is noticed when it is back. */
  #tryAgain(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(
      safeCallback(() => {
        if (this.#queue.length === 0) this.#queue.push({ op: 'release', dsn: '' })
        this.#flush()
      }),
      RETRY_DELAY
    ).unref()
  }

  /** Whoever waits hears it now; what nobody waits for stays. */
  #refuse(reason: string): void {
    const cause = new Error(reason)
    for (const { reject } of this.#puts.values()) reject(new SpoolUnavailable({ cause }))
    this.#puts.clear()
    this.#queue = this.#queue.flatMap(toFreeing)
    this.#waiting = this.#sentBytes
    this.#release()
  }

  #release(): void {
    if (this.#waiting <= MAX_WAITING / 2) this.#unblock()
  }

  #unblock(): void {
    const blocked = this.#blocked
    this.#blocked = []
    for (const resolve of blocked) resolve()
  }
}
