import { clockShift, isPlausible } from '../clock.ts'
import { timeOf } from '../fields.ts'

/** Milliseconds on either side of the epoch that a date can be (ECMA-262 §21.4.1.1). */
const MAX_TIME = 8.64e15

/** When an envelope was received, and when its sender says that it sent it. */
export interface TransferTimes {
  /** Milliseconds since the epoch. */
  receivedAt: number
  sentAt?: number
}

/** Of an event: when it happened by our clock, and what is to be added to the other times in it. */
export function toOwnTime(value: unknown, arrival: TransferTimes): { at: number; shift: number } {
  const told = timeOf(value)
  if (told === undefined || Math.abs(told) > MAX_TIME) return { at: arrival.receivedAt, shift: 0 }
  const shift = clockShift(told, arrival)
  return { at: Math.min(Math.round(told + shift), arrival.receivedAt), shift }
}

/** Of something before the event; undefined where that cannot be. */
export function toEarlierTime(value: unknown, shift: number, { receivedAt }: TransferTimes): number | undefined {
  const told = timeOf(value)
  const at = told === undefined ? NaN : Math.round(told + shift)
  return isPlausible(at, receivedAt) ? at : undefined
}
