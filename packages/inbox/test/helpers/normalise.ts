import { normaliseEvent } from '../../src/ingest/normalise/event.ts'
import { createRawEvent } from './writer.ts'

/** Time at which the events of {@link normalise} are received. */
export const NOW = Date.UTC(2026, 10, 21, 12)

/** Normalises an event of an SDK. @param sentAt time of the client's clock @default the envelope has none */
export const normalise = (event: unknown, sentAt?: number) =>
  normaliseEvent(Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)), {
    receivedAt: NOW,
    ...(sentAt !== undefined && { sentAt })
  })

/** Normalises a complete event with other values. */
export const detailOf = (over: Record<string, unknown>, sentAt?: number) =>
  normalise(createRawEvent({ timestamp: NOW / 1_000, ...over }), sentAt).detail
