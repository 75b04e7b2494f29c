import type { RateLimit } from './rate-limits.ts'
import type { EnvelopeMeta } from './types.ts'

/** An envelope on its way from the spool to its provider. */
export interface SpooledEnvelope {
  /** Unique in the spool; 0 for a client report, which is never spooled. */
  id: number
  meta: EnvelopeMeta
  /** Attempts before this one. */
  attempts: number
  /** Bytes of the body. */
  size: number
  /**
   * Everything after the envelope's header line, row by row from the disk. Rejects when the envelope was dropped
   * meanwhile or the spool cannot be read. May be called again for another attempt.
   */
  body: () => AsyncIterable<Uint8Array>
  /** The same, where it is at hand. */
  bytes?: Uint8Array
}

/** The body of an envelope that is at hand whole. */
export async function* yieldOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** What a provider said beside yes. */
export interface Receipt {
  /** Limits that came with the answer. @default none */
  limits?: readonly RateLimit[]
}

/** A way to a provider: HTTP, or a store in this process. */
export interface Deliverer {
  /**
   * Resolves when the provider has the envelope: the spool forgets it then. Must be idempotent by event id, because a
   * process can end between the two. What it rejects with decides what becomes of the envelope: a
   * {@link DeliveryFailed} says so itself, anything else is tried again.
   */
  deliver: (envelope: SpooledEnvelope, signal: AbortSignal) => Promise<Receipt | undefined>
}

/**
 * - `refused`: the provider wants it never; dropped and counted
 * - `limited`: not now; waits for the limits that came with it
 * - `failed`: the provider, or the way to it, is out of order; tried again
 */
export type FailedOutcome = 'refused' | 'limited' | 'failed'

export interface FailureDetails extends ErrorOptions {
  limits?: readonly RateLimit[]
  /** Milliseconds for which the provider asks to be left alone altogether. */
  retryAfter?: number
  /** Whether an answer came at all. @default false */
  answered?: boolean
}

/** Why an attempt did not deliver. */
export class DeliveryFailed extends Error {
  override name = 'DeliveryFailed'
  readonly outcome: FailedOutcome
  readonly limits: readonly RateLimit[]
  readonly retryAfter: number | undefined
  readonly answered: boolean

  constructor(
    outcome: FailedOutcome,
    message: string,
    { limits = [], retryAfter, answered = false, ...options }: FailureDetails = {}
  ) {
    super(message, options)
    this.outcome = outcome
    this.limits = limits
    this.retryAfter = retryAfter
    this.answered = answered
  }
}

/** The envelope is not in the spool any more: it was dropped while it was being sent. */
export class EnvelopeGone extends Error {
  override name = 'EnvelopeGone'
}
