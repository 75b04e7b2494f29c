import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import type { SQLInputValue } from 'node:sqlite'
import { safeCallback } from '@hull/common/safe-callback.ts'
import type { Row } from '../store.ts'
import { CONNECTION_LOST, PostgresError } from './postgres-error.ts'

export interface ConnectionOptions {
  /** Address of the database, `postgresql://…`. */
  url: string
  /** Milliseconds after which a server that does not answer counts as lost. Statements have shorter limits. @default 60_000 */
  answerTimeout?: number
}

export interface ConnectionWorkerData extends ConnectionOptions {
  /** Counts the responses; the waiting thread sleeps until it changes. */
  flag: SharedArrayBuffer
  port: MessagePort
}

/** A value of a statement; an array is one value, too. */
export type ConnectionValue = SQLInputValue | readonly SQLInputValue[]

export interface ConnectionRequest {
  text: string
  /** @default the text may hold several statements, which have no parameters */
  values?: readonly ConnectionValue[]
  /** Name under which PostgreSQL keeps the prepared statement. @default it is prepared for this request only */
  name?: string
}

/** The result of each request, or the error of the first that failed; none after it is run. */
export type ConnectionResponse =
  | { results: ConnectionResult[] }
  /** `isLost`: the connection has ended, and so has its transaction. */
  | { error: { message: string; code: string }; isLost: boolean }

export interface ConnectionResult {
  rows: Row[]
  /** Number of rows that the statement returned or changed. */
  changes: number
}

/** A request that is sent with the next one whose result is taken. */
export interface DeferredRequest {
  readonly request: ConnectionRequest
  /** undefined until it was answered. */
  result?: ConnectionResult
}

/** The request that ends the connection. */
export const END: ConnectionRequest = { text: '' }

const ANSWER_TIMEOUT = 60_000

/**
 * A connection to PostgreSQL whose requests block this thread until they are answered, so that the same functions work
 * on SQLite and PostgreSQL. A second thread talks to the database. Never use it in the main thread of a server.
 */
export class Connection {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #signal: Int32Array
  #deferred: DeferredRequest[] = []
  #answerTimeout: number
  #isClosed = false

  constructor(options: ConnectionOptions) {
    const flag = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    this.#signal = new Int32Array(flag)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#answerTimeout = options.answerTimeout ?? ANSWER_TIMEOUT
    this.#worker = new Worker(new URL('./connection-worker.ts', import.meta.url), {
      name: 'inbox database',
      workerData: { ...options, flag, port: port2 } satisfies ConnectionWorkerData,
      transferList: [port2],
      execArgv: []
    })
    this.#worker.on(
      'error',
      safeCallback(() => this.#abandon())
    )
    this.#worker.unref()
  }

  /** Sends a request with the next one whose result is taken, which throws its error. */
  defer(request: ConnectionRequest): DeferredRequest {
    const deferred: DeferredRequest = { request }
    this.#deferred.push(deferred)
    return deferred
  }

  /** Forgets the deferred requests. */
  discard(): void {
    this.#deferred = []
  }

  /** @throws PostgresError of this request, or of the first deferred one that failed */
  query(request: ConnectionRequest): ConnectionResult {
    return this.take(this.defer(request))
  }

  /**
   * The result of a deferred request. Sends all deferred requests, if it was not sent yet.
   * @throws PostgresError of the first request that failed
   */
  take(deferred: DeferredRequest): ConnectionResult {
    if (deferred.result) return deferred.result
    if (!this.#deferred.includes(deferred)) throw new PostgresError('the request was discarded', '')
    this.#send()
    return deferred.result!
  }

  /** Runs work whose requests may take any time. The operating system notices a server that does not answer. */
  withoutTimeout(work: () => void): void {
    const timeout = this.#answerTimeout
    this.#answerTimeout = Infinity
    try {
      work()
    } finally {
      this.#answerTimeout = timeout
    }
  }

  #send(): void {
    const deferred = this.#deferred.splice(0)
    if (this.#isClosed) throw new PostgresError('the connection to the database has ended', CONNECTION_LOST)
    this.#port.postMessage(deferred.map(({ request }) => request))
    const response = this.#wait(performance.now() + this.#answerTimeout)
    if ('error' in response) {
      if (response.isLost) this.#abandon()
      throw new PostgresError(response.error.message, response.error.code)
    }
    for (const [index, result] of response.results.entries()) deferred[index]!.result = result
  }

  /** Sleeps until the response is there. */
  #wait(until: number): ConnectionResponse {
    for (;;) {
      const seen = Atomics.load(this.#signal, 0)
      const received = receiveMessageOnPort(this.#port)
      if (received) return received.message as ConnectionResponse
      if (Atomics.wait(this.#signal, 0, seen, until - performance.now()) !== 'timed-out') continue
      this.#abandon()
      throw new PostgresError('the database does not answer', CONNECTION_LOST)
    }
  }

  /** Whether the connection was closed, or is lost. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Ends the connection. One that is lost needs no end. */
  close(): void {
    if (this.#isClosed) return
    try {
      this.query(END)
      this.#isClosed = true
      this.#port.close()
    } catch {
      this.#abandon()
    }
  }

  #abandon(): void {
    this.#isClosed = true
    void this.#worker.terminate()
  }
}
