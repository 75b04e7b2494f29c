import { Worker } from 'node:worker_threads'
import type { Grants } from '../access/roles.ts'
import { InboxTooSlow, InboxUnavailable } from '../errors.ts'
import { completesWithin } from '@hull/common/completes-within.ts'
import { isWorkerMessage } from '@hull/common/worker-rpc.ts'
import type { FromQueryWorker, QuerySettings, ToQueryWorker } from './messages.ts'
import { fromPlainError } from '../plain-error.ts'
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

/** Milliseconds for the thread to load its modules. A guess: a busy machine takes seconds. */
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
}

/** A thread for queries. Starts at the first query and is terminated if a query takes too long. */
export class QueryThread {
  readonly #settings: QuerySettings
  readonly #maxWaiting: number
  #worker: Worker | undefined
  /** Whether the thread has loaded its modules. The deadline of a query does not include the loading. */
  #isReady = false
  #current: Query | undefined
  #timer: NodeJS.Timeout | undefined
  #ending = 0
  #waiting: Query[] = []
  #closed = false

  constructor(
    { file, database }: StorePlace,
    { deadline = DEADLINE, maxWaiting = MAX_WAITING }: QueryThreadOptions = {}
  ) {
    this.#settings = { file, database, deadline }
    this.#maxWaiting = maxWaiting
  }

  /**
   * Runs a query.
   * @param grants limits it to the projects of a person
   * @throws InboxTooSlow after the deadline, or if too many queries wait
   * @throws InboxUnavailable if the thread is closed, restarted or fails
   * @throws the query's own error
   */
  run(name: string, input: unknown, grants?: Grants): Promise<unknown> {
    if (this.#closed) return Promise.reject(new InboxUnavailable())
    if (this.#waiting.length >= this.#maxWaiting || this.#ending >= MAX_ENDING)
      return Promise.reject(new InboxTooSlow())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ name, input, grants, resolve, reject })
      this.#next()
    })
  }

  /** Restarts the thread because the file was replaced. */
  restart(): void {
    void this.#end(new InboxUnavailable())
    this.#next()
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const { reject } of this.#waiting.splice(0)) reject(new InboxUnavailable())
    await completesWithin(this.#end(new InboxUnavailable()), CLOSE_TIMEOUT)
  }

  #next(): void {
    if (this.#current !== undefined) return
    const query = this.#waiting.shift()
    if (query === undefined) return this.#worker?.unref() as void
    this.#current = query
    const worker = (this.#worker ??= this.#start())
    worker.ref()
    worker.postMessage({ name: query.name, input: query.input, grants: query.grants } satisfies ToQueryWorker)
    this.#watch(this.#isReady ? this.#settings.deadline : START_TIMEOUT)
  }

  #watch(limit: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      safeCallback(() => {
        void this.#end(new InboxTooSlow())
        this.#next()
      }),
      limit
    )
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
        if (this.#current !== undefined) this.#watch(this.#settings.deadline)
        return
      }
      const query = this.#takeCurrent()
      if (message.kind === 'failed') query?.reject(fromPlainError(message.error))
      else query?.resolve(message.value)
      this.#next()
    })
    const onError = safeCallback((error: unknown) => {
      if (worker !== this.#worker) return
      void this.#end(new InboxUnavailable({ cause: error }))
      this.#next()
    })
    worker.on('message', onMessage)
    worker.on('error', onError)
    return worker
  }

  #takeCurrent(): Query | undefined {
    clearTimeout(this.#timer)
    const query = this.#current
    this.#current = undefined
    return query
  }

  async #end(reason: Error): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    this.#isReady = false
    this.#takeCurrent()?.reject(reason)
    if (worker === undefined) return
    this.#ending++
    await worker.terminate()
    this.#ending--
  }
}
