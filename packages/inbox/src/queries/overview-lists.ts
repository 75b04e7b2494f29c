import type { Store } from '../store/store.ts'
import type { RollupScope } from './figures.ts'
import { askNewestReleases } from './scope.ts'
import { countEvents, isNarrowed } from './issue-events.ts'
import { askSeries, readIssueRows, sum, type IssueSeries } from './issue-rows.ts'
import { hoursOf } from './time-buckets.ts'
import { toList } from './sql.ts'
import type { Overview } from './overview-types.ts'

/** Issues per list. */
const SHOWN = 5

/** Issues of a project and state to consider for a list. If many of them do not qualify, the list is shorter. */
const LOOKED_AT = 100

/** Hourly rows to sum up when looking for the most frequent issues. */
const HOURS_SUMMED = 1_000

/** Asks for the lists of issues below the charts. */
export function askLists(
  store: Store,
  scope: RollupScope,
  now: number
): () => Pick<Overview, 'newInRelease' | 'regressed' | 'loudest'> {
  const { projects, view } = scope
  const newest = view.release === undefined ? askNewestReleases(store, projects) : undefined
  const limit = countCandidates(scope)
  const frequent = (['unresolved', 'regressed'] as const).map((state) => askBy(store, scope, 'events', state, limit))
  const askedUnresolved = askBy(store, scope, 'last', 'unresolved', limit)
  const askedRegressed = askBy(store, scope, 'last', 'regressed', limit)
  return () => {
    const askedNew = askNew(store, scope, newest?.())
    const lists = [...frequent, askedUnresolved, askedRegressed]
    const candidates = [...new Set(lists.flatMap((rows) => rows()).map(({ id }) => id))]
    const regressed = newestFirst(askedRegressed())
    const askedLoudest = isNarrowed(view) ? undefined : askLoudest(store, scope, candidates)
    const newInRelease = newestFirst(askedNew())
    // To count the events of a release or an environment, all of them are read. So they are read once for all purposes.
    const series = askedLoudest ? undefined : askSeries(store, [...newInRelease, ...regressed, ...candidates], view)()
    const loudest = askedLoudest?.() ?? loudestOf(candidates, series!)
    const ids = [...new Set([...newInRelease, ...regressed, ...loudest])]
    const rows = new Map(readIssueRows(store, { ids, view, now, series }).map((row) => [row.id, row]))
    const toRows = (list: number[]) => list.flatMap((id) => rows.get(id) ?? [])
    return { newInRelease: toRows(newInRelease), regressed: toRows(regressed), loudest: toRows(loudest) }
  }
}

interface Candidate {
  id: number
  at: number
}

const newestFirst = (candidates: Candidate[]): number[] =>
  candidates
    .sort((a, b) => b.at - a.at || b.id - a.id)
    .slice(0, SHOWN)
    .map(({ id }) => id)

/**
 * Asks for issues first seen in the view's release or the newest one; without releases, first seen in the range.
 * @param newest releases by project, if the view has none
 */
function askNew(
  store: Store,
  { projects, view }: RollupScope,
  newest: Map<number, number> | undefined
): () => Candidate[] {
  const asked = projects.map((project) => {
    const release = newest?.get(project)
    const source =
      newest && release === undefined
        ? `(SELECT id, state, first_seen FROM issue INDEXED BY issue_by_first
            WHERE project = ?1 AND state = 'unresolved' AND first_seen >= ?2 ORDER BY first_seen DESC, id DESC LIMIT ?3)`
        : `(SELECT id, state, first_seen FROM issue INDEXED BY issue_by_first_release
            WHERE first_release = ${newest ? '?2' : '(SELECT id FROM release WHERE project = ?1 AND version = ?2)'}
              AND project = ?1 ORDER BY id DESC LIMIT ?3)`
    return store.ask<Candidate>(
      `SELECT c.id, c.first_seen AS at FROM ${source} c
       WHERE c.state = 'unresolved' AND ${WHERE_IN_VIEW(4)} ORDER BY c.first_seen DESC LIMIT ${SHOWN}`,
      project,
      view.release ?? release ?? view.since,
      LOOKED_AT,
      ...inView(view, false)
    )
  })
  return () => asked.flatMap((rows) => rows())
}

/** Asks for the first issues of a state by an index, seen within the view. @param limit for each project */
function askBy(
  store: Store,
  { projects, view, steps }: RollupScope,
  order: 'last' | 'events',
  state: 'unresolved' | 'regressed',
  limit: number
): () => Candidate[] {
  const column = order === 'last' ? 'last_seen' : 'events'
  const asked = projects.map((project) =>
    store.ask<Candidate>(
      `SELECT c.id, c.last_seen AS at FROM (
         SELECT id, last_seen, ${column} AS place FROM issue INDEXED BY issue_by_${order}
         WHERE project = ?1 AND state = ?2 ORDER BY ${column} DESC, id DESC LIMIT ?3) c
       WHERE c.last_seen >= ?4 AND ${WHERE_IN_VIEW(5)} ORDER BY c.place DESC LIMIT ?7`,
      project,
      state,
      LOOKED_AT,
      steps.start,
      ...inView(view, true),
      limit
    )
  )
  return () => asked.flatMap((rows) => rows())
}

/** Issues per list among which the most frequent ones of the range are looked for. At least {@link SHOWN}. */
function countCandidates({ steps }: RollupScope): number {
  const [from, until] = hoursOf(steps)
  return Math.min(Math.max(Math.floor(HOURS_SUMMED / (until - from) / 2), SHOWN), 20)
}

/** Asks for the candidates with the most events in the range. */
function askLoudest(store: Store, { steps }: RollupScope, candidates: number[]): () => number[] {
  const loud = countEvents({ hours: hoursOf(steps) }, 'CAST(wanted.value AS BIGINT)')
  const asked = store.ask<{ id: number }>(
    `SELECT id FROM (SELECT CAST(wanted.value AS BIGINT) AS id, ${loud.text} AS loud FROM json_each(?) AS wanted) AS counted
     WHERE loud > 0 ORDER BY loud DESC, id DESC LIMIT ?`,
    ...loud.values,
    toList(candidates),
    SHOWN
  )
  return () => asked().map(({ id }) => id)
}

/** The candidates with the most events, by their events at each point. */
const loudestOf = (candidates: number[], series: IssueSeries): number[] =>
  candidates
    .map((id) => ({ id, loud: sum(series.get(id)!) }))
    .filter(({ loud }) => loud > 0)
    .sort((a, b) => b.loud - a.loud || b.id - a.id)
    .slice(0, SHOWN)
    .map(({ id }) => id)

/**
 * SQL condition on environment and release; null matches all, and is tested first. Their values are bound from
 * parameter number `place` on.
 */
const WHERE_IN_VIEW = (place: number) =>
  `(CAST(?${place} AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM issue_tag WHERE issue = c.id AND name = 'environment' AND value = ?${place}))
   AND (CAST(?${place + 1} AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM issue_tag WHERE issue = c.id AND name = 'release' AND value = ?${place + 1}))`

const inView = ({ environment, release }: RollupScope['view'], withRelease: boolean): (string | null)[] => [
  environment ?? null,
  withRelease ? (release ?? null) : null
]
