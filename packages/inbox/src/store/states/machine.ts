import type { IssueState } from '../model.ts'

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
export const TRANSITIONS: readonly Transition[] = [
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
