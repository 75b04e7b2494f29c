import { MINUTE } from '@hull/common/time.ts'
import { toTime } from './fields.ts'

/** Milliseconds by which a client's clock may be off before it is set right: the way here takes its time too. Ours. */
const TOLERANCE = MINUTE

/** Milliseconds that something may lie back. What is older comes from a clock that stands, as Sentry's own bound has it. */
const MAX_AGE = 30 * 24 * 60 * MINUTE

/** When an envelope was received, and when its sender says that it sent it. */
export interface TransferTimes {
  /** Milliseconds since the epoch. */
  receivedAt: number
  sentAt?: number
}

/**
 * Milliseconds to add to a client's times: by how much its clock was off when it sent, and where that leaves something
 * in the future or long ago, by as much as it takes to have happened when it came.
 * @param at by the client's clock, milliseconds since the epoch
 */
export function clockShift(at: number, { receivedAt, sentAt }: TransferTimes): number {
  const drift = sentAt === undefined ? 0 : receivedAt - sentAt
  const shift = Math.abs(drift) > TOLERANCE ? drift : 0
  return isPlausible(at + shift, receivedAt) ? shift : receivedAt - at
}

/** Whether something may have happened then. */
export const isPlausible = (at: number, receivedAt: number): boolean =>
  at <= receivedAt + TOLERANCE && at >= receivedAt - MAX_AGE

/** Milliseconds on either side of the epoch that a date can be (ECMA-262 §21.4.1.1). */
const MAX_TIME = 8.64e15

/** Of an event: when it happened by our clock, and what is to be added to the other times in it. */
export function toOwnTime(value: unknown, arrival: TransferTimes): { at: number; shift: number } {
  const told = toTime(value)
  if (told === undefined || Math.abs(told) > MAX_TIME) return { at: arrival.receivedAt, shift: 0 }
  const shift = clockShift(told, arrival)
  return { at: Math.min(Math.round(told + shift), arrival.receivedAt), shift }
}

/** Of something before the event; undefined where that cannot be. */
export function toEarlierTime(value: unknown, shift: number, { receivedAt }: TransferTimes): number | undefined {
  const told = toTime(value)
  const at = told === undefined ? NaN : Math.round(told + shift)
  return isPlausible(at, receivedAt) ? at : undefined
}
