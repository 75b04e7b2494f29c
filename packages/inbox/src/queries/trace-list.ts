import { MAX_TRACE_COUNT } from '../web/view.ts'
import { InboxCursorInvalid } from '../errors.ts'
import type { SpanDetail, View } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { projectsOf } from './scope.ts'
import { toList } from './sql.ts'
import type { TraceRow } from './trace-types.ts'
import type { Queries } from './types.ts'

/** Segments to read at a time, per requested trace: most traces have two. */
const PER_TRACE = 3

/** Maximum segments to read for one page. If few of them match, the next page continues. */
const MAX_READ = 4_000

/** The same by duration, where each batch reads every hour of the range. A guess. */
const MAX_READ_SLOWEST = 1_000

/** Slowest segments of an hour to read: a trace has several segments, and not all of them match. */
const SLOWEST_OF_HOUR = 200

/**
 * Segments of one trace that are examined in a list of a route. A trace with more of them may be listed more than once.
 * A guess.
 */
const MAX_ROUTE_SEGMENTS = 1_000

/** Maximum segments of a trace to read when looking for the one that represents it. */
const MAX_SEGMENTS = 50

const MICROS_OF_HOUR = 3_600_000_000

interface Segment {
  id: number
  traceId: string
  spanId: string
  name: string
  side: SpanDetail['side']
  status: SpanDetail['status']
  start: number
  duration: number
  release: string | null
}

type Input = Parameters<Queries['listTraces']>[0]
type Cursor = [first: number, id: number]

const COLUMNS = `id, trace_id AS traceId, span_id AS spanId, name, side, status, start, duration,
  (SELECT version FROM release WHERE release.id = span.release) AS release`

/** Traces, each represented by its browser segment if there is one, since a visitor waited for it. */
export function listTraces(
  store: Store,
  { view, route, sort = 'newest', cursor, limit = 50 }: Input
): ReturnType<Queries['listTraces']> {
  const total = route === undefined ? countTraces(store, view) : countTracesOf(store, view, route)
  const most = Math.min(Math.max(1, limit), 200)
  const after = parseCursor(cursor)
  const traces = new Map<string, TraceRow>()
  const batches =
    sort === 'newest'
      ? newest(store, view, route, after, most * PER_TRACE)
      : slowest(store, view, route, after, most * PER_TRACE)
  let last: Cursor | undefined
  for (const batch of batches) {
    if (batch === 'enough') return page(traces, total, last)
    const heads = findHeads(store, { view, route, sort }, batch)
    for (const segment of batch) {
      const { traceId, spanId, start, duration, id } = segment
      if (traces.size === most) return page(traces, total, last)
      last = [sort === 'newest' ? start : duration, id]
      if (traces.has(traceId) || (heads.get(traceId) ?? spanId) !== spanId) continue
      traces.set(traceId, toRow(segment))
    }
  }
  return page(traces, total, undefined)
}

function page(traces: Map<string, TraceRow>, total: number, last: Cursor | undefined) {
  const rows = { traces: [...traces.values()], total }
  return last === undefined ? rows : { ...rows, next: last.join('-') }
}

/** Traces that the list has on all its pages, by either order: segments that represent their trace. */
function countTraces(store: Store, { project, since, until, environment, release }: View): number {
  const range = `FROM span WHERE project = ?1 AND is_segment = 1 AND start >= ?2 AND start < ?3 ORDER BY start DESC, id DESC`
  const visible = visibleTo(store)
  const places = projectsOf(store, project).map((id) => [id, since * 1_000, until * 1_000, MAX_READ])
  const asked = places.map((place) =>
    store.ask<{ traces: number }>(
      `SELECT count(*) AS traces FROM (
         SELECT 1 FROM (SELECT trace_id, span_id, environment, release ${range} LIMIT ?4) AS segment
         WHERE (environment = ?5 OR ?5 IS NULL)
           AND (release = (SELECT id FROM release AS named WHERE named.project = ?1 AND version = ?6) OR ?6 IS NULL)
           AND span_id = ${headOf('segment.trace_id', '?7', '?8')}
         LIMIT ?9) AS found`,
      ...place,
      environment ?? null,
      release ?? null,
      MAX_SEGMENTS,
      visible,
      MAX_TRACE_COUNT + 1
    )
  )
  const total = asked.reduce((sum, rows) => sum + rows()[0]!.traces, 0)
  const mayHaveMore = total <= MAX_TRACE_COUNT && places.some((place) => isMoreThan(store, range, place))
  return mayHaveMore ? MAX_TRACE_COUNT + 1 : Math.min(total, MAX_TRACE_COUNT + 1)
}

/** Whether there are segments that were not read. */
const isMoreThan = (store: Store, range: string, place: number[]): boolean =>
  store.get(`SELECT 1 ${range} LIMIT 1 OFFSET ?4`, ...place) !== undefined

