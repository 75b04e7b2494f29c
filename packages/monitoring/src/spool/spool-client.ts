import { WorkerRpc, type Log } from '@hull/common/worker-rpc.ts'
import { SpoolUnavailable } from '../errors.ts'
import { completesWithin } from '@hull/common/completes-within.ts'
import {
  bytesOf,
  isOfWriter,
  withoutNewData,
  type FromWorker,
  type PutOperation,
  type Questions,
  type SpoolOperation,
  type SpoolState,
  type ToWorker,
  type WorkerSettings
} from './spool-messages.ts'
import { pack } from './batch-codec.ts'
import type { Discarded } from './drops.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/** Maximum bytes on their way to the disk. Above it, writers wait until half remains. A guess. */
export const MAX_WAITING = 8 * 1024 ** 2

/**
 * Milliseconds to collect operations that no caller waits for, so that not every delivery causes a write to the disk.
 */
const BATCH_DELAY = 10

/** Number of last commits to search for a burst: between two full commits, a few may be almost empty. A guess. */
const BURST_COMMITS = 4

/** Milliseconds until failed operations are repeated. */
const RETRY_DELAY = 1_000

/** Milliseconds without an answer after which the disk counts as unavailable. */
const COMMIT_TIMEOUT = 10_000

/** Maximum milliseconds to finish operations when the spool is closed. */
const CLOSE_TIMEOUT = 2_000

/** Message of the worker that does not answer a question. */
type Notice = Exclude<FromWorker, { kind: 'answer' | 'log' }>

export interface SpoolClientOptions extends WorkerSettings {
  log: Log
  /** Called with the new state. `arrived`: DSNs with new envelopes; undefined if any DSN may have some. */
  onState: (state: SpoolState, discarded: readonly Discarded[], arrived?: ReadonlySet<string>) => void
  /** Worker file. @default the spool's own */
  threadFile?: URL
  /** Milliseconds without an answer after which a busy thread counts as silent. @default 30_000 */
  answerTimeout?: number
}

interface Pending {
  resolve: () => void
  reject: (error: Error) => void
}

/**
 * Main thread's side of the spool. Operations of one turn of the event loop, and all that arrive while the disk is
 * busy, are one transaction. If the worker fails, operations that a caller waits for are refused, and others are
 * repeated if that makes sense.
 */
export class SpoolClient {
  readonly #options: SpoolClientOptions
  readonly #thread: WorkerRpc<FromWorker, ToWorker>
  #queue: SpoolOperation[] = []
  #sent: SpoolOperation[] | undefined
  #puts = new Map<number, Pending>()
  /**
   * Last operation of each envelope that is not on disk yet, by id, and the time until which it prevents the envelope
   * from being taken.
   */
  readonly #unsettled = new Map<number, { operation: SpoolOperation; until: number }>()
  /** Number of envelopes in each of the last commits. */
  #commits: number[] = []
  #numbers = 0
  /** Bytes on their way to the disk. */
  #waiting = 0
  #sentBytes = 0
  #blocked: Array<() => void> = []
  #scheduled = false
  #batcher: NodeJS.Timeout | undefined
  #trouble: string | undefined
  #retry: NodeJS.Timeout | undefined
  #watchdog: NodeJS.Timeout | undefined
  /** The worker did not answer in time. New envelopes are refused in the meantime. */
  #stalled = false
  #closed = false

