import { Worker } from 'node:worker_threads'
import { InboxUnavailable } from '../errors.ts'
import { settlesWithin } from '../settles-within.ts'
import type { FromWorker, InboxSettings, Question, ToWorker } from './messages.ts'
import { fromPlainError } from './plain-error.ts'

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
export type Notice = Exclude<FromWorker, { kind: 'answer' | 'failed' | 'log' }>

/** The thread ended with the question in its hands. */
export class ThreadEnded extends Error {
  override name = 'ThreadEnded'
}

interface Pending {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

export interface ThreadOptions extends InboxSettings {
  log: Log
  onNotice: (notice: Notice) => void
  /** It ended, and what it had in hand with it. */
  onEnd: () => void
}

/** The worker that writes: started again when it ends. Keeps the process alive only while something is under way. */
export class InboxThread {
  readonly #options: ThreadOptions
  #worker: Worker | undefined
  #asked = new Map<number, Pending>()
  #numbers = 0
  #restart: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ThreadOptions) {
    this.#options = options
    this.#start()
  }

  /**
   * @throws InboxUnavailable where the file cannot be used; because of a {@link ThreadEnded} where that is why
   * @throws whatever the change does
   */
  ask(question: Question, transfer: ArrayBuffer[] = []): Promise<unknown> {
    if (this.#closed || this.#worker === undefined) return Promise.reject(new InboxUnavailable())
    const number = ++this.#numbers
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject })
      this.#post({ kind: 'ask', number, question }, transfer)
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#restart)
    const worker = this.#worker
    if (worker === undefined) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    this.#post({ kind: 'close' })
    if (!(await settlesWithin(ended, CLOSE_TIMEOUT))) await worker.terminate()
  }

  #post(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    this.#worker?.ref()
    this.#worker?.postMessage(message, transfer)
  }

  #start(): void {
    const { log, onNotice: _onNotice, onEnd: _onEnd, ...settings } = this.#options
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      name: 'inbox',
      workerData: settings satisfies InboxSettings,
      // Flags of the process, such as what `npm start` loads into it, are not for this thread.
      execArgv: []
    })
    worker.unref()
    worker.on('message', (message: FromWorker) => this.#receive(message))
    worker.on('error', (err) => {
      log.error({ err }, "the inbox's thread failed")
    })
    worker.once('exit', () => this.#end())
    this.#worker = worker
  }

  #end(): void {
    this.#worker = undefined
    for (const { reject } of this.#asked.values()) reject(new InboxUnavailable({ cause: new ThreadEnded() }))
    this.#asked.clear()
    if (this.#closed) return
    this.#options.onEnd()
    this.#restart = setTimeout(() => this.#start(), RESTART_DELAY).unref()
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'log') this.#options.log[message.level](message.details, message.message)
    else if (message.kind === 'answer') this.#takeAsked(message.number)?.resolve(message.value)
    else if (message.kind === 'failed') this.#takeAsked(message.number)?.reject(fromPlainError(message.error))
    else this.#options.onNotice(message)
    if (this.#asked.size === 0) this.#worker?.unref()
  }

  #takeAsked(number: number): Pending | undefined {
    const pending = this.#asked.get(number)
    this.#asked.delete(number)
    return pending
  }
}
