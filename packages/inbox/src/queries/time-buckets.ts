import { DAY, HOUR } from '@hull/common/time.ts'
import type { View } from '../store/model.ts'

/** Points that a chart has at most. */
const MAX_POINTS = 120

/** Milliseconds by which a view may be longer than its name says. */
const SLACK = 60_000

/** Milliseconds up to which a chart goes by the hour, and by six hours. */
export const BY_HOUR = 2 * DAY + SLACK
const BY_SIX_HOURS = 14 * DAY + SLACK

/** The points of a chart: whole hours or days in UTC, of which the last may have only begun. */
export interface Steps {
  /** Start of the first, milliseconds since the epoch. */
  start: number
  /** Milliseconds between two. */
  step: number
  count: number
}

/** An hour each for two days, six hours for two weeks, then a day, or as many days as it takes. */
export function stepsOf({ since, until }: Pick<View, 'since' | 'until'>): Steps {
  const span = Math.max(until - since, HOUR)
  const base = span <= BY_HOUR ? HOUR : span <= BY_SIX_HOURS ? 6 * HOUR : DAY
  const step = base * Math.ceil((span - SLACK) / base / MAX_POINTS)
  const count = Math.round(span / step)
  return { start: Math.ceil(until / step) * step - count * step, step, count }
}

/** Hours since the epoch: the first, and the one past the last. */
export const hoursOf = ({ start, step, count }: Steps): [from: number, until: number] => [
  start / HOUR,
  (start + step * count) / HOUR
]

/** The place of an hour among the points. */
export const pointOf = ({ start, step }: Steps, hour: number): number => Math.floor((hour * HOUR - start) / step)