  constructor(options: SpoolClientOptions) {
    this.#options = options
    const { log, file, maxBytes, maxFileBytes, checkInterval, firstId, threadFile, answerTimeout } = options
    this.#thread = new WorkerRpc({
      file: threadFile ?? new URL('./spool-worker.ts', import.meta.url),
      title: "the spool's thread",
      name: 'spool',
      workerData: { file, maxBytes, maxFileBytes, checkInterval, firstId } satisfies WorkerSettings,
      log,
      answerTimeout,
      createError: () => new SpoolUnavailable(),
      onMessage: (notice) => this.#receive(notice),
      onStart: () => this.#schedule(),
      onEnd: () => this.#fail('its thread ended'),
      onSilence: () => this.#stall('its thread does not answer'),
      isBusy: () => this.#sent !== undefined
    })
  }

  /** Envelopes that wait for the disk, or were in a recent commit, since no envelope waits directly after a commit. */
  get burstSize(): number {
    return Math.max(this.#puts.size, ...this.#commits)
  }

  /** Whether the last operation succeeded. */
  get available(): boolean {
    return this.#trouble === undefined
  }

  /**
   * Ids that must not be taken because of operations that are not on disk yet: delivered and dropped envelopes and,
   * unless `evenEarly`, envelopes that were set aside. While the disk is full, such operations may not reach it.
   */
  heldBack(now: number, evenEarly: boolean): number[] {
    const held = [...this.#unsettled].filter(([, { until }]) => (evenEarly ? until === Infinity : until > now))
    return held.map(([id]) => id)
  }

  push(operation: Exclude<SpoolOperation, PutOperation>): void {
    if (this.#closed || (this.#stalled && operation.op === 'row')) return
    if (operation.op === 'delivered' || operation.op === 'drop')
      this.#unsettled.set(operation.id, { operation, until: Infinity })
    else if (operation.op === 'set-aside') this.#unsettled.set(operation.id, { operation, until: operation.due })
    else if (operation.op === 'release') this.#makeDue()
    this.#enqueue(operation)
  }

  /** Resolves when the envelope is on the disk. @throws SpoolUnavailable */
  put(operation: Omit<PutOperation, 'op' | 'ticket'>): Promise<void> {
    if (this.#closed || this.#stalled) {
      // The first rows of a large body may already be on disk.
      if (operation.bytes === undefined && operation.rows > 0) this.push({ op: 'abort', id: operation.id })
      return Promise.reject(new SpoolUnavailable())
    }
    const ticket = ++this.#numbers
    return new Promise((resolve, reject) => {
      this.#puts.set(ticket, { resolve, reject })
      this.#enqueue({ op: 'put', ticket, ...operation })
    })
  }

  /** @throws SpoolUnavailable */
  ask<Kind extends keyof Questions>(question: Questions[Kind]['question']): Promise<Questions[Kind]['answer']> {
    const answer = this.#thread.ask((number) => ({ kind: 'ask', number, question }))
    return answer as Promise<Questions[Kind]['answer']>
  }

  /** Resolves when there is room for more; undefined if there is room now. */
  room(): Promise<void> | undefined {
    if (this.#waiting <= MAX_WAITING || this.#stalled || this.#closed) return undefined
    return new Promise((resolve) => {
      this.#blocked.push(resolve)
    })
  }

  /** Closes the file. Accepted envelopes are then on disk or refused. */
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

  /** Resolves when all operations are on disk, or cannot be written. The worker answers messages in order. */
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
    if (isOfWriter(operation)) return this.#schedule()
    this.#batcher ??= setTimeout(
      safeCallback(() => {
        this.#batcher = undefined
        this.#flush()
      }),
      BATCH_DELAY
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

  /** Sends one batch at a time. Operations that arrive in the meantime are the next batch. */
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
    // A transferred body has length 0.
    this.#sentBytes = bytesOf(operations)
    const { packed, owned } = pack(operations)
    this.#thread.post({ kind: 'batch', ...packed }, owned)
  }

  /** @returns the question that has no answer, and its error */
  #receive(notice: Notice): { number: number; error: Error } | undefined {
    if (notice.kind === 'failed') {
      const { number, reason } = notice
      if (number !== undefined) return { number, error: new SpoolUnavailable({ cause: new Error(reason) }) }
      this.#fail(reason)
      return undefined
    }
    if (notice.kind === 'batch') this.#applied(notice)
    else this.#options.onState(notice.state, notice.discarded ?? [])
    this.#flush()
    return undefined
  }

  #applied({ refused, discarded, state, failed }: Extract<Notice, { kind: 'batch' }>): void {
    const operations = this.#takeSent()
    // An envelope that was set aside may be due by now, or before the next known due time.
    const any = operations.some(({ op }) => op === 'set-aside')
    const arrived = new Set<string>()
    this.#commits = [...this.#commits.slice(1 - BURST_COMMITS), operations.filter(({ op }) => op === 'put').length]
    for (const operation of operations) {
      if (operation.op === 'put') this.#settle(operation, refused)
      else if ('id' in operation && this.#unsettled.get(operation.id)?.operation === operation)
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
    this.#unblockIfHalfFree()
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
    this.#options.log.info({ file: this.#options.file }, 'the spool of envelopes is available again')
  }

  #noteTrouble(reason: string): void {
    if (this.#trouble === undefined)
      this.#options.log.warn({ file: this.#options.file, reason }, 'envelopes cannot be stored: they are refused')
    this.#trouble = reason
  }

  #stall(reason: string): void {
    this.#stalled = this.#sent !== undefined
    this.#noteTrouble(reason)
    this.#refuse(reason)
    this.#unblock()
    if (!this.#stalled) this.#tryAgain()
  }

  /** Handles the failure of a whole batch: nothing of it is on disk. */
  #fail(reason: string): void {
    this.#noteTrouble(reason)
    const operations = this.#takeSent()
    this.#refuse(reason)
    this.#queue.unshift(...operations.flatMap(withoutNewData))
    this.#tryAgain()
  }

  /** Schedules a retry. An empty queue gets an operation, so that a recovery is noticed. */
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

  /** Rejects operations that a caller waits for; keeps the others. */
  #refuse(reason: string): void {
    const cause = new Error(reason)
    for (const { reject } of this.#puts.values()) reject(new SpoolUnavailable({ cause }))
    this.#puts.clear()
    this.#queue = this.#queue.flatMap(withoutNewData)
    this.#waiting = this.#sentBytes
    this.#unblockIfHalfFree()
  }

  #unblockIfHalfFree(): void {
    if (this.#waiting <= MAX_WAITING / 2) this.#unblock()
  }

  #unblock(): void {
    const blocked = this.#blocked
    this.#blocked = []
    for (const resolve of blocked) resolve()
  }
}
