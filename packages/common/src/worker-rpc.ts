import { Worker, type WorkerOptions } from 'node:worker_threads'
import { completesWithin } from './completes-within.ts'
import { safeCallback } from './safe-callback.ts'
import { trackThread } from './threads.ts'

/**
 * Milliseconds until a thread that ended is restarted. They double with each thread that ends without a message, up to
 * the longest: one that cannot start should not fill the log. A guess.
 */
const RESTART_DELAY = 1_000
const LONGEST_RESTART_DELAY = 60_000

/** Maximum milliseconds for the thread to close its files. */
const CLOSE_TIMEOUT = 2_000

/** Maximum milliseconds to wait for a terminated thread. It does not end while it is inside SQLite. */
const TERMINATE_TIMEOUT = 500

/** Milliseconds without a message after which a busy thread counts as silent. A guess. */
const ANSWER_TIMEOUT = 30_000

/** Number of checks within that time. One check is not enough, because it may be late if this thread was busy. */
const CHECKS = 3

export interface Log {
  info: (details: object, message: string) => void
  warn: (details: object, message: string) => void
  error: (details: object, message: string) => void
}

/** Messages of all such threads. */
type CommonMessage =
  | { kind: 'answer'; number: number; value: unknown }
  | { kind: 'log'; level: keyof Log; details: object; message: string }

/** Messages that are neither answers nor log lines. */
type Notice<From extends { kind: string }> = Exclude<From, { kind: CommonMessage['kind'] }>

export interface WorkerRpcOptions<From extends { kind: string }> {
  file: URL
  /** Name in the log, such as `the spool's thread`. */
  title: string
  name: string
  workerData: WorkerOptions['workerData']
  log: Log
  /**
   * Error thrown to callers if the thread does not answer, has ended or is closed.
   * @param ended the thread ended while it had the question
   */
  createError: (ended: boolean) => Error
  /**
   * Called with messages that are neither answers nor log lines.
   * @returns the question that the message rejects, and the error
   */
  onMessage: (message: Notice<From>) => { number: number; error: Error } | undefined
  /** Called when the thread has started or restarted. */
  onStart?: () => void
  /** Called when the thread has ended and its unanswered messages are lost. */
  onEnd: () => void
  /** Called when a busy thread does not answer and all questions were rejected. It may answer again later. */
  onSilence?: () => void
  /** Whether the thread has work besides questions. @default never */
  isBusy?: () => boolean
  /** Milliseconds without a message after which a busy thread counts as silent. @default 30_000 */
  answerTimeout?: number
}

interface Pending {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

/**
 * A worker that answers questions and is restarted when it ends. It keeps the process alive only while it has work. The
 * worker must close itself when it receives a message of kind `close`. While it does not answer, questions are rejected
 * at once; it is not restarted then, because the rescue of a damaged file may take minutes.
 */
export class WorkerRpc<From extends { kind: string }, To extends { kind: string }> {
  readonly #options: WorkerRpcOptions<From>
  #worker: Worker | undefined
  readonly #pending = new Map<number, Pending>()
  #numbers = 0
  #restart: NodeJS.Timeout | undefined
  /** Number of threads that have ended, or could not be started, since the last message. */
  #ends = 0
  #closed = false
  #watchdog: NodeJS.Timeout | undefined
  /** Number of checks since the last message. */
  #checks = 0

  constructor(options: WorkerRpcOptions<From>) {
    this.#options = options
    this.#tryStart()
  }

  get alive(): boolean {
    return this.#worker !== undefined
  }

  /** Whether the thread is running and has answered within the limit. */
  get answers(): boolean {
    return this.alive && this.#checks < CHECKS
  }

  post(message: To | { kind: 'close' }, transfer: ArrayBuffer[] = []): void {
    this.#worker?.ref()
    this.#worker?.postMessage(message, transfer)
    this.#watch()
  }

  /** @throws the error of `createError` or `onMessage` */
  ask(toMessage: (number: number) => To, transfer?: ArrayBuffer[]): Promise<unknown> {
    if (this.#closed || !this.answers) return Promise.reject(this.#options.createError(false))
    const number = ++this.#numbers
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { resolve, reject })
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
    if (!(await completesWithin(ended, CLOSE_TIMEOUT))) await completesWithin(worker.terminate(), TERMINATE_TIMEOUT)
    clearInterval(this.#watchdog)
    this.#rejectAll(false)
  }

  /** Checks the thread regularly while it has work. */
  #watch(): void {
    if (this.#closed || this.#worker === undefined) return
    const { answerTimeout = ANSWER_TIMEOUT } = this.#options
    this.#watchdog ??= setInterval(
      safeCallback(() => this.#check()),
      answerTimeout / CHECKS
    ).unref()
  }

  #check(): void {
    if (++this.#checks !== CHECKS) return
    const { log, title, onSilence } = this.#options
    log.error({}, `${title} does not answer: requests to it fail`)
    this.#rejectAll(false)
    onSilence?.()
  }

  #noteMessage(): void {
    this.#ends = 0
    if (this.#checks >= CHECKS) this.#options.log.info({}, `${this.#options.title} answers again`)
    this.#checks = 0
  }

  #stopWatching(): void {
    clearInterval(this.#watchdog)
    this.#watchdog = undefined
    this.#checks = 0
  }

  #rejectAll(ended: boolean): void {
    for (const { reject } of this.#pending.values()) reject(this.#options.createError(ended))
    this.#pending.clear()
  }

  #start(): void {
    const { file, name, workerData, log, title, onStart } = this.#options
    // Flags of the process, such as what `npm start` loads, do not apply to this thread.
    const worker = trackThread(new Worker(file, { name, workerData, execArgv: [] }))
    worker.unref()
    worker.on(
      'message',
      safeCallback((message: unknown) => {
        if (isWorkerMessage<CommonMessage | Notice<From>>(message)) this.#receive(message)
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
    this.#stopWatching()
    this.#rejectAll(true)
    if (this.#closed) return
    this.#options.onEnd()
    this.#startLater()
  }

  #startLater(): void {
    this.#restart = setTimeout(
      safeCallback(() => this.#tryStart()),
      Math.min(RESTART_DELAY * 2 ** this.#ends++, LONGEST_RESTART_DELAY)
    ).unref()
  }

  /** Node throws at once if the system has no room for another thread. */
  #tryStart(): void {
    try {
      this.#start()
    } catch (err) {
      if (this.alive) throw err
      this.#options.log.error({ err }, `${this.#options.title} failed`)
      this.#startLater()
    }
  }

  #receive(message: CommonMessage | Notice<From>): void {
    const { log, onMessage, isBusy } = this.#options
    this.#noteMessage()
    if (isCommonMessage(message)) {
      if (message.kind === 'log') log[message.level](message.details, message.message)
      else this.#takePending(message.number)?.resolve(message.value)
    } else {
      const failed = onMessage(message)
      if (failed) this.#takePending(failed.number)?.reject(failed.error)
    }
    if (this.#pending.size > 0 || isBusy?.()) return
    this.#worker?.unref()
    this.#stopWatching()
  }

  #takePending(number: number): Pending | undefined {
    const pending = this.#pending.get(number)
    this.#pending.delete(number)
    return pending
  }
}

const isCommonMessage = (message: { kind: string }): message is CommonMessage =>
  message.kind === 'log' || message.kind === 'answer'

/**
 * Whether a message is from our own code in the worker, whose messages are objects with a `kind`. With `--watch` and
 * `--watch-path`, Node posts its own messages to the same port, such as `{ 'watch:import': […] }`.
 */
export const isWorkerMessage = <Message extends { kind: string }>(message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'kind' in message
