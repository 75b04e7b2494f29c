import { MAX_TRACE_COUNT } from '../../web/view.ts'
import type { View } from '../../store/model.ts'
import { IDS_PER_DAY, type Store } from '../../store/store.ts'
import { headOf, MAX_SEGMENTS } from './trace-heads.ts'
import { toList } from '../sql.ts'
import { MAX_READ, MICROS_OF_HOUR } from './trace-segments.ts'

/** SQL of the ids that are received within a day of a segment's. */
const WITHIN_A_DAY: [string, string] = [`segment.id - ${IDS_PER_DAY}`, `segment.id + ${IDS_PER_DAY}`]

const PLACES = { most: '?7', projects: '?8', environment: '?5', release: '?6', since: '?2', until: '?3' }

/** Asks for the traces that the list has on all its pages, by either order: segments that represent their trace. */
export function askTraces(
  store: Store,
  projects: readonly number[],
  { since, until, environment, release }: View
): () => number {
  const range = `FROM span WHERE project = ?1 AND is_segment = 1 AND start >= ?2 AND start < ?3 ORDER BY start DESC, id DESC`
  const places = projects.map((id) => [id, since * 1_000, until * 1_000, MAX_READ])
  const asked = places.map((place) =>
    store.ask<{ traces: number }>(
      `SELECT count(*) AS traces FROM (
         SELECT 1 FROM (SELECT id, trace_id, span_id, environment, release ${range} LIMIT ?4) AS segment
         WHERE (environment = ?5 OR ?5 IS NULL)
           AND (release = (SELECT id FROM release AS named WHERE named.project = ?1 AND version = ?6) OR ?6 IS NULL)
           AND span_id = ${headOf('segment.trace_id', WITHIN_A_DAY, PLACES)}
         LIMIT ?9) AS found`,
      ...place,
      environment ?? null,
      release ?? null,
      MAX_SEGMENTS,
      toList(projects),
      MAX_TRACE_COUNT + 1
    )
  )
  return () => {
    const total = asked.reduce((sum, rows) => sum + rows()[0]!.traces, 0)
    const mayHaveMore = total <= MAX_TRACE_COUNT && places.some((place) => isMoreThan(store, range, place))
    return mayHaveMore ? MAX_TRACE_COUNT + 1 : Math.min(total, MAX_TRACE_COUNT + 1)
  }
}

/** Whether there are segments that were not read. */
const isMoreThan = (store: Store, range: string, place: number[]): boolean =>
  store.get(`SELECT 1 ${range} LIMIT 1 OFFSET ?4`, ...place) !== undefined

/** The same of a route: traces with a segment of it. */
export function askTracesOf(
  store: Store,
  projects: readonly number[],
  { since, until, environment, release }: View,
  route: string
): () => number {
  const asked = projects.map((id) =>
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
  return () => {
    const lists = asked.map((rows) => rows())
    if (lists.some(({ length }) => length === MAX_READ)) return MAX_TRACE_COUNT + 1
    const traces = new Set(lists.flat().flatMap(({ traceId, isIn }) => (isIn ? traceId : [])))
    return Math.min(traces.size, MAX_TRACE_COUNT + 1)
  }
}
