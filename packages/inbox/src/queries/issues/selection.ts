import { filtersOf, parseSearch, SearchInvalid, type Search } from '../../web/search/index.ts'
import { InboxQueryInvalid } from '../../errors.ts'
import { DAY, MINUTE } from '@hull/common/time.ts'
import { ISSUE_STATES, OPEN_STATES, type IssueState, type View } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { isTagged, toCriteria, type Criterion } from './criteria.ts'
import { askNewestReleases, projectsOf } from '../scope.ts'
import { hasEvents, isNarrowed, scopeOf, type EventScope } from './issue-events.ts'
import { and, isAmong, not, sql, toList, type Sql } from '../sql.ts'
import { BY_HOUR, stepsOf } from '../rollups/time-buckets.ts'
import type { IssueListQuery } from './issue-types.ts'

/** A view that ends at most this many milliseconds ago counts as current. */
const LATELY = 5 * MINUTE

/** The issues to list. */
export interface Selection {
  projects: number[]
  /** States to include, each with an extra condition. */
  states: Map<IssueState, Sql | undefined>
  /** Earliest last event: start of the range's first hour or day. */
  since: number
  /** Which events of an issue to count. */
  scope: EventScope
  /** All other conditions. */
  criteria: Criterion[]
}

/** @throws InboxQueryInvalid */
export function readSearch(text: string): Search {
  try {
    return parseSearch(text)
  } catch (error) {
    if (!(error instanceof SearchInvalid)) throw error
    throw Object.assign(new InboxQueryInvalid(error.message), { position: error.position })
  }
}

/**
 * Whether a list may have to scan many issues and so belongs in the scan thread. There are indexes by last event and by
 * state; a search, a release or an environment filters the rows that they return.
 * @throws InboxQueryInvalid
 */
export function isWide({ view, query, sort = 'last' }: IssueListQuery, now = Date.now()): boolean {
  const search = readSearch(query ?? '')
  const isFiltered = search.terms.some((term) => term.kind === 'word' || term.name !== 'is' || term.value === 'new')
  const isPast = view.until < now - LATELY
  // Summing more than two days of hours for each row takes long.
  const isLong = view.until - view.since > BY_HOUR
  return isFiltered || isPast || isLong || sort !== 'last' || isNarrowed(view)
}

/** @throws InboxQueryInvalid */
export function select(store: Store, { view, query, me }: IssueListQuery, now: number): Selection {
  const search = readSearch(query ?? 'is:unresolved')
  const projects = projectsOf(store, view.project)
  const steps = stepsOf(view)
  const scope = scopeOf(store, view, steps)
  const criteria = toCriteria(store, search, { projects, now, me })
  return {
    projects,
    states: toStates(store, search, projects, now),
    since: steps.start,
    scope,
    criteria: [...viewCriteria(view, scope, now), ...criteria]
  }
}

function viewCriteria(view: View, scope: EventScope, now: number): Criterion[] {
  const { environment, release, until } = view
  return [
    ...(environment === undefined ? [] : [isTagged('environment', [environment])]),
    ...(release === undefined ? [] : [isTagged('release', [release])]),
    // For a past range, the time of the last event is not enough.
    ...(isNarrowed(view) || until < now - LATELY ? [{ holds: hasEvents(scope, 'i.id') }] : [])
  ]
}

/** `is:unresolved` includes regressed issues; the other values match their own state only. */
function toStates(store: Store, search: Search, projects: readonly number[], now: number): Selection['states'] {
  const named = (negated: boolean) =>
    new Set(filtersOf(search, 'is').flatMap((filter) => (filter.negated === negated ? filter.value : [])))
  const [wanted, unwanted] = [named(false), named(true)]
  const isOf = (names: Set<string>, state: IssueState) =>
    names.has(state) || (names.has('unresolved') && OPEN_STATES.includes(state))
  const states: Selection['states'] = new Map()
  for (const state of ISSUE_STATES) {
    if (isOf(unwanted, state)) continue
    if (wanted.size === 0 || isOf(wanted, state)) states.set(state, undefined)
    else if (state === 'unresolved' && wanted.has('new')) states.set(state, isNewSql(store, projects, now))
  }
  if (unwanted.has('new') && states.has('unresolved')) {
    const isOld = not(isNewSql(store, projects, now))
    const former = states.get('unresolved')
    states.set('unresolved', former ? and(former, isOld) : isOld)
  }
  return states
}

/** `unresolved` is matched by the state itself. */
function isNewSql(store: Store, projects: readonly number[], now: number): Sql {
  const newest = [...askNewestReleases(store, projects)().values()]
  return sql(
    `i.changed IS NULL
      AND (i.first_seen >= ? OR (${isAmong('i.first_release')}) IS TRUE)`,
    now - DAY,
    toList(newest)
  )
}
