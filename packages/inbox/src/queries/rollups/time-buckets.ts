import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'
import type { View } from '../../store/model.ts'

/** Maximum points of a chart. */
const MAX_POINTS = 120

/** Milliseconds that a view may exceed its nominal length. */
const SLACK = MINUTE

/** Longest views, in milliseconds, with points of one hour and of six hours. */
export const BY_HOUR = 2 * DAY + SLACK
const BY_SIX_HOURS = 14 * DAY + SLACK

/** Points of a chart: whole hours or days in UTC. The last one may not have ended yet. */
export interface Steps {
  /** Start of the first point, milliseconds since the epoch. */
  start: number
  /** Milliseconds between two points. */
  step: number
  count: number
}

/**
 * Points of one hour up to two days, of six hours up to two weeks, then of one or more days. The points of fixed times
 * and of one hour contain all of them; those of a longer relative range are as many as its name says.
 */
export function stepsOf({ since, until, range }: Pick<View, 'since' | 'until' | 'range'>): Steps {
  const span = Math.max(until - since, HOUR)
  const base = span <= BY_HOUR ? HOUR : span <= BY_SIX_HOURS ? 6 * HOUR : DAY
  const step = base * Math.ceil((span - SLACK) / base / MAX_POINTS)
  const end = Math.ceil(until / step)
  const count = range === 'custom' || span === HOUR ? end - Math.floor(since / step) : Math.round(span / step)
  return { start: (end - count) * step, step, count }
}

/** End of the last point, milliseconds since the epoch. */
export const endOf = ({ start, step, count }: Steps): number => start + step * count

/** Hours since the epoch: the first, and the one after the last. */
export const hoursOf = ({ start, step, count }: Steps): [from: number, until: number] => [
  start / HOUR,
  (start + step * count) / HOUR
]
