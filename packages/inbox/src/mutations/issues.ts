import { tellFollowers } from '../alerts/followers.ts'
import { InboxIgnoreInvalid } from '../errors.ts'
import {
  findCurrentRelease,
  findTransition,
  findVersion,
  writeState,
  type StateTrigger,
  type StateChange
} from '../store/issue-state.ts'
import type { Store } from '../store/store.ts'
import { readSelected, recordActivity, type Entry, type IssueRow } from './selection.ts'
import type { Changed, Selection } from './issue-types.ts'
import { toBefore } from './undo.ts'

export { assignIssues } from './assignment.ts'
export { deleteIssues } from './issue-removal.ts'
export { mergeIssues, unmergeKey } from './merging.ts'
export { undo } from './undo.ts'

/** The latest time a `Date` can represent. */
const END_OF_TIME = 8.64e15

/** Applies a change to one issue. */
interface Step {
  change: Omit<StateChange, 'state'>
  data: Entry['data']
}

export function resolveIssues(store: Store, input: Selection & { inNext?: boolean }, now = Date.now()): Changed {
  const inNext = input.inNext === true
  const current = new Map<number, number | null>()
  return changeStates(store, input, inNext ? 'resolveInNext' : 'resolve', now, ({ project }) => {
    if (!current.has(project)) current.set(project, findCurrentRelease(store, project))
    const release = current.get(project) ?? null
    return {
      change: { resolvedRelease: release, resolvedInNext: inNext },
      data: { release: findVersion(store, release), inNext }
    }
  })
}

/**
 * Ignores issues: until that many more events, until a time, or forever if neither is given.
 * @param events number of further events
 * @param until milliseconds since the epoch
 * @throws InboxIgnoreInvalid
 */
export function ignoreIssues(
  store: Store,
  input: Selection & { events?: number; until?: number },
  now = Date.now()
): Changed {
  const { events, until } = input
  if (events !== undefined && !(Number.isSafeInteger(events) && events > 0)) throw new InboxIgnoreInvalid()
  if (until !== undefined && !(until > now && until <= END_OF_TIME)) throw new InboxIgnoreInvalid()
  return changeStates(store, input, 'ignore', now, (issue) => ({
    change: {
      ignoredUntilEvents: events === undefined ? null : Math.min(issue.events + events, Number.MAX_SAFE_INTEGER),
      ignoredUntil: until === undefined ? null : Math.ceil(until)
    },
    data: { events: events ?? null, until: until ?? null }
  }))
}

export function reopenIssues(store: Store, input: Selection, now = Date.now()): Changed {
  return changeStates(store, input, 'reopen', now, () => ({ change: {}, data: {} }))
}

const KINDS = { resolve: 'resolved', resolveInNext: 'resolved', ignore: 'ignored', reopen: 'reopened' } as const

function changeStates(
  store: Store,
  selection: Selection,
  on: StateTrigger['on'] & keyof typeof KINDS,
  now: number,
  stepOf: (issue: IssueRow) => Step
): Changed {
  const { rows, conflicts } = readSelected(store, selection)
  const changed: number[] = []
  const undo: number[] = []
  for (const issue of rows) {
    const transition = findTransition(issue, { on, now })
    if (!transition) continue
    const { change, data } = stepOf(issue)
    writeState(store, issue.id, { ...change, state: transition.to }, now)
    const entry = { issue: issue.id, at: now, who: selection.who, kind: KINDS[on], before: toBefore(issue) }
    undo.push(recordActivity(store, { ...entry, data: { from: issue.state, ...data } }))
    const kind = on === 'reopen' ? 'unresolved' : KINDS[on]
    tellFollowers(store, { issue: issue.id, project: issue.project, kind, at: now, who: selection.who })
    changed.push(issue.id)
  }
  return { changed, conflicts, undo }
}
