import { DAY, MINUTE } from '@hull/common/time.ts'
import { toTime } from './fields.ts'

/** Maximum error of a client's clock without a correction, in milliseconds; includes the transfer. Our choice. */
const TOLERANCE = MINUTE

/** Maximum age in milliseconds. Anything older comes from a wrong clock; Sentry has the same limit. */
const MAX_AGE = 30 * DAY

/** Times at which an envelope was received and, by the sender's clock, sent. */
export interface TransferTimes {
  /** Milliseconds since the epoch. */
  receivedAt: number
  sentAt?: number
}

/**
 * Returns the milliseconds to add to a client's times. This is the client's clock error when it sent the envelope; if
 * the result would be in the future or too old, the shift moves `at` to the time of receipt.
 * @param at milliseconds since the epoch, by the client's clock
 */
export function clockShift(at: number, { receivedAt, sentAt }: TransferTimes): number {
  const drift = sentAt === undefined ? 0 : receivedAt - sentAt
  const shift = Math.abs(drift) > TOLERANCE ? drift : 0
  return isPlausible(at + shift, receivedAt) ? shift : receivedAt - at
}

/** Whether an event can have occurred at this time. */
export const isPlausible = (at: number, receivedAt: number): boolean =>
  at <= receivedAt + TOLERANCE && at >= receivedAt - MAX_AGE

/** Returns the time of an event by our clock, and the shift for the other times in the event. */
export function toServerTime(value: unknown, arrival: TransferTimes): { at: number; shift: number } {
  const clientTime = toTime(value)
  if (clientTime === undefined) return { at: arrival.receivedAt, shift: 0 }
  const shift = clockShift(clientTime, arrival)
  return { at: Math.min(Math.round(clientTime + shift), arrival.receivedAt), shift }
}

/** Returns the time of something before the event; undefined if it is implausible. */
export function toPastServerTime(value: unknown, shift: number, { receivedAt }: TransferTimes): number | undefined {
  const clientTime = toTime(value)
  const at = clientTime === undefined ? NaN : Math.round(clientTime + shift)
  return isPlausible(at, receivedAt) ? at : undefined
}
