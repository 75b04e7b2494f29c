import type { PromiseBuffer, TransportMakeRequestResponse } from '@sentry/core'
import { TRANSPORT_QUEUE_SIZE } from '@hull/common/constants.ts'
import { sentry } from './sentry.ts'

/**
 * Bytes of envelopes that wait or are being sent; above it, further envelopes are dropped and counted. A guess: 1,000
 * transactions of a page and 1,000 errors of one second fit.
 */
const MAX_TRANSPORT_BYTES = 8 * 1024 ** 2

/** Bytes counted for each envelope in addition to its body, as in the queue of the inbox. */
const OVERHEAD = 1_024

export interface TransportQueue {
  /** For `createTransport`. Its `add` rejects with the SDK's own error if the queue is full. */
  buffer: PromiseBuffer<TransportMakeRequestResponse>
  /** Envelopes that wait or are being sent. */
  readonly unsent: number
  /** Sends the body of an envelope, after those before it. */
  send: (body: Uint8Array) => Promise<TransportMakeRequestResponse>
}

/**
 * Creates the queue of the SDK's transport. As many envelopes as in the SDK's own queue are sent at the same time, but
 * further ones wait instead of being dropped, up to {@link MAX_TRANSPORT_BYTES}. The envelope that reaches the limit is
 * still accepted, because its size is not known before.
 * @param deliver sends one envelope
 */
export function createTransportQueue(deliver: TransportQueue['send']): TransportQueue {
  const pending = sentry().makePromiseBuffer<TransportMakeRequestResponse>(Infinity)
  const waiting: (() => void)[] = []
  let sending = 0
  let bytes = 0

  return {
    get unsent() {
      return sending + waiting.length
    },
    buffer: {
      ...pending,
      add: (produce) =>
        bytes >= MAX_TRANSPORT_BYTES ? Promise.reject(sentry().SENTRY_BUFFER_FULL_ERROR) : pending.add(produce)
    },
    async send(body) {
      const cost = OVERHEAD + body.length
      bytes += cost
      if (sending === TRANSPORT_QUEUE_SIZE) await new Promise<void>((resolve) => waiting.push(resolve))
      else sending++
      try {
        return await deliver(body)
      } finally {
        bytes -= cost
        const next = waiting.shift()
        if (next) next()
        else sending--
      }
    }
  }
}
