import { filtersOf, parseSearch, SearchInvalid, type Search } from '../web/search/index.ts'
import { InboxQueryInvalid } from '@hull/common/errors.ts'
import { DAY, HOUR } from '@hull/common/time.ts'
import type { IssueState, View } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { isTagged, toCriteria, type Criterion } from './criteria.ts'
import { findNewestRelease, projectsOf } from './scope.ts'
import { hasEvents, isNarrowed, scopeOf, type EventScope } from './issue-events.ts'
import { join, sql, toList, type Sql } from './sql.ts'
import { BY_HOUR, stepsOf } from './time-buckets.ts'
import type { IssueListQuery } from './types.ts'

const STATES: readonly IssueState[] = ['unresolved', 'regressed', 'resolved', 'ignored']

/** What waits for somebody: the list without a search. */
const OPEN: readonly IssueState[] = ['unresolved', 'regressed']

/** Milliseconds by which the end of a view may lie behind now, and still be now. */
const LATELY = 5 * 60_000

/** Which issues are asked for. */
export interface Selection {
  projects: number[]
  /** States, with what else must be true of an issue in that state. */
  states: Map<IssueState, Sql | undefined>
  /** Seen since then, by their last event: the start of the range's first hour or day. */
  since: number
  /** Which events of an issue are counted. */
  scope: EventScope
  /** Whatever else must hold. */
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
 * Whether a list may have to look through many issues: it is asked in the thread for that. By the time of the last event
 * and by state there is an index; a search, a release or an environment narrows what the index gives.
 * @throws InboxQueryInvalid
 */
export function isWide({ view, query, sort = 'last' }: IssueListQuery, now = Date.now()): boolean {
  const search = readSearch(query ?? '')
  const isFiltered = search.terms.some((term) => term.kind === 'word' || term.name !== 'is' || term.value === 'new')
  const isPast = view.until < now - LATELY
  // More than two days of hours are much to add up for each row.
  const isLong = view.until - view.since > BY_HOUR
  return isFiltered || isPast || isLong || sort !== 'last' || isNarrowed(view)
}

/** @throws InboxQueryInvalid */
export function select(store: Store, { view, query }: IssueListQuery, now: number): Selection {
  const search = readSearch(query ?? 'is:unresolved')
  const projects = projectsOf(store, view.project)
  const steps = stepsOf(view)
  const scope = scopeOf(store, view, steps)
  const criteria = toCriteria(store, search, projects, now)
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
  const [from, end] = scope.hours
  // of a range that is past, the last event says nothing
  const inRange: EventScope = { ...scope, hours: [from, until < now - LATELY ? Math.ceil(until / HOUR) : end] }
  return [
    ...(environment === undefined ? [] : [isTagged('environment', [environment])]),
    ...(release === undefined ? [] : [isTagged('release', [release])]),
    ...(isNarrowed(view) || until < now - LATELY ? [{ holds: hasEvents(inRange, 'i.id') }] : [])
  ]
}

/** `is:unresolved` is all that waits for somebody, regressed or not; the others are what they say. */
function toStates(store: Store, search: Search, projects: readonly number[], now: number): Selection['states'] {
  const named = (negated: boolean) =>
    new Set(filtersOf(search, 'is').flatMap((filter) => (filter.negated === negated ? filter.value : [])))
  const [wanted, unwanted] = [named(false), named(true)]
  const isOf = (names: Set<string>, state: IssueState) =>
    names.has(state) || (names.has('unresolved') && OPEN.includes(state))
  const states: Selection['states'] = new Map()
  for (const state of STATES) {
    if (isOf(unwanted, state)) continue
    if (wanted.size === 0 || isOf(wanted, state)) states.set(state, undefined)
    else if (state === 'unresolved' && wanted.has('new')) states.set(state, isNewSql(store, projects, now))
  }
  if (unwanted.has('new') && states.has('unresolved')) {
    const { text, values } = isNewSql(store, projects, now)
    const former = states.get('unresolved')
    const not = sql(`NOT (${text})`, ...values)
    states.set('unresolved', former ? join([former, not], 'AND') : not)
  }
  return states
}

/** Unresolved is told by the state. */
function isNewSql(store: Store, projects: readonly number[], now: number): Sql {
  const newest = projects.flatMap((project) => findNewestRelease(store, project) ?? [])
  return sql(
    'i.changed IS NULL AND (i.first_seen >= ? OR i.first_release IN (SELECT value FROM json_each(?)))',
    now - DAY,
    toList(newest)
  )
}
