import { InboxIgnoreInvalid } from '../../errors.ts'
import type { Reach } from '../../access/reach.ts'
import type { Changed } from '../../mutations/issue-types.ts'
import type { Who } from '../../mutations/author.ts'
import { DAY } from '@hull/common/time.ts'
import { mondayMorning, tomorrowMorning } from '../components/shared/zone.ts'
import { MAX_CHANGED } from '../view.ts'

/** Maximum milliseconds for which an issue can be ignored. A guess: longer than any button offers. */
const MAX_UNTIL = 31 * DAY

/** Result of a change, for the flash message of the next page. */
export interface Done {
  /** Its kind: a key of {@link CHANGES}, `deleted`, `merged`, `undone`, or what was saved. */
  done: string
  /** Number of changed issues; 0 if something else was saved. */
  count: number
  /** Activity entries to undo it with. */
  undo: number[]
  /** Issues that somebody else changed in the meantime. */
  conflicts: number[]
}

/** Parses issues of a form: `12:3` is an id with the version that the user saw. Skips invalid ones. */
export function readIssues(form: FormData): { id: number; version?: number }[] {
  return form
    .getAll('issue')
    .slice(0, MAX_CHANGED)
    .flatMap((text) => {
      const [, id, version] = /^([1-9]\d{0,14}):(\d{1,9})$/.exec(String(text)) ?? []
      return id === undefined ? [] : [{ id: Number(id), version: Number(version) }]
    })
}

/** Parses entry numbers of an address or form: `12,13`. */
export const readNumbers = (text: unknown): number[] =>
  typeof text === 'string' && /^\d{1,15}(,\d{1,15}){0,999}$/.test(text) ? text.split(',').map(Number) : []

/**
 * Makes the change that a form requests: `do` is the change, `issue` the issues.
 * @returns undefined for an unknown change, or without an issue
 */
export async function makeChange(
  { changes }: Pick<Reach, 'changes'>,
  form: FormData,
  who: Who
): Promise<Done | undefined> {
  const now = Date.now()
  const what = form.get('do')
  if (what === 'undo')
    return toDone('undone', await changes.undo({ activities: readNumbers(form.get('activities')), who }))
  const issues = readIssues(form)
  if (issues.length === 0) return undefined
  const selection = { issues, who }
  const until = readUntil(what, now)
  if (until !== undefined) return toDone('ignored', await changes.ignoreIssues({ ...selection, until }))
  const assignee = readAssignee(what, who)
  if (assignee !== undefined) return toDone('assigned', await changes.assignIssues({ ...selection, assignee }))
  switch (what) {
    case 'resolve':
      return toDone('resolved', await changes.resolveIssues(selection))
    case 'resolve-next':
      return toDone('resolved-next', await changes.resolveIssues({ ...selection, inNext: true }))
    case 'reopen':
      return toDone('reopened', await changes.reopenIssues(selection))
    case 'ignore':
      return toDone('ignored', await changes.ignoreIssues(selection))
    case 'ignore-10':
    case 'ignore-100':
    case 'ignore-1000':
      return toDone('ignored', await changes.ignoreIssues({ ...selection, events: Number(what.slice(7)) }))
    case 'ignore-tomorrow':
      return toDone('ignored', await changes.ignoreIssues({ ...selection, until: tomorrowMorning(now, 'UTC') }))
    case 'ignore-week':
      return toDone('ignored', await changes.ignoreIssues({ ...selection, until: mondayMorning(now, 'UTC') }))
    case 'merge-into': {
      const [into] = readNumbers(form.get('into'))
      if (into === undefined || issues.every(({ id }) => id === into)) return undefined
      return toDone('merged', await changes.mergeIssues({ issues, who, into }))
    }
    case 'delete': {
      const { deleted, conflicts } = await changes.deleteIssues(selection)
      return toDone('deleted', { changed: deleted, undo: [], conflicts })
    }
    default:
      return undefined
  }
}

/**
 * Time in `ignore-until-1795500000000`, milliseconds since the epoch; undefined for any other change.
 * @throws InboxIgnoreInvalid if the time is past or too far in the future
 */
function readUntil(what: unknown, now: number): number | undefined {
  const [, digits] = /^ignore-until-(\d{1,15})$/.exec(String(what)) ?? []
  if (digits === undefined) return undefined
  const until = Number(digits)
  if (until <= now || until >= now + MAX_UNTIL) throw new InboxIgnoreInvalid()
  return until
}

/** Person in `assign-7`, `assign-me`, or null for `assign-none`; undefined for any other change. */
function readAssignee(what: unknown, who: Who): number | null | undefined {
  const [, person] = /^assign-(\d{1,15}|me|none)$/.exec(String(what)) ?? []
  if (person === 'none') return null
  if (person === 'me') return who
  return person === undefined ? undefined : Number(person)
}

const toDone = (done: string, { changed, undo, conflicts }: Changed): Done => ({
  done,
  count: changed.length,
  undo,
  conflicts: conflicts.map(({ id }) => id)
})
