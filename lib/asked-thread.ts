import { Worker, type WorkerOptions } from 'node:worker_threads'
import { settlesWithin } from './settles-within.ts'
import { isWorkerMessage } from './worker-message.ts'
import { safeCallback } from './safe-callback.ts'

/** Milliseconds until a thread that ended is started again. */
const RESTART_DELAY = 1_000

/** Milliseconds for the thread to close what it has open. */
const CLOSE_TIMEOUT = 2_000

export interface Log {
  info: (details: object, message: string) => void
  warn: (details: object, message: string) => void
  error: (details: object, message: string) => void
}

/** What any such thread says. */
type Said =
  | { kind: 'answer'; number: number; value: unknown }
  | { kind: 'log'; level: keyof Log; details: object; message: string }

/** What a thread says beside answers and lines of the log. */
type Told<From extends { kind: string }> = Exclude<From, { kind: Said['kind'] }>

export interface AskedThreadOptions<From extends { kind: string }> {
  file: URL
  /** In words, for the log: `the spool's thread`. */
  title: string
  name: string
  workerData: WorkerOptions['workerData']
  log: Log
  /** What those hear who ask in vain. @param ended the thread ended with their question in its hands */
  createError: (ended: boolean) => Error
  /** What it says that is neither an answer nor for the log. @returns whether it fails a question, and how */
  onTold: (told: Told<From>) => { number: number; error: Error } | undefined
  /** The thread is there, for the first time or again. */
  onStart?: () => void
  /** It ended, and what it had in hand with it. */
  onEnd: () => void
  /** Whether it has something in hand beside questions. @default never */
  isBusy?: () => boolean
}

interface Pending {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

/**
 * A worker that answers questions: started again when it ends. Keeps the process alive only while something is under
 * way. It closes by itself at a message of the kind `close`.
 */
export class AskedThread<From extends { kind: string }, To extends { kind: string }> {
  readonly #options: AskedThreadOptions<From>
  #worker: Worker | undefined
  readonly #asked = new Map<number, Pending>()
  #numbers = 0
  #restart: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: AskedThreadOptions<From>) {
    this.#options = options
    this.#start()
  }

  get alive(): boolean {
    return this.#worker !== undefined
  }

  post(message: To | { kind: 'close' }, transfer: ArrayBuffer[] = []): void {
    this.#worker?.ref()
    this.#worker?.postMessage(message, transfer)
  }

  /** @throws what `createError` makes, and what `onTold` says */
  ask(toMessage: (number: number) => To, transfer?: ArrayBuffer[]): Promise<unknown> {
    if (this.#closed || this.#worker === undefined) return Promise.reject(this.#options.createError(false))
    const number = ++this.#numbers
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject })
      this.post(toMessage(number), transfer)
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
    const { file, name, workerData, log, title, onStart } = this.#options
    // Flags of the process, such as what `npm start` loads into it, are not for this thread.
    const worker = new Worker(file, { name, workerData, execArgv: [] })
    worker.unref()
    worker.on(
      'message',
      safeCallback((message: unknown) => {
        if (isWorkerMessage<Said | Told<From>>(message)) this.#receive(message)
      })
    )
    worker.on(
      'error',
      safeCallback((err: unknown) => log.error({ err }, `${title} failed`))
    )
    worker.once(
      'exit',
      safeCallback(() => this.#end())
    )
    this.#worker = worker
    onStart?.()
  }

  #end(): void {
    this.#worker = undefined
    for (const { reject } of this.#asked.values()) reject(this.#options.createError(true))
    this.#asked.clear()
    if (this.#closed) return
    this.#options.onEnd()
    this.#restart = setTimeout(
      safeCallback(() => this.#start()),
      RESTART_DELAY
    ).unref()
  }

  #receive(message: Said | Told<From>): void {
    const { log, onTold, isBusy } = this.#options
    if (isSaid(message)) {
      if (message.kind === 'log') log[message.level](message.details, message.message)
      else this.#takeAsked(message.number)?.resolve(message.value)
    } else {
      const failed = onTold(message)
      if (failed) this.#takeAsked(failed.number)?.reject(failed.error)
    }
    if (this.#asked.size === 0 && !isBusy?.()) this.#worker?.unref()
  }

  #takeAsked(number: number): Pending | undefined {
    const pending = this.#asked.get(number)
    this.#asked.delete(number)
    return pending
  }
}

const isSaid = (message: { kind: string }): message is Said => message.kind === 'log' || message.kind === 'answer'
