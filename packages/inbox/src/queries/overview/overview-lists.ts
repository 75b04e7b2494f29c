import type { View } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import type { RollupScope } from '../rollups/figures.ts'
import { findIssues } from '../issues/find-issues.ts'
import { askIssueRows, askSeries } from '../issues/issue-rows.ts'
import { askMostFrequent } from '../issues/most-frequent.ts'
import type { Overview } from './overview-types.ts'
import { askNewestReleases } from '../scope.ts'
import { select } from '../issues/selection.ts'

/** Issues per list. */
const SHOWN = 5

/** Issues of a project and state to consider for a list. If many of them do not qualify, the list is shorter. */
const LOOKED_AT = 100

/** Asks for the lists of issues below the charts. */
export function askLists(
  store: Store,
  scope: RollupScope,
  now: number
): () => Pick<Overview, 'newInRelease' | 'regressed' | 'mostFrequent'> {
  const { projects, view } = scope
  const newest = view.release === undefined ? askNewestReleases(store, projects) : undefined
  const readMostFrequent = askMostFrequent(store, scope, SHOWN)
  return () => {
    const askedNew = askNew(store, scope, newest?.())
    const regressed = findRegressed(store, view, now)
    const newInRelease = newestFirst(askedNew())
    const { ids: mostFrequent, series } = readMostFrequent()
    const ids = [...new Set([...newInRelease, ...regressed, ...mostFrequent])]
    const uncounted = ids.filter((id) => !series.has(id))
    if (uncounted.length > 0) for (const [id, points] of askSeries(store, uncounted, view)()) series.set(id, points)
    const rows = new Map(askIssueRows(store, { ids, view, now, series })().map((row) => [row.id, row]))
    const toRows = (list: number[]) => list.flatMap((id) => rows.get(id) ?? [])
    return { newInRelease: toRows(newInRelease), regressed: toRows(regressed), mostFrequent: toRows(mostFrequent) }
  }
}

/** The regressed issues that the list of issues has first. */
const findRegressed = (store: Store, view: View, now: number): number[] =>
  findIssues(store, select(store, { view, query: 'is:regressed' }, now), { sort: 'last', limit: SHOWN }).map(
    ({ id }) => id
  )

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
       WHERE c.state = 'unresolved' AND ${WHERE_IN_ENVIRONMENT} ORDER BY c.first_seen DESC LIMIT ${SHOWN}`,
      project,
      view.release ?? release ?? view.since,
      LOOKED_AT,
      view.environment ?? null
    )
  })
  return () => asked.flatMap((rows) => rows())
}

/** SQL condition on the environment, which is bound as a parameter; null matches all, and is tested first. */
const WHERE_IN_ENVIRONMENT = `(CAST(?4 AS TEXT) IS NULL
  OR EXISTS (SELECT 1 FROM issue_tag WHERE issue = c.id AND name = 'environment' AND value = ?4))`
