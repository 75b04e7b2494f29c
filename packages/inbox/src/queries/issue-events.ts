import type { View } from '../store/model.ts'
import { HOUR } from '@hull/common/time.ts'
import type { Store } from '../store/store.ts'
import { sql, toList, type Sql } from './sql.ts'
import { hoursOf, type Steps } from './time-buckets.ts'

/** Milliseconds by which an event may be received before its time: clocks are corrected past a minute. */
const CLOCK_SLACK = 2 * 60_000

/** Events of issues in a range, of an environment and release where the view names them. */
export interface EventScope {
  /** Hours since the epoch: the first, and the one past the last. */
  hours: [from: number, until: number]
  /** Narrows rows of `event e`; undefined where the hourly figures have the answer. */
  narrowed?: Sql
}

/** Whether events have to be counted, since a view names an environment or release. */
export const isNarrowed = ({ environment, release }: Pick<View, 'environment' | 'release'>): boolean =>
  environment !== undefined || release !== undefined

/**
 * The hourly figures of an issue are of all environments and releases, so that the events themselves are counted where a
 * view names one. Events are received no earlier than they happen: the index by time of receipt bounds the rows read.
 */
export function scopeOf(store: Store, view: Pick<View, 'environment' | 'release'>, steps: Steps): EventScope {
  const { environment, release } = view
  const hours = hoursOf(steps)
  if (!isNarrowed(view)) return { hours }
  const since = hours[0] * HOUR
  const first = store.get<{ id: number }>(
    'SELECT coalesce(min(id), 0) AS id FROM event INDEXED BY event_by_received WHERE received >= ?',
    since - CLOCK_SLACK
  )
  const releases =
    release === undefined
      ? undefined
      : store
          // By each project: the index of releases begins with it.
          .all<{ id: number }>(
            'SELECT id FROM release WHERE project IN (SELECT id FROM project) AND version = ?',
            release
          )
          .map(({ id }) => id)
  const text = `e.id >= ?${environment === undefined ? '' : ' AND e.environment = ?'}${
    releases === undefined ? '' : ' AND e.release IN (SELECT value FROM json_each(?))'
  }`
  const values = [
    first?.id ?? 0,
    ...(environment === undefined ? [] : [environment]),
    ...(releases === undefined ? [] : [toList(releases)])
  ]
  return { hours, narrowed: sql(text, ...values) }
}

/** Events `e` of an issue in the hours. @param issue SQL of its id */
function eventsOf([from, until]: EventScope['hours'], { text, values }: Sql, issue: string): Sql {
  const where = `e.issue = ${issue} AND e.at >= ? AND e.at < ? AND ${text}`
  return sql(where, from * HOUR, until * HOUR, ...values)
}

/** Number of events of an issue. @param issue SQL of its id */
export function countEvents({ hours, narrowed }: EventScope, issue: string): Sql {
  if (!narrowed)
    return sql(
      `(SELECT coalesce(sum(h.events), 0) FROM issue_hour h WHERE h.issue = ${issue} AND h.hour >= ? AND h.hour < ?)`,
      ...hours
    )
  const { text, values } = eventsOf(hours, narrowed, issue)
  return sql(`(SELECT count(*) FROM event e INDEXED BY event_by_issue WHERE ${text})`, ...values)
}

/** Whether an issue has any. @param issue SQL of its id */
export function hasEvents({ hours, narrowed }: EventScope, issue: string): Sql {
  if (!narrowed)
    return sql(`EXISTS (SELECT 1 FROM issue_hour h WHERE h.issue = ${issue} AND h.hour >= ? AND h.hour < ?)`, ...hours)
  const { text, values } = eventsOf(hours, narrowed, issue)
  return sql(`EXISTS (SELECT 1 FROM event e INDEXED BY event_by_issue WHERE ${text})`, ...values)
}

/** Events of some issues by hour. @param list ids as {@link toList} writes them */
export function readHours(
  store: Store,
  { hours, narrowed }: EventScope,
  list: string
): { issue: number; hour: number; events: number }[] {
  if (!narrowed)
    return store.all(
      `SELECT h.issue, h.hour, h.events FROM json_each(?) AS wanted
         CROSS JOIN issue_hour h ON h.issue = wanted.value AND h.hour >= ? AND h.hour < ?`,
      list,
      ...hours
    )
  const { text, values } = eventsOf(hours, narrowed, 'wanted.value')
  return store.all(
    `SELECT e.issue, CAST(e.at / ${HOUR} AS INTEGER) AS hour, count(*) AS events FROM json_each(?) AS wanted
       CROSS JOIN event e INDEXED BY event_by_issue ON ${text} GROUP BY 1, 2`,
    list,
    ...values
  )
}
