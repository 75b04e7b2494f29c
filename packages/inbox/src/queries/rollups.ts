import { DAY, HOUR } from '@hull/common/time.ts'
import type { View } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import type { StepRange } from './rollup-cache.ts'

/** Milliseconds past which rollups are read by day: a week has 168 hours. */
const MAX_BY_HOUR = 3 * DAY

/** A rollup in the steps that suit a view. */
export interface Rollup extends StepRange {
  table: string
  /** Its column of time. */
  column: 'hour' | 'day'
}

/**
 * What to read for a view: hours for some days, days for more. Whole steps: the first and the last reach past the view.
 * @param name `latency` or `vital`
 */
export function rollupOf(name: 'latency' | 'vital', { since, until }: View): Rollup {
  const step = until - since > MAX_BY_HOUR ? DAY : HOUR
  const column = step === DAY ? 'day' : 'hour'
  return { table: `${name}_${column}`, column, step, from: Math.floor(since / step), until: Math.ceil(until / step) }
}

/** SQL that narrows rows of a project to a view, and its values; a release that is unknown has none. */
export function narrow(
  store: Store,
  project: number,
  { environment, release }: View
): [sql: string, values: (string | number)[]] {
  const values: (string | number)[] = []
  let sql = ''
  if (environment !== undefined) {
    sql += ' AND environment = ?'
    values.push(environment)
  }
  if (release !== undefined) {
    sql += ' AND release = ?'
    values.push(
      store.get<{ id: number }>('SELECT id FROM release WHERE project = ? AND version = ?', project, release)?.id ?? -1
    )
  }
  return [sql, values]
}
