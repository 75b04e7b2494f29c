import type { EnvelopeMeta } from '../delivery/envelope-sink.ts'
import { fromLane } from '../envelope/categories.ts'
import { parseMeta } from './spool-messages.ts'

/**
 * Why an item was dropped: Sentry's discard reasons, and our own `expired`.
 * @see https://develop.sentry.dev/sdk/telemetry/client-reports/
 */
export type DropReason =
  | 'queue_overflow'
  | 'ratelimit_backoff'
  | 'network_error'
  | 'send_error'
  | 'expired'
  | 'internal_sdk_error'

/** Items of one category that were dropped for the same reason. */
export interface Discarded {
  reason: DropReason
  category: string
  quantity: number
}

/** Converts the items of an envelope to drops. */
export const toDiscarded = (counts: EnvelopeMeta['counts'], reason: DropReason): Discarded[] =>
  Object.entries(counts)
    .filter(([, quantity]) => Number.isSafeInteger(quantity) && quantity > 0)
    .map(([category, quantity]) => ({ reason, category, quantity }))

/** Drops of envelopes whose metadata is damaged or missing. Only the categories in the lane are known. */
export const toLost = (lane: string, envelopes = 1): Discarded[] =>
  toDiscarded(Object.fromEntries(fromLane(lane).map((name) => [name, envelopes])), 'internal_sdk_error')

/** Drops of a stored envelope that cannot be read. */
export function lossOf(json: string, lane: string): Discarded[] {
  const meta = parseMeta(json)
  return meta ? toDiscarded(meta.counts, 'internal_sdk_error') : toLost(lane)
}
