import { Worker } from 'node:worker_threads'
import { SpoolUnavailable } from '../errors.ts'
import { settlesWithin } from '../settles-within.ts'
import type { FromWorker, Questions, ToWorker, WorkerSettings } from './spool-messages.ts'

/** Milliseconds until a thread that ended is started again. */
const RESTART_DELAY = 1_000

/** Milliseconds for the thread to close its file. */
const CLOSE_TIMEOUT = 2_000

export interface Log {
  info: (details: object, message: string) => void
  warn: (details: object, message: string) => void
  error: (details: object, message: string) => void
}

/** What a thread says that is no answer to a question. */
export type Notice = Extract<FromWorker, { kind: 'batch' | 'state' | 'failed' }>

export interface ThreadOptions extends WorkerSettings {
  log: Log
  onNotice: (notice: Notice) => void
  /** The thread is there, for the first time or again. */
  onStart: () => void
  /** It ended, and what it had in hand with it. */
  onEnd: () => void
}

interface Pending {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

/** The spool's worker: started again when it ends. Keeps the process alive only while something is under way. */
export class SpoolThread {
  readonly #options: ThreadOptions
  #worker: Worker | undefined
  #asked = new Map<number, Pending>()
  #numbers = 0
  /** Batches that are not answered. */
  #batches = 0
  #restart: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ThreadOptions) {
    this.#options = options
    this.#start()
  }

  get alive(): boolean {
    return this.#worker !== undefined
  }

  post(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    if (message.kind === 'batch') this.#batches++
    this.#worker?.ref()
    this.#worker?.postMessage(message, transfer)
  }

  /** @throws SpoolUnavailable */
  ask<Kind extends keyof Questions>(question: Questions[Kind]['question']): Promise<Questions[Kind]['answer']> {
    if (this.#closed || this.#worker === undefined) return Promise.reject(new SpoolUnavailable())
    const number = ++this.#numbers
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve: resolve as Pending['resolve'], reject })
      this.post({ kind: 'ask', number, question })
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#restart)
    const worker = this.#worker
    if (worker === undefined) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    this.post({ kind: 'close' })
    if (!(await settlesWithin(ended, CLOSE_TIMEOUT))) await worker.terminate()
  }

  #start(): void {
    const { file, maxBytes, maxFileBytes, firstId, log } = this.#options
    const worker = new Worker(new URL('./spool-worker.ts', import.meta.url), {
      name: 'spool',
      workerData: { file, maxBytes, maxFileBytes, firstId } satisfies WorkerSettings,
      // Flags of the process, such as what `npm start` loads into it, are not for this thread.
      execArgv: []
    })
    worker.unref()
    worker.on('message', (message: FromWorker) => this.#receive(message))
    worker.on('error', (err) => {
      log.error({ err }, "the spool's thread failed")
    })
    worker.once('exit', () => this.#end())
    this.#worker = worker
    this.#options.onStart()
  }

  #end(): void {
    this.#worker = undefined
    this.#batches = 0
    for (const { reject } of this.#asked.values()) reject(new SpoolUnavailable())
    this.#asked.clear()
    if (this.#closed) return
    this.#options.onEnd()
    this.#restart = setTimeout(() => this.#start(), RESTART_DELAY).unref()
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'log') {
      this.#options.log[message.level](message.details, message.message)
    } else if (message.kind === 'answer') {
      this.#takeAsked(message.number)?.resolve(message.value)
    } else if (message.kind === 'failed' && message.number !== undefined) {
      this.#takeAsked(message.number)?.reject(new SpoolUnavailable({ cause: new Error(message.reason) }))
    } else {
      if (message.kind !== 'state') this.#batches--
      this.#options.onNotice(message)
    }
    if (this.#batches === 0 && this.#asked.size === 0) this.#worker?.unref()
  }

  #takeAsked(number: number): Pending | undefined {
    const pending = this.#asked.get(number)
    this.#asked.delete(number)
    return pending
  }
}
