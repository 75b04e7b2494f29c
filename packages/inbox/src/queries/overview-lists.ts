import type { Store } from '../store/store.ts'
import type { RollupScope } from './figures.ts'
import { findNewestRelease } from './scope.ts'
import { countEvents, scopeOf } from './issue-events.ts'
import { hoursOf } from './time-buckets.ts'
import { toList } from './sql.ts'

/** Issues per list. */
const SHOWN = 5

/** Issues of a project and state to consider for a list. If many of them do not qualify, the list is shorter. */
const LOOKED_AT = 100

/** Hourly rows to sum up when looking for the most frequent issues. */
const HOURS_SUMMED = 1_000

export interface IssueIds {
  newInRelease: number[]
  regressed: number[]
  loudest: number[]
}

/** Issue ids of the lists below the charts. */
export function findIssueIds(store: Store, scope: RollupScope): IssueIds {
  return {
    newInRelease: findNew(store, scope),
    regressed: newestFirst(findBy(store, scope, 'last', ['regressed'], SHOWN)),
    loudest: findLoudest(store, scope)
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

/** Issues first seen in the view's release or the newest one; without releases, first seen in the range. */
function findNew(store: Store, scope: RollupScope): number[] {
  const { projects, view } = scope
  return newestFirst(
    projects.flatMap((project) => {
      const release =
        view.release === undefined
          ? findNewestRelease(store, project)
          : (store.get<{ id: number }>(
              'SELECT id FROM release WHERE project = ? AND version = ?',
              project,
              view.release
            )?.id ?? -1)
      const source =
        release === undefined
          ? `(SELECT id, state, first_seen FROM issue INDEXED BY issue_by_first
              WHERE project = ?1 AND state = 'unresolved' AND first_seen >= ?2 ORDER BY first_seen DESC, id DESC LIMIT ?3)`
          : `(SELECT id, state, first_seen FROM issue INDEXED BY issue_by_first_release
              WHERE first_release = ?2 AND project = ?1 ORDER BY id DESC LIMIT ?3)`
      return store.all<Candidate>(
        `SELECT c.id, c.first_seen AS at FROM ${source} c
         WHERE c.state = 'unresolved' AND ${WHERE_IN_VIEW(4)} ORDER BY c.first_seen DESC LIMIT ${SHOWN}`,
        project,
        release ?? view.since,
        LOOKED_AT,
        ...inView(view, false)
      )
    })
  )
}

/** First issues by an index, seen within the view. */
function findBy(
  store: Store,
  { projects, view, steps }: RollupScope,
  order: 'last' | 'events',
  states: string[],
  limit: number
): Candidate[] {
  const column = order === 'last' ? 'last_seen' : 'events'
  return projects.flatMap((project) =>
    states.flatMap((state) =>
      store.all<Candidate>(
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
  )
}

/** Issues with the most events in the view, among those with the most events in total and those seen last. */
function findLoudest(store: Store, scope: RollupScope): number[] {
  const [from, until] = hoursOf(scope.steps)
  const candidates = Math.min(Math.max(Math.floor(HOURS_SUMMED / (until - from) / 2), SHOWN), 20)
  const open = ['unresolved', 'regressed']
  const found = [...findBy(store, scope, 'events', open, candidates), ...findBy(store, scope, 'last', open, candidates)]
  const loud = countEvents(scopeOf(store, scope.view, scope.steps), 'CAST(wanted.value AS BIGINT)')
  return store
    .all<{ id: number }>(
      `SELECT id FROM (SELECT CAST(wanted.value AS BIGINT) AS id, ${loud.text} AS loud FROM json_each(?) AS wanted) AS counted
       WHERE loud > 0 ORDER BY loud DESC, id DESC LIMIT ?`,
      ...loud.values,
      toList([...new Set(found.map(({ id }) => id))]),
      SHOWN
    )
    .map(({ id }) => id)
}

/**
 * SQL condition on environment and release; null matches all. Their values are bound from parameter number `place` on.
 */
const WHERE_IN_VIEW = (place: number) =>
  `(EXISTS (SELECT 1 FROM issue_tag WHERE issue = c.id AND name = 'environment' AND value = ?${place}) OR ?${place} IS NULL)
   AND (EXISTS (SELECT 1 FROM issue_tag WHERE issue = c.id AND name = 'release' AND value = ?${place + 1}) OR ?${place + 1} IS NULL)`

const inView = ({ environment, release }: RollupScope['view'], withRelease: boolean): (string | null)[] => [
  environment ?? null,
  withRelease ? (release ?? null) : null
]
