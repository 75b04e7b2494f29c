import { Worker } from 'node:worker_threads'
import type { Grants } from '../access/roles.ts'
import { InboxTooSlow, InboxUnavailable } from '../errors.ts'
import { completesWithin } from '@hull/common/completes-within.ts'
import { isWorkerMessage } from '@hull/common/worker-rpc.ts'
import type { FromQueryWorker, QuerySettings, ToQueryWorker } from './messages.ts'
import { fromPlainError } from './plain-error.ts'
import type { StorePlace } from './reader.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { trackThread } from '@hull/common/threads.ts'

/** Maximum milliseconds of a query. People do not wait longer for an empty panel. */
const DEADLINE = 2_000

/** Maximum waiting queries. Queries run one at a time. A guess: some people with a page of panels each. */
const MAX_WAITING = 32

/**
 * Maximum terminated threads that still run their query: SQLite cannot be interrupted, so a thread ends after its query.
 */
const MAX_ENDING = 2

/** Milliseconds for the thread to load its modules and connect to a database. A guess: a busy machine takes seconds. */
const START_TIMEOUT = 30_000

/** Milliseconds that `close` waits for such a thread. */
const CLOSE_TIMEOUT = 1_000

interface Query {
  name: string
  input: unknown
  grants: Grants | undefined
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

export interface QueryThreadOptions {
  /** Maximum milliseconds of a query. @default 2_000 */
  deadline?: number
  /** Maximum waiting queries. @default 32 */
  maxWaiting?: number
  /** Runs queries that are asked in the same moment together. For short ones, since all wait for the slowest. @default false */
  runsTogether?: boolean
}

/**
 * A thread for queries. Starts at the first query and is terminated if a query takes too long. Waiting queries are sent
 * ahead, so that the thread need not wait for this one between two queries.
 */
export class QueryThread {
  readonly #settings: QuerySettings
  readonly #maxWaiting: number
  readonly #runsTogether: boolean
  #worker: Worker | undefined
  /** Whether the thread is ready. The deadline of a query does not include its start. */
  #isReady = false
  /** The running query, and those that wait. */
  #queries: Query[] = []
  /** How many of them the thread has. */
  #sent = 0
  #isScheduled = false
  #timer: NodeJS.Timeout | undefined
  /** Whether a thread is being started because the one before was not answered in time. */
  #isLate = false
  #ending = 0
  #closed = false

  constructor(
    { file, database }: StorePlace,
    { deadline = DEADLINE, maxWaiting = MAX_WAITING, runsTogether = false }: QueryThreadOptions = {}
  ) {
    this.#settings = { file, database, deadline }
    this.#maxWaiting = maxWaiting
    this.#runsTogether = runsTogether
  }

  /**
   * Runs a query.
   * @param grants limits it to the projects of a person
   * @throws InboxTooSlow after the deadline, or if too many queries wait
   * @throws InboxUnavailable if the thread is closed, restarted or fails; if queries run together, also after the deadline
   * @throws the query's own error
   */
  run(name: string, input: unknown, grants?: Grants): Promise<unknown> {
    if (this.#closed || this.#isLate) return Promise.reject(new InboxUnavailable())
    if (this.#queries.length > this.#maxWaiting || this.#ending >= MAX_ENDING) return Promise.reject(new InboxTooSlow())
    return new Promise((resolve, reject) => {
      this.#queries.push({ name, input, grants, resolve, reject })
      if (this.#runsTogether) this.#sendSoon()
      else this.#send()
    })
  }

  /** Restarts the thread because the file was replaced. */
  restart(): void {
    void this.#end(new InboxUnavailable())
    this.#send()
  }

  async close(): Promise<void> {
    this.#closed = true
    const ended = this.#end(new InboxUnavailable())
    this.#rejectAll()
    await completesWithin(ended, CLOSE_TIMEOUT)
  }

  #send(): void {
    if (this.#queries.length === 0) return this.#worker?.unref() as void
    try {
      this.#worker ??= this.#start()
    } catch (error) {
      // The system has no room for another thread.
      return this.#rejectAll({ cause: error })
    }
    const worker = this.#worker
    worker.ref()
    const isIdle = this.#sent === 0
    const queries = this.#queries.slice(this.#sent).map(({ name, input, grants }) => ({ name, input, grants }))
    if (this.#runsTogether && queries.length > 0) worker.postMessage(queries satisfies ToQueryWorker)
    else for (const query of queries) worker.postMessage([query] satisfies ToQueryWorker)
    this.#sent = this.#queries.length
    if (isIdle) this.#watch()
  }

  /** Sends what is asked until the end of this turn of the event loop in one list. */
  #sendSoon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(
      safeCallback(() => {
        this.#isScheduled = false
        this.#send()
      })
    )
  }

  /** Limits the time of the running query, or of the start. */
  #watch(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      safeCallback(() => this.#giveUp()),
      this.#isReady ? this.#settings.deadline : START_TIMEOUT
    )
  }

  /**
   * Ends the thread. Queries that run together are short, so a slow one means that the database does not answer. The
   * waiting queries fail too: their pages would fail before the database answers.
   */
  #giveUp(): void {
    void this.#end(this.#runsTogether ? new InboxUnavailable() : new InboxTooSlow())
    if (!this.#runsTogether) return this.#send()
    this.#rejectAll()
    this.#worker = this.#start()
    this.#worker.unref()
    this.#isLate = true
    this.#watch()
  }

  #start(): Worker {
    const worker = trackThread(
      new Worker(new URL('./query-worker.ts', import.meta.url), {
        name: 'inbox queries',
        workerData: this.#settings,
        execArgv: []
      })
    )
    const onMessage = safeCallback((message: unknown) => {
      if (worker !== this.#worker || !isWorkerMessage<FromQueryWorker>(message)) return
      if (message.kind === 'ready') {
        this.#isReady = true
        this.#isLate = false
        clearTimeout(this.#timer)
        if (this.#sent > 0) this.#watch()
        return
      }
      const query = this.#takeRunning()
      if (message.kind === 'failed') query?.reject(fromPlainError(message.error))
      else query?.resolve(message.value)
      if (this.#sent > 0) this.#watch()
      this.#send()
    })
    const onError = safeCallback((error: unknown) => {
      if (worker !== this.#worker) return
      void this.#end(new InboxUnavailable({ cause: error }))
      this.#send()
    })
    worker.on('message', onMessage)
    worker.on('error', onError)
    return worker
  }

  #rejectAll(options?: ErrorOptions): void {
    for (const { reject } of this.#queries.splice(0)) reject(new InboxUnavailable(options))
  }

  #takeRunning(): Query | undefined {
    clearTimeout(this.#timer)
    if (this.#sent === 0) return undefined
    this.#sent--
    return this.#queries.shift()
  }

  async #end(reason: Error): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    this.#isReady = false
    this.#isLate = false
    this.#takeRunning()?.reject(reason)
    this.#sent = 0
    if (worker === undefined) return
    this.#ending++
    await worker.terminate()
    this.#ending--
  }
}
