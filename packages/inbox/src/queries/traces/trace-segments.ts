import type { SpanDetail, View } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { narrow } from '../rollups/rollups.ts'

/** Maximum segments to read for one page. If few of them match, the next page continues. */
export const MAX_READ = 4_000

/** The same by duration, where each batch reads every hour of the range. A guess. */
const MAX_READ_SLOWEST = 1_000

/** Hours to ask for together. A guess. */
const MAX_HOURS = 32

/** Spans have times in microseconds. */
export const MICROS_OF_HOUR = 3_600_000_000

export interface Segment {
  id: number
  traceId: string
  spanId: string
  name: string
  side: SpanDetail['side']
  status: SpanDetail['status']
  start: number
  duration: number
  environment: string
  release: string | null
}

/** The last segment of a page: start or duration, by the order of the list. */
export type Cursor = [first: number, id: number]

/** Which segments to read, and from where on. */
export interface SegmentsInput {
  view: View
  /** Those of the view. */
  projects: readonly number[]
  /** @default all routes */
  route?: string | undefined
  /** @default the first of the view */
  after?: Cursor | undefined
  /** Maximum segments to read at a time. */
  most: number
}

const COLUMNS = `id, trace_id AS traceId, span_id AS spanId, name, side, status, start, duration, environment,
  (SELECT version FROM release WHERE release.id = span.release) AS release`

/**
 * Segments from the newest on, some at a time, also of other environments and releases than those of the view. `enough`:
 * there may be more, but so many were read.
 */
export function* newestSegments(store: Store, input: SegmentsInput): Generator<Segment[] | 'enough'> {
  const { projects, most } = input
  let { after } = input
  for (let read = 0; ;) {
    if (read >= MAX_READ) {
      yield 'enough'
      read = 0
    }
    const batch = projects
      .flatMap((project) => newestOf(store, project, { ...input, after }))
      .sort((a, b) => b.start - a.start || b.id - a.id)
      .slice(0, most)
    yield batch
    if (batch.length < most) return
    read += batch.length
    const { start, id } = batch.at(-1)!
    after = [start, id]
  }
}

/** Filters in JavaScript by the columns that the index lacks: in SQL, a rare environment would read on and on. */
export const isIn = ({ environment, release }: Segment, view: View): boolean =>
  (view.environment === undefined || environment === view.environment) &&
  (view.release === undefined || release === view.release)

function newestOf(store: Store, project: number, { view, route, after, most }: SegmentsInput): Segment[] {
  const since = view.since * 1_000
  const [start, id] = after ?? [view.until * 1_000, 0]
  if (route === undefined)
    return store.all(
      `SELECT ${COLUMNS} FROM span WHERE project = ? AND is_segment = 1 AND start >= ?
        AND (start, id) < (?, ?) ORDER BY start DESC, id DESC LIMIT ?`,
      project,
      since,
      start,
      id,
      most
    )
  // Some hours at a time, as the index of routes has them, and more each time: most routes have few segments.
  const found: Segment[] = []
  const first = Math.floor(since / MICROS_OF_HOUR)
  let past = Math.floor(start / MICROS_OF_HOUR) + 1
  for (let hours = 1; found.length < most && past > first; hours *= 2) {
    const from = Math.max(first, past - hours)
    const rows = store.all<Segment>(
      `SELECT ${COLUMNS} FROM span INDEXED BY span_segments_by_route
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
  }
  return found
}

/** Segments from the slowest on, some at a time. `enough`: there may be more, but so many were read. */
export function* slowestSegments(store: Store, input: SegmentsInput): Generator<Segment[] | 'enough'> {
  let { after } = input
  for (let read = 0; ;) {
    if (read >= MAX_READ_SLOWEST) return yield 'enough'
    const batch = slowestOf(store, { ...input, after })
    yield batch
    if (batch.length < input.most) return
    read += batch.length
    const { duration, id } = batch.at(-1)!
    after = [duration, id]
  }
}

/** The slowest segments that match, `most` at most: of each hour only those are read that may be among them. */
function slowestOf(store: Store, { view, projects, route, after, most }: SegmentsInput): Segment[] {
  const [since, until] = [view.since * 1_000, view.until * 1_000]
  const sql = `SELECT ${COLUMNS} FROM span WHERE project = ?${route === undefined ? '' : ' AND name = ?'}
    AND start / 3600000000 = ? AND is_segment = 1 AND duration > ? AND start >= ? AND start < ?
    ${after ? 'AND (duration, id) < (?, ?)' : ''}`
  let found: Segment[] = []
  let floor = -1
  for (const project of projects) {
    const named = route === undefined ? [project] : [project, route]
    const [narrowed, values] = narrow(project, view)
    const text = `${sql}${narrowed} ORDER BY duration DESC, id DESC LIMIT ?`
    const first = Math.floor(since / MICROS_OF_HOUR)
    // Asks for more hours each time: the floor that the first of them give leaves little to read of the others.
    let past = Math.floor((until - 1) / MICROS_OF_HOUR) + 1
    for (let hours = 1; past > first; hours = Math.min(hours * 2, MAX_HOURS)) {
      const from = Math.max(first, past - hours)
      const asked = Array.from({ length: past - from }, (_hour, index) =>
        store.ask<Segment>(text, ...named, from + index, floor, since, until, ...(after ?? []), ...values, most)
      )
      past = from
      const rows = asked.flatMap((read) => read())
      if (rows.length === 0) continue
      found = [...found, ...rows].sort((a, b) => b.duration - a.duration || b.id - a.id).slice(0, most)
      if (found.length === most) floor = found.at(-1)!.duration - 1
    }
  }
  return found
}
