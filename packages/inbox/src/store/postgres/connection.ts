import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import type { SQLInputValue } from 'node:sqlite'
import type { Row } from '../store.ts'
import { CONNECTION_LOST, PostgresError } from './postgres-error.ts'

export interface ConnectionOptions {
  /** Address of the database, `postgresql://…`. */
  url: string
}

export interface ConnectionWorkerData extends ConnectionOptions {
  /** Counts the responses; the waiting thread sleeps until it changes. */
  flag: SharedArrayBuffer
  port: MessagePort
}

export interface ConnectionRequest {
  text: string
  /** @default the text has no parameters, and may hold several statements */
  values?: readonly SQLInputValue[]
  /** Name under which PostgreSQL keeps the prepared statement. @default it is prepared for this request only */
  name?: string
  /** Milliseconds after which the connection counts as lost. @default 60_000 */
  timeout?: number
}

export type ConnectionResponse =
  | ConnectionResult
  /** `isLost`: the connection has ended, and so has its transaction. */
  | { error: { message: string; code: string }; isLost: boolean }

export interface ConnectionResult {
  rows: Row[]
  /** Number of rows that the statement returned or changed. */
  changes: number
}

/** The request that ends the connection. */
export const END: ConnectionRequest = { text: '' }

/** Milliseconds that a request may take. Statements have shorter limits, except those of a migration. */
const ANSWER_TIMEOUT = 60_000

/**
 * A connection to PostgreSQL whose requests block this thread until they are answered, so that the same functions work
 * on SQLite and PostgreSQL. A second thread talks to the database. Never use it in the main thread of a server.
 */
export class Connection {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #signal: Int32Array
  #isClosed = false

  constructor(options: ConnectionOptions) {
    const flag = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    this.#signal = new Int32Array(flag)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#worker = new Worker(new URL('./connection-worker.ts', import.meta.url), {
      name: 'inbox database',
      workerData: { ...options, flag, port: port2 } satisfies ConnectionWorkerData,
      transferList: [port2],
      execArgv: []
    })
    this.#worker.unref()
  }

  /** @throws PostgresError */
  query(request: ConnectionRequest): ConnectionResult {
    if (this.#isClosed) throw new PostgresError('the connection to the database has ended', CONNECTION_LOST)
    const before = Atomics.load(this.#signal, 0)
    this.#port.postMessage(request)
    if (Atomics.wait(this.#signal, 0, before, request.timeout ?? ANSWER_TIMEOUT) === 'timed-out') {
      this.#abandon()
      throw new PostgresError('the database does not answer', CONNECTION_LOST)
    }
    const response = receiveMessageOnPort(this.#port)!.message as ConnectionResponse
    if (!('error' in response)) return response
    if (response.isLost) this.#abandon()
    throw new PostgresError(response.error.message, response.error.code)
  }

  /** Whether the connection was closed, or is lost. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Ends the connection. */
  close(): void {
    if (this.#isClosed) return
    this.query(END)
    this.#isClosed = true
    this.#port.close()
  }

  #abandon(): void {
    this.#isClosed = true
    void this.#worker.terminate()
  }
}
