import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import type { DeferredFailure, DeferredValue, PagePayload, ValueCodec } from '../routing/payload.ts'
import { toRedirectTarget } from '@hull/common/safe-url.ts'
import { PayloadTooLarge, PayloadUnserialisable } from '../errors.ts'
import { createUnsafeRedirect } from '../http/redirect.ts'
import { handleRejection } from '../server/handled-promise.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { toReadableError } from '@hull/common/readable-error.ts'
import type { Deadline } from './deadline.ts'
import { encodeValue, kTooManyPromises, MAX_PROMISES, ValueRefused, type NumberPromise } from './encode-value.ts'
import { inspectData } from './inspect-data.ts'
import { MAX_PAYLOAD_LENGTH, placeOf } from './payload.ts'

/** A promise in the data, and where it was found: in the payload, or in the value of another promise. */
interface Deferred {
  promise: Promise<unknown>
  root: unknown
  /** Number of the promise whose value is `root`; 0 for the payload. */
  within: number
  settled: boolean
}

/** Fields in which React keeps the state of a promise. React sets them itself if they are missing. */
interface ReactPromise extends Promise<unknown> {
  status?: 'pending' | 'fulfilled' | 'rejected'
  value?: unknown
  reason?: unknown
}

type Settled = { id: number; text: string; codec: ValueCodec } | { id: number; error: unknown }

export interface DeferredOptions {
  deadline: Deadline
  /** Reports an error and returns its digest. */
  report: (error: unknown) => string
  /** Called when a promise has rejected, or has not settled in time. @default nothing */
  onFailure?: (() => void) | undefined
}

/**
 * The promises in the data of one response. Each has a number, the same wherever the promise appears, so that data can
 * be cyclic. The value of a promise is encoded as soon as it resolves. If the value cannot be sent, the promise rejects
 * for React too, so that the server shows the same as the browser.
 */
export class DeferredValues {
  readonly #options: DeferredOptions
  readonly #numbers = new Map<Promise<unknown>, number>()
  readonly #deferred: Deferred[] = []
  #payload!: PagePayload
  #length = 0
  #unsettled = 0
  /** Settled, but not yet sent. */
  #ready: Settled[] = []
  #onSettled: () => void = () => {}

  constructor(options: DeferredOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#deferred.length
  }

  /** Numbers the promises in a payload. */
  numbersIn(payload: PagePayload): NumberPromise {
    this.#payload = payload
    return this.#numbersIn(payload, 0)
  }

  /**
   * Passes each promise to `onValue` when it settles.
   * @returns a promise that resolves when all have settled, or at the deadline
   */
  follow(onValue: (value: DeferredValue) => void): Promise<void> {
    const { deadline, report, onFailure } = this.#options
    return new Promise((resolve) => {
      const send = () => {
        const ready = this.#ready
        this.#ready = []
        for (const settled of ready) {
          if ('text' in settled) onValue([settled.id, true, settled.text, settled.codec])
          else {
            onFailure?.()
            onValue([settled.id, false, JSON.stringify(toDeferredFailure(settled.error, report))])
          }
        }
        if (this.#unsettled > 0) return
        deadline.signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = safeCallback(() => {
        for (let id = 1; id <= this.size; id++) this.#settle(id, { id, error: deadline.signal.reason })
        send()
      })
      this.#onSettled = send
      if (deadline.signal.aborted) return giveUp()
      deadline.signal.addEventListener('abort', giveUp, { once: true })
      send()
    })
  }

  #numbersIn(root: unknown, within: number): NumberPromise {
    return (promise) => {
      const known = this.#numbers.get(promise)
      if (known !== undefined) return known
      if (this.size === MAX_PROMISES) return kTooManyPromises
      const id = this.#deferred.push({ promise, root, within, settled: false })
      this.#numbers.set(promise, id)
      this.#unsettled++
      // Before React sees the promise: if it has a status, React adds no listener that sets one.
      ;(promise as ReactPromise).status ??= 'pending'
      handleRejection(promise).then(
        (value) => {
          this.#fulfil(id, value)
          this.#onSettled()
        },
        (thrown: unknown) => {
          this.#reject(id, toDeferredError(thrown))
          this.#onSettled()
        }
      )
      return id
    }
  }

  #fulfil(id: number, value: unknown) {
    if (this.#deferred[id - 1]!.settled) return
    let codec: ValueCodec
    let text: string
    try {
      codec = inspectData(value) ? 'json' : 'devalue'
      text = codec === 'json' ? JSON.stringify(value) : encodeValue(value, this.#numbersIn(value, id))
    } catch (error) {
      return this.#reject(id, error instanceof ValueRefused ? this.#toUnserialisable(id, error) : error)
    }
    this.#mark(id, { status: 'fulfilled', value })
    this.#length += text.length
    const error = this.#length > MAX_PAYLOAD_LENGTH && new PayloadTooLarge(this.#length, MAX_PAYLOAD_LENGTH)
    this.#settle(id, error ? { id, error } : { id, text, codec })
  }

  #reject(id: number, error: unknown) {
    this.#mark(id, { status: 'rejected', reason: error })
    this.#settle(id, { id, error })
  }

  #mark(id: number, fields: Partial<ReactPromise>) {
    Object.assign(this.#deferred[id - 1]!.promise, fields)
  }

  #settle(id: number, settled: Settled) {
    const deferred = this.#deferred[id - 1]!
    if (deferred.settled) return
    deferred.settled = true
    this.#unsettled--
    this.#ready.push(settled)
  }

  #toUnserialisable(id: number, { path, reason, cause }: ValueRefused): Error {
    return new PayloadUnserialisable(placeOf(this.#payload, `${this.#pathTo(id)} → ${path || 'the top'}`), reason, {
      cause
    })
  }

  /**
   * Returns the path of a promise, found by an encoding that refuses this promise. Only error messages need the path.
   */
  #pathTo(id: number): string {
    const { promise, root, within } = this.#deferred[id - 1]!
    const before = within === 0 ? '' : `${this.#pathTo(within)} → `
    try {
      encodeValue(root, (found) => (found === promise ? kTooManyPromises : 1))
    } catch (error) {
      if (error instanceof ValueRefused) return before + (error.path || 'the top')
    }
    return `${before}?`
  }
}

/** Describes why a promise in the page's data rejected. Errors are reported, and only their digest is sent. */
function toDeferredFailure(error: unknown, report: (error: unknown) => string): DeferredFailure {
  if (isOutcome(error)) {
    const { statusCode: status, code, message, signInPath } = error
    return { outcome: { status, code: String(code), message: String(message), signInPath } }
  }
  if (isRedirect(error)) {
    const { to, external } = error
    return { redirect: { to, external } }
  }
  return { digest: report(error) }
}

/**
 * Returns the error of a rejected promise. React, the browser and the log get the same one, so that it is logged once.
 */
function toDeferredError(thrown: unknown): Error {
  // Whether it is safe does not depend on the page's address.
  const isUnsafe = isRedirect(thrown) && toRedirectTarget(thrown.to, thrown.external, '/') === undefined
  return isUnsafe ? createUnsafeRedirect(thrown.to) : toReadableError(thrown)
}
