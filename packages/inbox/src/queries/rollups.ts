import { DAY, HOUR } from '@hull/common/time.ts'
import type { View } from '../store/model.ts'
import type { StepRange } from './rollup-cache.ts'

/** Milliseconds above which a view uses daily rollups: a week has 168 hourly ones. */
const MAX_BY_HOUR = 3 * DAY

/** Rollup table and the steps to read from it. */
export interface Rollup extends StepRange {
  table: string
  /** The table's time column. */
  column: 'hour' | 'day'
}

/**
 * Rollup to read for a view: hourly for a few days, daily for more. Steps are whole, so the first and the last may
 * extend beyond the view.
 * @param name `latency` or `vital`
 */
export function rollupOf(name: 'latency' | 'vital', { since, until }: View): Rollup {
  const step = until - since > MAX_BY_HOUR ? DAY : HOUR
  const column = step === DAY ? 'day' : 'hour'
  return { table: `${name}_${column}`, column, step, from: Math.floor(since / step), until: Math.ceil(until / step) }
}

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
