import type { Codec, DeferredFailure, DeferredValue, PagePayload } from '../../routing/payload.ts'
import { Outcome, Redirect } from '@hull/common/outcomes.ts'
import { decodeValue } from './decode-value.ts'

/** A failure on the server. The browser only receives its digest. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure'
  readonly digest: string | undefined

  constructor(digest?: string) {
    super('The server failed to produce a part of this page')
    this.digest = digest
  }
}

/** A promise that React's `use` can read without suspending once `status` is set. */
interface DeferredPromise extends Promise<unknown> {
  status?: 'fulfilled'
  value?: unknown
}

interface Deferred {
  promise: DeferredPromise
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The promises of one payload, settled as the rest of its stream arrives. */
export class ReceivedValues {
  /** Whether a value has failed on the server, or was cut off: another request may receive it. */
  hasFailed = false
  readonly #waiting = new Map<number, Deferred>()
  #settled = 0

  /** Returns the promise with the number `id`. Creates it at first use. */
  get = (id: number): DeferredPromise => this.#deferred(id).promise

  settle = ([id, ok, text, codec]: DeferredValue): void => {
    const { promise, resolve, reject } = this.#deferred(id)
    this.#settled++
    if (!ok) {
      const error = toError(JSON.parse(text) as DeferredFailure)
      this.hasFailed ||= error instanceof ServerFailure
      return reject(error)
    }
    let value: unknown
    try {
      value = codec === 'json' ? JSON.parse(text) : decodeValue(text, this.get)
    } catch (error) {
      // The browser does not support this type of value, so the promise rejects.
      return reject(error)
    }
    promise.status ??= 'fulfilled'
    promise.value = value
    resolve(value)
  }

  /** Whether no value is pending. */
  get isSettled(): boolean {
    return this.#waiting.size === this.#settled
  }

  /** Rejects all pending values, after the stream was cut. */
  abandon(): void {
    this.hasFailed ||= !this.isSettled
    for (const { reject } of this.#waiting.values()) reject(new ServerFailure())
  }

  #deferred(id: number): Deferred {
    let deferred = this.#waiting.get(id)
    if (!deferred) {
      deferred = Promise.withResolvers<unknown>()
      deferred.promise.catch(() => {})
      this.#waiting.set(id, deferred)
    }
    return deferred
  }
}

/** Decodes a payload: its first line, and late values in the lines after it. */
export function decodePayload(source: string, codec: Codec, late: ReceivedValues): PagePayload {
  const [text = '', ...lines] = source.split('\n')
  const payload = (codec === 'json' ? JSON.parse(text) : decodeValue(text, late.get)) as PagePayload
  for (const line of lines) settleLine(line, late)
  return payload
}

/** Decodes a line after the first: a late value, or nothing. */
export function settleLine(line: string, late: ReceivedValues): void {
  if (line) late.settle(JSON.parse(line) as DeferredValue)
}

function toError({ outcome, redirect, digest }: DeferredFailure): Error {
  if (outcome) return new Outcome(outcome.status, outcome.message, outcome)
  if (redirect) return new Redirect(redirect.to, { external: redirect.external, replace: true })
  return new ServerFailure(digest)
}
