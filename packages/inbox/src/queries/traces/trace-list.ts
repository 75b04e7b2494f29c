import { InboxCursorInvalid } from '../../errors.ts'
import type { View } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import type { PageInput } from '../cursor.ts'
import { askTraces, askTracesOf } from './trace-counts.ts'
import { projectsOf } from '../scope.ts'
import { findHeads } from './trace-heads.ts'
import { isIn, newestSegments, slowestSegments, type Cursor, type Segment } from './trace-segments.ts'
import type { TraceRow } from './trace-types.ts'

/** Segments to read at a time, per requested trace: most traces have two. */
const PER_TRACE = 3

/**
 * Milliseconds to look for the first trace of a page behind those of other environments and releases: half of a scan's.
 */
const MAX_TIME = 1_000

export interface TraceQuery extends PageInput {
  view: View
  route?: string
  sort?: 'newest' | 'slowest'
}

interface TraceList {
  traces: TraceRow[]
  next?: string
  /** Traces on all pages, counted up to MAX_TRACE_COUNT + 1. */
  total: number
}

/** Traces, each represented by its browser segment if there is one, since a visitor waited for it. */
export function listTraces(store: Store, { view, route, sort = 'newest', cursor, limit = 50 }: TraceQuery): TraceList {
  const after = parseCursor(cursor)
  const projects = projectsOf(store, view.project)
  const readTotal = route === undefined ? askTraces(store, projects, view) : askTracesOf(store, projects, view, route)
  const most = Math.min(Math.max(1, limit), 200)
  const input = { view, projects, route, after, most: most * PER_TRACE }
  const traces = new Map<string, TraceRow>()
  const batches = sort === 'newest' ? newestSegments(store, input) : slowestSegments(store, input)
  const toPage = (last: Cursor | undefined) => ({
    traces: [...traces.values()],
    total: readTotal(),
    ...(last && { next: last.join('-') })
  })
  const toCursor = ({ start, duration, id }: Segment): Cursor => [sort === 'newest' ? start : duration, id]
  let last: Cursor | undefined
  const until = performance.now() + MAX_TIME
  for (const batch of batches) {
    if (batch === 'enough') {
      if (traces.size > 0 || sort === 'slowest' || performance.now() > until) return toPage(last)
      continue
    }
    const matching = batch.filter((segment) => isIn(segment, view))
    const heads = findHeads(store, { view, projects, route, sort }, matching)
    for (const segment of matching) {
      const { traceId, spanId } = segment
      const isHead = !traces.has(traceId) && (heads.get(traceId) ?? spanId) === spanId
      // Not before the next trace: the segments that follow may all be parts of the listed ones.
      if (isHead && traces.size === most) return toPage(last)
      last = toCursor(segment)
      if (isHead) traces.set(traceId, toRow(segment))
    }
    // Also past the segments of other environments and releases.
    if (batch.length > 0) last = toCursor(batch.at(-1)!)
  }
  return toPage(undefined)
}

function toRow({ traceId, name, side, start, duration, status, release }: Segment): TraceRow {
  return {
    traceId,
    name,
    side,
    status,
    start: Math.round(start / 1e3),
    duration: duration / 1e3,
    ...(release !== null && { release })
  }
}

/** @throws InboxCursorInvalid */
function parseCursor(cursor: string | undefined): Cursor | undefined {
  if (cursor === undefined) return undefined
  const [, first, id] = /^(\d{1,16})-(\d{1,16})$/.exec(cursor) ?? []
  if (first === undefined) throw new InboxCursorInvalid()
  return [Number(first), Number(id)]
}