/** The same of a route: traces with a segment of it. */
function countTracesOf(store: Store, { project, since, until, environment, release }: View, route: string): number {
  const asked = projectsOf(store, project).map((id) =>
    store.ask<{ traceId: string; isIn: number }>(
      `SELECT trace_id AS traceId, (environment = ?1 OR ?1 IS NULL)
         AND (release = (SELECT id FROM release AS named WHERE named.project = ?3 AND version = ?2) OR ?2 IS NULL) AS isIn
       FROM span INDEXED BY span_segments_by_route
       WHERE project = ?3 AND name = ?4 AND start / 3600000000 >= ?5 AND start / 3600000000 <= ?6 AND is_segment = 1
         AND start >= ?7 AND start < ?8 LIMIT ?9`,
      environment ?? null,
      release ?? null,
      id,
      route,
      Math.floor((since * 1_000) / MICROS_OF_HOUR),
      Math.floor((until * 1_000) / MICROS_OF_HOUR),
      since * 1_000,
      until * 1_000,
      MAX_READ
    )
  )
  const lists = asked.map((rows) => rows())
  if (lists.some(({ length }) => length === MAX_READ)) return MAX_TRACE_COUNT + 1
  const traces = new Set(lists.flat().flatMap(({ traceId, isIn }) => (isIn ? traceId : [])))
  return Math.min(traces.size, MAX_TRACE_COUNT + 1)
}

function toRow({ traceId, name, side, start, duration, status, release }: Segment): TraceRow {
  return {
    traceId,
    name,
    side,
    status,
    start: Math.round(start / 1e3),
    duration: duration / 1e3,
    ...(release === null ? {} : { release })
  }
}

/**
 * Finds the segment that represents each trace in the list: the first of the browser's segments, or of all if there are
 * none. In a list of a route, it is the segment of that route and view that comes first in the list.
 */
function findHeads(
  store: Store,
  { view, route, sort }: Pick<Input, 'view' | 'route' | 'sort'>,
  segments: readonly Segment[]
): Map<string, string> {
  const traces = toList([...new Set(segments.map(({ traceId }) => traceId))])
  const heads =
    route === undefined
      ? store.all<Head>(HEADS, traces, MAX_SEGMENTS, visibleTo(store))
      : store.all<Head>(
          sort === 'newest' ? NEWEST_OF_ROUTE : SLOWEST_OF_ROUTE,
          traces,
          MAX_ROUTE_SEGMENTS,
          route,
          toList(projectsOf(store, view.project)),
          view.since * 1_000,
          view.until * 1_000,
          view.environment ?? null,
          view.release ?? null
        )
  return new Map(heads.map(({ traceId, spanId }) => [traceId, spanId]))
}

interface Head {
  traceId: string
  spanId: string
}

/** Projects of the person as a list; null for all. */
const visibleTo = (store: Store): string | null => (store.grants ? toList(projectsOf(store, undefined)) : null)

/** SQL of the segment that represents a trace. @param most place of MAX_SEGMENTS @param visible place of the projects */
const headOf = (trace: string, most: string, visible: string) => `(
    SELECT span_id FROM (
      SELECT span_id, side, start FROM span INDEXED BY span_segments_by_trace
      WHERE trace_id = ${trace} AND is_segment = 1
        AND (project IN (SELECT CAST(value AS BIGINT) FROM json_each(${visible})) OR ${visible} IS NULL)
      ORDER BY start LIMIT ${most}) AS one
    ORDER BY side <> 'browser', start LIMIT 1)`

const HEADS = `SELECT wanted.value AS traceId, ${headOf('wanted.value', '?2', '?3')} AS spanId FROM json_each(?1) AS wanted`

const headsOfRoute = (order: 'start' | 'duration') => `SELECT wanted.value AS traceId, (
    SELECT span_id FROM (
      SELECT id, span_id, project, name, start, duration, environment, release FROM span INDEXED BY span_segments_by_trace
      WHERE trace_id = wanted.value AND is_segment = 1 ORDER BY start LIMIT ?2) AS segment
    WHERE name = ?3 AND project IN (SELECT CAST(value AS BIGINT) FROM json_each(?4)) AND start >= ?5 AND start < ?6
      AND (environment = ?7 OR ?7 IS NULL)
      AND ((SELECT version FROM release WHERE release.id = segment.release) = ?8 OR ?8 IS NULL)
    ORDER BY ${order} DESC, id DESC LIMIT 1) AS spanId
  FROM json_each(?1) AS wanted`

const NEWEST_OF_ROUTE = headsOfRoute('start')
const SLOWEST_OF_ROUTE = headsOfRoute('duration')

