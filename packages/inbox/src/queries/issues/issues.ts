import { MAX_COUNT } from '../../web/view.ts'
import { ISSUE_STATES, type IssueState } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { toPage, toPageRequest } from '../cursor.ts'
import { findIssues } from './find-issues.ts'
import { askIssueRows } from './issue-rows.ts'
import { select, type Selection } from './selection.ts'
import type { IssueList, IssueListQuery } from './issue-types.ts'

/** Issues of a page. */
const ISSUES = 50

/**
 * One page of issues.
 * @throws InboxQueryInvalid with a sentence about the error in the query, and its `position`
 * @throws InboxCursorInvalid
 */
export function listIssues(store: Store, query: IssueListQuery): IssueList {
  const { sort = 'last' } = query
  const request = toPageRequest(sort, query, ISSUES)
  const now = Date.now()
  const selection = select(store, query, now)
  const found = findIssues(store, selection, { sort, limit: request.size + 1, place: request.place })
  const { rows, ...cursors } = toPage(sort, request, found, ({ id, value }) => ({ value, id }))
  const counts = selection.criteria.length === 0 ? countStates(store, selection) : countNarrowed(store, selection)
  return {
    issues: askIssueRows(store, { ids: rows.map(({ id }) => id), view: query.view, now })(),
    ...cursors,
    total: countSelected(store, selection, counts),
    counts
  }
}

/** Number of issues on all pages: the tab's own count if a single tab is listed. */
function countSelected(store: Store, selection: Selection, counts: IssueList['counts']): number {
  const { states } = selection
  // The tab of unresolved issues has the regressed ones, too.
  const isOfTabs = !states.has('unresolved') || states.has('regressed')
  if (isOfTabs && [...states.values()].every((also) => also === undefined)) {
    const listed = [...states.keys()].filter((state) => !(state === 'regressed' && states.has('unresolved')))
    const total = listed.reduce((sum, state) => sum + counts[state], 0)
    return Math.min(total, MAX_COUNT + 1)
  }
  return findIssues(store, selection, { sort: 'last', limit: MAX_COUNT + 1 }).length
}

/** Issues of each tab while a search, a release or an environment narrows all of them. */
function countNarrowed(store: Store, selection: Selection): IssueList['counts'] {
  const count = (state: IssueState) => {
    const inState = { ...selection, states: new Map([[state, undefined]]) }
    return findIssues(store, inState, { sort: 'last', limit: MAX_COUNT + 1 }).length
  }
  return toTabs({
    unresolved: count('unresolved'),
    regressed: count('regressed'),
    resolved: count('resolved'),
    ignored: count('ignored')
  })
}

function countStates(store: Store, { projects, since }: Selection): Record<IssueState, number> {
  const asked = projects.flatMap((project) =>
    ISSUE_STATES.map((state) => ({
      state,
      rows: store.ask<{ issues: number }>(
        `SELECT count(*) AS issues FROM (SELECT 1 FROM issue INDEXED BY issue_by_last
           WHERE project = ? AND state = ? AND last_seen >= ? LIMIT ?) AS found`,
        project,
        state,
        since,
        MAX_COUNT + 1
      )
    }))
  )
  const counts = { unresolved: 0, regressed: 0, resolved: 0, ignored: 0 }
  for (const { state, rows } of asked) counts[state] += rows()[0]!.issues
  return toTabs(counts)
}

/** As on that tab, where `unresolved` includes regressed issues. */
const toTabs = (counts: IssueList['counts']): IssueList['counts'] => ({
  ...counts,
  unresolved: Math.min(counts.unresolved + counts.regressed, MAX_COUNT + 1)
})
