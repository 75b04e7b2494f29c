import type { IssueState } from '../model.ts'
import type { Store } from '../store.ts'
import { findTransition, type StateRow, type Transition } from './machine.ts'

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
