import type { View } from '../../store/model.ts'
import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'
import type { Store } from '../../store/store.ts'
import { isAmong, sql, toList, type Sql } from '../sql.ts'
import { hoursOf, type Steps } from '../rollups/time-buckets.ts'

/** Milliseconds an event's time may be after its receipt. Larger differences are corrected at ingest. */
const CLOCK_SLACK = 2 * MINUTE

/** Milliseconds that an envelope may wait in a spool, while later ones of its release are stored. The spool's default. */
const MAX_WAIT = 3 * DAY

/** The events to count for an issue: a range, and the view's environment and release, if any. */
export interface EventScope {
  /** Hours since the epoch: the first, and the one after the last. */
  hours: [from: number, until: number]
  /** SQL condition on `event e`; undefined if the hourly rollup has the answer. */
  narrowed?: Sql
}

/** True if the view names an environment or release, so that the events themselves must be counted. */
export const isNarrowed = ({ environment, release }: Pick<View, 'environment' | 'release'>): boolean =>
  environment !== undefined || release !== undefined

/** Events whose ids may be in another order than their times of receipt: more than two batches have. */
const DISORDER = 1_000

/**
 * The hourly rollup of an issue covers all environments and releases, so for a single one the events themselves are
 * counted. The index by time of receipt limits the rows to read: an event is never received before it happens, and never
 * long before its release is known.
 */
export function scopeOf(store: Store, view: Pick<View, 'environment' | 'release'>, steps: Steps): EventScope {
  const { environment, release } = view
  const hours = hoursOf(steps)
  if (!isNarrowed(view)) return { hours }
  const [since, until] = [hours[0] * HOUR, hours[1] * HOUR]
  const releases = release === undefined ? undefined : findReleases(store, release)
  const known = releases ? Math.min(until, ...releases.map(({ at }) => at)) : -Infinity
  const first = store.get<{ id: number | null }>(
    `SELECT min(id) AS id FROM
       (SELECT id FROM event INDEXED BY event_by_received WHERE received >= ? ORDER BY received LIMIT ${DISORDER}) AS first`,
    Math.max(since - CLOCK_SLACK, known - MAX_WAIT)
  )!
  const text = `e.id >= ?${environment === undefined ? '' : ' AND e.environment = ?'}${
    releases === undefined ? '' : ` AND ${isAmong('e.release')}`
  }`
  const values = [
    first.id ?? Number.MAX_SAFE_INTEGER,
    ...(environment === undefined ? [] : [environment]),
    ...(releases === undefined ? [] : [toList(releases.map(({ id }) => id))])
  ]
  return { hours, narrowed: sql(text, ...values) }
}

/** A version's release of each project. Looks up each project, since the index of releases begins with it. */
const findReleases = (store: Store, version: string) =>
  store.all<{ id: number; at: number }>(
    'SELECT id, first_seen AS at FROM release WHERE project IN (SELECT id FROM project) AND version = ?',
    version
  )

/** SQL for the events `e` of an issue in the range. @param issue SQL of its id */
function eventsOf([from, until]: EventScope['hours'], { text, values }: Sql, issue: string): Sql {
  const where = `e.issue = ${issue} AND e.at >= ? AND e.at < ? AND ${text}`
  return sql(where, from * HOUR, until * HOUR, ...values)
}

/** SQL for the number of events of an issue. @param issue SQL of its id */
export function countEvents({ hours, narrowed }: EventScope, issue: string): Sql {
  if (!narrowed)
    return sql(
      `(SELECT coalesce(sum(h.events), 0) FROM issue_hour h WHERE h.issue = ${issue} AND h.hour >= ? AND h.hour < ?)`,
      ...hours
    )
  const { text, values } = eventsOf(hours, narrowed, issue)
  return sql(`(SELECT count(*) FROM event e INDEXED BY event_by_issue WHERE ${text})`, ...values)
}

/** SQL for whether an issue has any event. @param issue SQL of its id */
export function hasEvents({ hours, narrowed }: EventScope, issue: string): Sql {
  if (!narrowed)
    return sql(`EXISTS (SELECT 1 FROM issue_hour h WHERE h.issue = ${issue} AND h.hour >= ? AND h.hour < ?)`, ...hours)
  const { text, values } = eventsOf(hours, narrowed, issue)
  return sql(`EXISTS (SELECT 1 FROM event e INDEXED BY event_by_issue WHERE ${text})`, ...values)
}

/** Asks for the events of several issues by point of the chart. @param list ids, from {@link toList} */
export function askPoints(
  store: Store,
  view: Pick<View, 'environment' | 'release'>,
  steps: Steps,
  list: string
): () => { issue: number; point: number; events: number }[] {
  const { hours, narrowed } = scopeOf(store, view, steps)
  if (!narrowed)
    return store.ask(
      `SELECT h.issue, CAST((h.hour - ?2) / ?4 AS BIGINT) AS point, sum(h.events) AS events FROM json_each(?1) AS wanted
         CROSS JOIN issue_hour h ON h.issue = CAST(wanted.value AS BIGINT) AND h.hour >= ?2 AND h.hour < ?3 GROUP BY 1, 2`,
      list,
      ...hours,
      steps.step / HOUR
    )
  const { text, values } = eventsOf(hours, narrowed, 'CAST(wanted.value AS BIGINT)')
  return store.ask(
    `SELECT e.issue, CAST((e.at - ?) / ? AS BIGINT) AS point, count(*) AS events FROM json_each(?) AS wanted
       CROSS JOIN event e INDEXED BY event_by_issue ON ${text} GROUP BY 1, 2`,
    steps.start,
    steps.step,
    list,
    ...values
  )
}