/** Segments from the newest on, some at a time. `enough`: there may be more, but so many were read. */
function* newest(
  store: Store,
  view: View,
  route: string | undefined,
  after: Cursor | undefined,
  batchSize: number
): Generator<Segment[] | 'enough'> {
  let [start, id] = after ?? [view.until * 1_000, 0]
  const projects = projectsOf(store, view.project)
  for (let read = 0; ;) {
    if (read >= MAX_READ) return yield 'enough'
    const batch = projects
      .flatMap((project) => newestOf(store, project, view, route, start, id, batchSize))
      .sort((a, b) => b.start - a.start || b.id - a.id)
      .slice(0, batchSize)
    yield batch.filter((segment) => isIn(segment, view))
    if (batch.length < batchSize) return
    read += batch.length
    ;({ start, id } = batch.at(-1)!)
  }
}

interface Read extends Segment {
  environment: string
}

/** Part of the wanted segments that is few: twice as many hours are read at once then. A guess. */
const FEW = 8

/** Filters in JavaScript by the columns that the index lacks: in SQL, a rare environment would read on and on. */
const isIn = ({ environment, release }: Segment & { environment?: string }, view: View) =>
  (view.environment === undefined || environment === view.environment) &&
  (view.release === undefined || release === view.release)

function newestOf(
  store: Store,
  project: number,
  view: View,
  route: string | undefined,
  start: number,
  id: number,
  most: number
): Read[] {
  const since = view.since * 1_000
  if (route === undefined)
    return store.all(
      `SELECT ${COLUMNS}, environment FROM span WHERE project = ? AND is_segment = 1 AND start >= ?
        AND (start, id) < (?, ?) ORDER BY start DESC, id DESC LIMIT ?`,
      project,
      since,
      start,
      id,
      most
    )
  // Some hours at a time, as the index of routes has them, and more as long as they have few.
  const found: Read[] = []
  const first = Math.floor(since / MICROS_OF_HOUR)
  let hours = 1
  for (let past = Math.floor(start / MICROS_OF_HOUR) + 1; found.length < most && past > first;) {
    const from = Math.max(first, past - hours)
    const rows = store.all<Read>(
      `SELECT ${COLUMNS}, environment FROM span INDEXED BY span_segments_by_route
        WHERE project = ? AND name = ? AND start / 3600000000 >= ? AND start / 3600000000 < ? AND is_segment = 1
        AND start >= ? AND (start, id) < (?, ?) ORDER BY start DESC, id DESC LIMIT ?`,
      project,
      route,
      from,
      past,
      since,
      start,
      id,
      most
    )
    found.push(...rows)
    past = from
    if (rows.length < most / FEW) hours *= 2
  }
  return found
}

/** Segments from the slowest on, some at a time. `enough`: there may be more, but so many were read. */
function* slowest(
  store: Store,
  view: View,
  route: string | undefined,
  after: Cursor | undefined,
  batchSize: number
): Generator<Segment[] | 'enough'> {
  for (let read = 0; ;) {
    if (read >= MAX_READ_SLOWEST) return yield 'enough'
    const batch = slowestOf(store, view, route, batchSize, after)
    yield batch
    if (batch.length < batchSize) return
    read += batch.length
    const { duration, id } = batch.at(-1)!
    after = [duration, id]
  }
}

/** The slowest segments, `most` at most: of each hour only those are read that may be among them. */
function slowestOf(
  store: Store,
  view: View,
  route: string | undefined,
  most: number,
  after: Cursor | undefined
): Segment[] {
  const [since, until] = [view.since * 1_000, view.until * 1_000]
  const sql = `SELECT ${COLUMNS}, environment FROM span WHERE project = ?${route === undefined ? '' : ' AND name = ?'}
    AND start / 3600000000 = ? AND is_segment = 1 AND duration > ? AND start >= ? AND start < ?
    ${after ? 'AND (duration, id) < (?, ?)' : ''} ORDER BY duration DESC, id DESC LIMIT ?`
  let found: Segment[] = []
  let floor = -1
  for (const project of projectsOf(store, view.project)) {
    const named = route === undefined ? [project] : [project, route]
    for (let hour = Math.floor((until - 1) / MICROS_OF_HOUR); hour >= Math.floor(since / MICROS_OF_HOUR); hour--) {
      const rows = store
        .all<Read>(sql, ...named, hour, floor, since, until, ...(after ?? []), SLOWEST_OF_HOUR)
        .filter((segment) => isIn(segment, view))
      if (rows.length === 0) continue
      found = [...found, ...rows].sort((a, b) => b.duration - a.duration || b.id - a.id).slice(0, most)
      if (found.length === most) floor = found.at(-1)!.duration - 1
    }
  }
  return found
}

/** @throws InboxCursorInvalid */
function parseCursor(cursor: string | undefined): Cursor | undefined {
  if (cursor === undefined) return undefined
  const [, first, id] = /^(\d{1,16})-(\d{1,16})$/.exec(cursor) ?? []
  if (first === undefined) throw new InboxCursorInvalid()
  return [Number(first), Number(id)]
}
