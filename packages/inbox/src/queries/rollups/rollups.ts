import { DAY, HOUR } from '@hull/common/time.ts'
import type { View } from '../../store/model.ts'
import type { StepRange } from './rollup-cache.ts'
import { hoursOf, stepsOf } from './time-buckets.ts'

/** Milliseconds above which a view uses daily rollups: a week has 168 hourly ones. */
const MAX_BY_HOUR = 3 * DAY

/** Steps of a view, and the rows to read for them. */
export interface Rollup extends StepRange {
  parts: RollupPart[]
}

/** Rollup by hour or by day, and the rows to read from it. */
export interface RollupPart extends StepRange {
  /** End of the table's name, and its time column. */
  column: 'hour' | 'day'
}

/**
 * Rollups to read for a view, for the same hours as the overview: hourly for a few days; daily for more, and hourly
 * before the first and after the last whole day.
 */
export function rollupOf(view: View): Rollup {
  const [from, until] = hoursOf(stepsOf(view))
  const byHour = (from: number, until: number): RollupPart => ({ column: 'hour', step: HOUR, from, until })
  if (view.until - view.since <= MAX_BY_HOUR) return { step: HOUR, from, until, parts: [byHour(from, until)] }
  const [first, end] = [Math.ceil(from / PER_DAY), Math.floor(until / PER_DAY)]
  return {
    step: DAY,
    from: Math.floor(from / PER_DAY),
    until: Math.ceil(until / PER_DAY),
    parts: [
      byHour(from, first * PER_DAY),
      { column: 'day', step: DAY, from: first, until: end },
      byHour(end * PER_DAY, until)
    ]
  }
}

const PER_DAY = DAY / HOUR

/** SQL that limits a project's rows to the view, with its values. An unknown release matches no row. */
export function narrow(project: number, { environment, release }: View): [sql: string, values: (string | number)[]] {
  const values: (string | number)[] = []
  let sql = ''
  if (environment !== undefined) {
    sql += ' AND environment = ?'
    values.push(environment)
  }
  if (release !== undefined) {
    sql += ' AND release = (SELECT id FROM release WHERE project = ? AND version = ?)'
    values.push(project, release)
  }
  return [sql, values]
}
