import { IDS_PER_DAY, type Store } from '../../store/store.ts'
import { isAmong, toList } from '../sql.ts'
import type { TraceQuery } from './trace-list.ts'
import type { Segment } from './trace-segments.ts'

/**
 * Segments of one trace that are examined in a list of a route. A trace with more of them may be listed more than once.
 * A guess.
 */
const MAX_ROUTE_SEGMENTS = 1_000

/** Maximum segments of a trace to read when looking for the one that represents it. */
export const MAX_SEGMENTS = 50

interface HeadsInput extends Pick<TraceQuery, 'view' | 'route' | 'sort'> {
  /** Those of the view. */
  projects: readonly number[]
}

/**
 * Finds the segment that represents each trace in the list: the first of the browser's segments, or of all if there are
 * none. Only segments of the view count: of its time, projects, environment and release. In a list of a route, it is the
 * segment of that route and view that comes first in the list. On PostgreSQL, segments that were received more than a day
 * before or after those of the list are not considered.
 */
export function findHeads(
  store: Store,
  { view, projects, route, sort }: HeadsInput,
  segments: readonly Segment[]
): Map<string, string> {
  if (segments.length === 0) return new Map()
  const traces = toList([...new Set(segments.map(({ traceId }) => traceId))])
  const ids = segments.map(({ id }) => id)
  const received = [Math.min(...ids) - IDS_PER_DAY, Math.max(...ids) + IDS_PER_DAY]
  const heads =
    route === undefined
      ? store.all<Head>(
          HEADS,
          traces,
          MAX_SEGMENTS,
          toList(projects),
          ...received,
          view.environment ?? null,
          view.release ?? null,
          view.since * 1_000,
          view.until * 1_000
        )
      : store.all<Head>(
          sort === 'newest' ? NEWEST_OF_ROUTE : SLOWEST_OF_ROUTE,
          traces,
          MAX_ROUTE_SEGMENTS,
          route,
          toList(projects),
          view.since * 1_000,
          view.until * 1_000,
          view.environment ?? null,
          view.release ?? null,
          ...received
        )
  return new Map(heads.map(({ traceId, spanId }) => [traceId, spanId]))
}

interface Head {
  traceId: string
  spanId: string
}

type HeadPlaces = Record<'most' | 'projects' | 'environment' | 'release' | 'since' | 'until', string>

/**
 * SQL of the segment that represents a trace. Does not sort: a subquery with a limit keeps its order.
 *
 * @param received SQL of the lowest and the highest id of its segments, so that a database reads the tables of few
 *   days only
 * @param places of MAX_SEGMENTS, the projects, the environment and the release (null for all), and the bounds of the
 *   time in microseconds
 */
export function headOf(trace: string, received: [string, string], places: HeadPlaces): string {
  const { most, projects, environment, release, since, until } = places
  const segments = `SELECT span_id, side FROM span INDEXED BY span_segments_by_trace
      WHERE trace_id = ${trace} AND is_segment = 1 AND +id BETWEEN ${received.join(' AND ')}
        AND start >= ${since} AND start < ${until}
        AND ${isAmong('project', projects)}
        AND (CAST(${environment} AS TEXT) IS NULL OR environment = ${environment})
        AND (CAST(${release} AS TEXT) IS NULL OR (SELECT version FROM release WHERE release.id = span.release) = ${release})
      ORDER BY start`
  return `coalesce(
    (SELECT span_id FROM (${segments} LIMIT ${most}) AS first WHERE side = 'browser' LIMIT 1),
    (SELECT span_id FROM (${segments} LIMIT 1) AS first))`
}

const PLACES = { most: '?2', projects: '?3', environment: '?6', release: '?7', since: '?8', until: '?9' }

const HEADS = `SELECT wanted.value AS traceId, ${headOf('wanted.value', ['?4', '?5'], PLACES)} AS spanId FROM json_each(?1) AS wanted`

const headsOfRoute = (order: 'start' | 'duration') => `SELECT wanted.value AS traceId, (
    SELECT span_id FROM (
      SELECT id, span_id, project, name, start, duration, environment, release FROM span INDEXED BY span_segments_by_trace
      WHERE trace_id = wanted.value AND is_segment = 1 AND +id BETWEEN ?9 AND ?10 ORDER BY start LIMIT ?2) AS segment
    WHERE name = ?3 AND ${isAmong('project', '?4')} AND start >= ?5 AND start < ?6
      AND (environment = ?7 OR ?7 IS NULL)
      AND ((SELECT version FROM release WHERE release.id = segment.release) = ?8 OR ?8 IS NULL)
    ORDER BY ${order} DESC, id DESC LIMIT 1) AS spanId
  FROM json_each(?1) AS wanted`

const NEWEST_OF_ROUTE = headsOfRoute('start')
const SLOWEST_OF_ROUTE = headsOfRoute('duration')
