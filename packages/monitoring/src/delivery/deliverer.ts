import type { RateLimit } from './rate-limits.ts'
import type { EnvelopeMeta } from './envelope-sink.ts'

/** An envelope on its way from the spool to its provider. */
export interface SpooledEnvelope {
  /** Unique in the spool; 0 for a client report, which is never spooled. */
  id: number
  meta: EnvelopeMeta
  /** Number of earlier attempts. */
  attempts: number
  /** Bytes of the body. */
  size: number
  /**
   * Reads everything after the envelope's header line, row by row from the disk. May be called again for another
   * attempt.
   * @throws EnvelopeGone if the envelope was dropped in the meantime
   * @throws SpoolUnavailable
   */
  body: () => AsyncIterable<Uint8Array>
  /** The body, if it is in memory. */
  bytes?: Uint8Array
}

/** Yields a body that is in memory. */
export async function* yieldOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Result of a delivery. */
export interface Receipt {
  /** Rate limits in the provider's answer. @default none */
  limits?: readonly RateLimit[]
}

/** Delivers envelopes to a provider: over HTTP, or to a store in this process. */
export interface Deliverer {
  /**
   * Resolves when the provider has the envelope; the spool then deletes it. Must be idempotent by event id, because a
   * process can end between the two. A rejection with {@link DeliveryFailed} decides what happens to the envelope.
   * After any other error, the envelope is tried again. Errors of {@link SpooledEnvelope.body} must be passed on: they are
   * no failures of the provider.
   */
  deliver: (envelope: SpooledEnvelope, signal: AbortSignal) => Promise<Receipt | undefined>
}

/**
 * Outcome of an attempt that did not deliver the envelope.
 * - `refused`: the provider will never accept the envelope; it is dropped and counted
 * - `limited`: the envelope waits for the limits in the answer
 * - `failed`: the provider or the connection does not work; the envelope is tried again
 */
export type FailedOutcome = 'refused' | 'limited' | 'failed'

export interface FailureDetails extends ErrorOptions {
  limits?: readonly RateLimit[]
  /** Milliseconds for which the provider asks for no requests at all. */
  retryAfter?: number
  /** Whether the provider answered. @default false */
  answered?: boolean
  /** Status of its answer over HTTP. */
  status?: number
}

/** Error of an attempt that did not deliver the envelope. */
export class DeliveryFailed extends Error {
  override name = 'DeliveryFailed'
  readonly outcome: FailedOutcome
  readonly limits: readonly RateLimit[]
  readonly retryAfter: number | undefined
  readonly answered: boolean
  readonly status: number | undefined

  constructor(
    outcome: FailedOutcome,
    message: string,
    { limits = [], retryAfter, answered = false, status, ...options }: FailureDetails = {}
  ) {
    super(message, options)
    this.outcome = outcome
    this.limits = limits
    this.retryAfter = retryAfter
    this.answered = answered
    this.status = status
  }
}

/** The envelope was dropped from the spool while it was being sent. */
export class EnvelopeGone extends Error {
  override name = 'EnvelopeGone'
}
