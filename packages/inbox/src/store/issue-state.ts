import { addAlertFact } from '../alerts/facts.ts'
import { tellFollowers } from '../alerts/followers.ts'
import { writeRow } from './rows.ts'
import { OPEN_STATES, type IssueState } from './model.ts'
import { HAS_RUN } from './projects.ts'
import type { Store } from './store.ts'

/** Columns of an issue that determine its next state. */
export interface StateRow {
  state: IssueState
  /** Newest release of the project when the issue was resolved; null if the project had none. */
  resolved_release: number | null
  resolved_in_next: number
  /** Number of events at which the issue reopens. */
  ignored_until_events: number | null
  /** Milliseconds since the epoch at which the issue reopens. */
  ignored_until: number | null
  /** Number of events, including the current one. */
  events: number
  /** Milliseconds since the epoch of the last change of state; null if there was none. */
  changed: number | null
}

/** A trigger that may change an issue's state. */
export interface StateTrigger {
  on: 'resolve' | 'resolveInNext' | 'ignore' | 'reopen' | 'event' | 'minute'
  /** Release of the event; null if the event has none. Newer releases have higher ids. */
  release?: number | null
  /** Milliseconds since the epoch; of an event, when it was received. */
  now: number
  /** Milliseconds since the epoch when an event is stored. Later than `now` if it waited in a spool. @default now */
  stored?: number
}

/** A row of the transition table. */
export interface Transition {
  from: readonly IssueState[]
  on: StateTrigger['on']
  when?: (issue: StateRow, trigger: StateTrigger) => boolean
  to: IssueState
  /** Only counts an event of an old release; the state does not change. */
  countsAsOld?: true
  /** Why the issue regressed or reopened by itself. */
  reason?: 'release' | 'events' | 'date'
}

/** The first matching row applies. If none matches, nothing changes. */
const TRANSITIONS: readonly Transition[] = [
  { from: OPEN_STATES, on: 'resolve', to: 'resolved' },
  { from: OPEN_STATES, on: 'resolveInNext', to: 'resolved' },
  { from: [...OPEN_STATES, 'resolved'], on: 'ignore', to: 'ignored' },
  { from: ['resolved', 'ignored'], on: 'reopen', to: 'unresolved' },
  { from: ['resolved'], on: 'event', when: isFromBefore, to: 'resolved' },
  { from: ['resolved'], on: 'event', when: isInFixedRelease, to: 'regressed', reason: 'release' },
  { from: ['resolved'], on: 'event', to: 'resolved', countsAsOld: true },
  { from: ['ignored'], on: 'event', when: isDatePassed, to: 'unresolved', reason: 'date' },
  { from: ['ignored'], on: 'event', when: isEventCountReached, to: 'unresolved', reason: 'events' },
  { from: ['ignored'], on: 'minute', when: isDatePassed, to: 'unresolved', reason: 'date' }
]

/** Returns the transition that applies; undefined if nothing changes. */
export function findTransition(issue: StateRow, trigger: StateTrigger): Transition | undefined {
  return TRANSITIONS.find(
    ({ from, on, when }) => on === trigger.on && from.includes(issue.state) && (when?.(issue, trigger) ?? true)
  )
}

/** Whether the state was changed while an event waited in a spool. A change in the future is one of a wrong clock. */
function isFromBefore({ changed }: StateRow, { now, stored = now }: StateTrigger): boolean {
  return changed !== null && now < changed && changed <= stored
}

/**
 * Whether an event shows that the resolved error still occurs in a release that should have the fix. An event without a
 * release counts for "resolved", but not for "resolved in the next". If the project had no release when the issue was
 * resolved, every release counts.
 */
function isInFixedRelease(
  { resolved_release: resolved, resolved_in_next: inNext }: StateRow,
  { release }: StateTrigger
): boolean {
  if (release == null) return !inNext
  if (resolved === null) return true
  return inNext ? release > resolved : release >= resolved
}

function isEventCountReached({ ignored_until_events: until, events }: StateRow): boolean {
  return until !== null && events >= until
}

function isDatePassed({ ignored_until: until }: StateRow, { now }: StateTrigger): boolean {
  return until !== null && now >= until
}

/** Columns to select for an {@link IssueStateRow}. */
export const STATE_COLUMNS =
  'id, project, state, resolved_release, resolved_in_next, ignored_until_events, ignored_until, events, changed'

export interface IssueStateRow extends StateRow {
  id: number
  project: number
}

/** Maximum issues that one call of {@link reopenDue} reopens. They take a few milliseconds. */
const MAX_DUE = 500

/** An event that may change its issue's state. */
export interface StateEvent {
  release: number | null
  environment?: string
  /** Milliseconds since the epoch at which the event was received. */
  now: number
  /** Milliseconds since the epoch at which it is stored. @default now */
  stored?: number
}

/**
 * Applies an event to its issue's state: a resolved issue may regress, an ignored one may reopen. Costs nothing for an
 * open issue. Call it in the transaction that stores the event.
 * @param issue the row, with this event already counted
 * @returns the new state; undefined if it did not change
 */
export function applyEventToState(store: Store, issue: IssueStateRow, event: StateEvent): IssueState | undefined {
  const { release, now, stored = now } = event
  const transition = findTransition(issue, { on: 'event', release, now, stored })
  if (transition?.countsAsOld)
    store.write('UPDATE issue SET in_old_release = in_old_release + 1 WHERE id = ?', issue.id)
  if (transition === undefined || transition.to === issue.state) return undefined
  reopenIssue(store, issue, transition, event)
  return transition.to
}

/**
 * Reopens ignored issues whose time has passed, at most {@link MAX_DUE}. Call it each minute, in a transaction.
 * @param now milliseconds since the epoch
 * @returns the reopened issues
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
    reopenIssue(store, issue, transition, { release: null, now })
    return issue.id
  })
}

/** Returns the newest release of a project that has run; null if it has none. */
export const findCurrentRelease = (store: Store, project: number): number | null =>
  store.get<{ id: number | null }>(`SELECT max(id) AS id FROM release WHERE project = ? AND ${HAS_RUN}`, project)!.id

/** Returns a release's version, for an entry of the activity; null if the release is unknown. */
export const findVersion = (store: Store, release: number | null): string | null =>
  release === null
    ? null
    : (store.get<{ version: string }>('SELECT version FROM release WHERE id = ?', release)?.version ?? null)

/** An issue's state and the values that belong to it. */
export interface StateChange {
  state: IssueState
  resolvedRelease?: number | null
  resolvedInNext?: boolean
  ignoredUntilEvents?: number | null
  ignoredUntil?: number | null
}

/** Writes a state and clears the values of the previous one. */
export function writeState(store: Store, id: number, change: StateChange, now: number): void {
  store.write(
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

function reopenIssue(
  store: Store,
  { id, project, resolved_release: resolved }: IssueStateRow,
  { to, reason }: Transition,
  { release, environment, now }: Pick<StateEvent, 'release' | 'environment' | 'now'>
): void {
  writeState(store, id, { state: to }, now)
  const data =
    reason === 'release'
      ? { release: findVersion(store, release), resolvedRelease: findVersion(store, resolved) }
      : { reason: reason ?? null }
  const kind = reason === 'release' ? 'regressed' : 'reopened'
  writeRow(store, 'activity', { issue: id, at: now, kind, data: JSON.stringify(data) })
  addAlertFact(store, { project, kind, subject: id, at: now, environment })
  tellFollowers(store, { issue: id, project, kind, at: now })
  if (reason === 'release' && release !== null)
    store.write('UPDATE release SET regressions = regressions + 1 WHERE id = ?', release)
}
