import type { IssueState } from './model.ts'
import type { Store } from './store.ts'

/** The columns of an issue that decide what becomes of it. */
export interface StateRow {
  state: IssueState
  /** Release that was current when it was resolved; null where the project had none. */
  resolved_release: number | null
  resolved_in_next: number
  /** The count of events at which it reopens. */
  ignored_until_events: number | null
  /** Milliseconds since the epoch at which it reopens. */
  ignored_until: number | null
  /** The event that comes included. */
  events: number
}

/** What happens to an issue. */
export interface Happening {
  on: 'resolve' | 'resolveInNext' | 'ignore' | 'reopen' | 'event' | 'minute'
  /** Of the event; null where it names none. Releases are in the order of their ids. */
  release?: number | null
  /** Milliseconds since the epoch. */
  now: number
}

/** A row of the table: what leads from which states to another. */
export interface Transition {
  from: readonly IssueState[]
  on: Happening['on']
  when?: (issue: StateRow, happening: Happening) => boolean
  to: IssueState
  /** Nothing changes but the count of events of old releases. */
  countsAsOld?: true
  /** Why an issue came back by itself. */
  reason?: 'release' | 'events' | 'date'
}

const OPEN = ['unresolved', 'regressed'] as const

/** The first that fits is taken; where none fits nothing changes. */
const TRANSITIONS: readonly Transition[] = [
  { from: OPEN, on: 'resolve', to: 'resolved' },
  { from: OPEN, on: 'resolveInNext', to: 'resolved' },
  { from: [...OPEN, 'resolved'], on: 'ignore', to: 'ignored' },
  { from: ['resolved', 'ignored'], on: 'reopen', to: 'unresolved' },
  { from: ['resolved'], on: 'event', when: isOfRelease, to: 'regressed', reason: 'release' },
  { from: ['resolved'], on: 'event', to: 'resolved', countsAsOld: true },
  { from: ['ignored'], on: 'event', when: hasPassed, to: 'unresolved', reason: 'date' },
  { from: ['ignored'], on: 'event', when: isReached, to: 'unresolved', reason: 'events' },
  { from: ['ignored'], on: 'minute', when: hasPassed, to: 'unresolved', reason: 'date' }
]

/** The row of the table that holds; undefined where nothing changes. */
export function findTransition(issue: StateRow, happening: Happening): Transition | undefined {
  return TRANSITIONS.find(
    ({ from, on, when }) => on === happening.on && from.includes(issue.state) && (when?.(issue, happening) ?? true)
  )
}

/**
 * Whether an event is of a release that should be free of the error. An event without a release is of any: it breaks
 * "resolved", and is no proof against "resolved in the next". Where a project had no release yet, each is a later one.
 */
function isOfRelease(
  { resolved_release: resolved, resolved_in_next: inNext }: StateRow,
  { release }: Happening
): boolean {
  if (release == null) return !inNext
  if (resolved === null) return true
  return inNext ? release > resolved : release >= resolved
}

function isReached({ ignored_until_events: until, events }: StateRow): boolean {
  return until !== null && events >= until
}

function hasPassed({ ignored_until: until }: StateRow, { now }: Happening): boolean {
  return until !== null && now >= until
}

/** What a statement has to select for a {@link StateRow}. */
export const STATE_COLUMNS =
  'id, project, state, resolved_release, resolved_in_next, ignored_until_events, ignored_until, events'

export interface IssueStateRow extends StateRow {
  id: number
  project: number
}

/** Issues that one call of {@link reopenDue} reopens: so many take a few milliseconds. */
const MAX_DUE = 500

/**
 * Lets an event change its issue's state: an issue that was resolved may regress, one that was ignored reopen. Costs
 * nothing for one that is open. Inside the transaction that stores the event.
 * @param issue as its row is with this event counted
 * @param release of the event
 * @param now milliseconds since the epoch
 * @returns the new state; undefined when it stays
 */
export function followEvent(
  store: Store,
  issue: IssueStateRow,
  release: number | null,
  now: number
): IssueState | undefined {
  const transition = findTransition(issue, { on: 'event', release, now })
  if (!transition) return undefined
  if (transition.countsAsOld) {
    store.run('UPDATE issue SET in_old_release = in_old_release + 1 WHERE id = ?', issue.id)
    return undefined
  }
  comeBack(store, issue, transition, release, now)
  return transition.to
}

/**
 * Reopens ignored issues whose time has come, some hundreds at most; to be called each minute, in a transaction.
 * @param now milliseconds since the epoch
 * @returns the issues that reopened
 */
export function reopenDue(store: Store, now: number): number[] {
  const due = store.all<IssueStateRow>(
    `SELECT ${STATE_COLUMNS} FROM issue WHERE ignored_until IS NOT NULL AND ignored_until <= ? LIMIT ?`,
    now,
    MAX_DUE
  )
  return due.flatMap((issue) => {
    const transition = findTransition(issue, { on: 'minute', now })
    if (!transition) return []
    comeBack(store, issue, transition, null, now)
    return issue.id
  })
}

/** The release that is the newest of a project; null where it has none. */
export const findCurrentRelease = (store: Store, project: number): number | null =>
  store.get<{ id: number | null }>('SELECT max(id) AS id FROM release WHERE project = ?', project)!.id

/** A release's version, for an entry of the activity. */
export const findVersion = (store: Store, release: number | null): string | null =>
  release === null
    ? null
    : (store.get<{ version: string }>('SELECT version FROM release WHERE id = ?', release)?.version ?? null)

/** What an issue's state consists of besides its name. */
export interface StateChange {
  state: IssueState
  resolvedRelease?: number | null
  resolvedInNext?: boolean
  ignoredUntilEvents?: number | null
  ignoredUntil?: number | null
}

/** Writes a state; whatever belonged to the former one is forgotten. */
export function writeState(store: Store, id: number, change: StateChange, now: number): void {
  store.run(
    `UPDATE issue SET state = ?, resolved_release = ?, resolved_in_next = ?, ignored_until_events = ?,
       ignored_until = ?, in_old_release = 0, changed = ?, version = version + 1 WHERE id = ?`,
    change.state,
    change.resolvedRelease ?? null,
    change.resolvedInNext ? 1 : 0,
    change.ignoredUntilEvents ?? null,
    change.ignoredUntil ?? null,
    now,
    id
  )
}

function comeBack(
  store: Store,
  { id, resolved_release: resolved }: IssueStateRow,
  { to, reason }: Transition,
  release: number | null,
  now: number
): void {
  writeState(store, id, { state: to }, now)
  const data =
    reason === 'release'
      ? { release: findVersion(store, release), resolvedRelease: findVersion(store, resolved) }
      : { reason: reason ?? null }
  store.run(
    'INSERT INTO activity (issue, at, who, kind, data) VALUES (?, ?, NULL, ?, ?)',
    id,
    now,
    reason === 'release' ? 'regressed' : 'reopened',
    JSON.stringify(data)
  )
  if (reason === 'release' && release !== null)
    store.run('UPDATE release SET regressions = regressions + 1 WHERE id = ?', release)
}
