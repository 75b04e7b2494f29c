import { normaliseEvent } from '../../src/ingest/normalise/event.ts'
import { createRawEvent } from './writer.ts'

/** Time at which {@link normalise} receives events. */
export const NOW = Date.UTC(2026, 10, 21, 12)

/**
 * Normalises an event of an SDK.
 * @param sentAt time of sending by the clock of the client @default none in the envelope
 */
export const normalise = (event: unknown, sentAt?: number) =>
  normaliseEvent(Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)), {
    receivedAt: NOW,
    ...(sentAt !== undefined && { sentAt })
  })

/** Normalises a complete event with other values. */
export const detailOf = (over: Record<string, unknown>, sentAt?: number) =>
  normalise(createRawEvent({ timestamp: NOW / 1_000, ...over }), sentAt).detail
