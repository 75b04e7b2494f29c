import { InboxIgnoreInvalid } from '../../errors.ts'
import type { Inbox } from '../../store/inbox.ts'
import type { Changed, Who } from '../../mutations/types.ts'
import { DAY, HOUR } from '@hull/common/time.ts'

/** Milliseconds; the hour of the morning at which "tomorrow" begins, in UTC. */
const MORNING = 6 * HOUR

/** Milliseconds ahead that an issue can be ignored until. A guess: more than any button offers. */
const MAX_UNTIL = 31 * DAY

/** What was done, as the page that follows tells it. */
export interface Done {
  /** The word for it, as {@link CHANGES} has it; `deleted`, `merged`, `undone`. */
  done: string
  /** How many issues changed. */
  count: number
  /** Activity entries by which it can be taken back. */
  undo: number[]
  /** Issues that somebody else had changed meanwhile. */
  conflicts: number[]
}

/** Issues that one form may name. */
const MAX_ISSUES = 500

/** Issues as a form names them: `12:3`, an id and the version that was seen. Whatever is none is left out. */
export function readIssues(form: FormData): { id: number; version?: number }[] {
  return form
    .getAll('issue')
    .slice(0, MAX_ISSUES)
    .flatMap((text) => {
      const [, id, version] = /^([1-9]\d{0,14}):(\d{1,9})$/.exec(String(text)) ?? []
      return id === undefined ? [] : [{ id: Number(id), version: Number(version) }]
    })
}

/** Numbers of entries, `12,13`, as an address or a form has them. */
export const readNumbers = (text: unknown): number[] =>
  typeof text === 'string' && /^\d{1,15}(,\d{1,15}){0,999}$/.test(text) ? text.split(',').map(Number) : []

/**
 * Makes the change that a form asks for: `do` says which, `issue` for what.
 * @returns undefined where it asks for nothing that is known, or names no issue
 */
export async function makeChange(
  { changes }: Pick<Inbox, 'changes'>,
  form: FormData,
  who: Who,
  now = Date.now()
): Promise<Done | undefined> {
  const what = form.get('do')
  if (what === 'undo')
    return toDone('undone', await changes.undo({ activities: readNumbers(form.get('activities')), who }))
  const issues = readIssues(form)
  if (issues.length === 0) return undefined
  const selection = { issues, who }
  const until = readUntil(what, now)
  if (until !== undefined) return toDone('ignored', await changes.ignoreIssues({ ...selection, until }))
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
      return toDone('ignored', await changes.ignoreIssues({ ...selection, until: morningIn(1, now) }))
    case 'ignore-week':
      return toDone('ignored', await changes.ignoreIssues({ ...selection, until: nextMonday(now) }))
    case 'merge-into': {
      const [into] = readNumbers(form.get('into'))
      if (into === undefined || issues.every(({ id }) => id === into)) return undefined
      return toDone('merged', await changes.mergeIssues({ issues, who, into }))
    }
    case 'delete': {
      const { deleted } = await changes.deleteIssues(selection)
      return { done: 'deleted', count: deleted.length, undo: [], conflicts: [] }
    }
    default:
      return undefined
  }
}

/**
 * The moment in `ignore-until-1795500000000`, milliseconds since the epoch; undefined for any other change.
 * @throws InboxIgnoreInvalid where it is past or too far in the future
 */
function readUntil(what: unknown, now: number): number | undefined {
  const [, digits] = /^ignore-until-(\d{1,15})$/.exec(String(what)) ?? []
  if (digits === undefined) return undefined
  const until = Number(digits)
  if (until <= now || until >= now + MAX_UNTIL) throw new InboxIgnoreInvalid()
  return until
}

const toDone = (done: string, { changed, undo, conflicts }: Changed): Done => ({
  done,
  count: changed.length,
  undo,
  conflicts: conflicts.map(({ id }) => id)
})

const morningIn = (days: number, now: number) => Math.floor(now / DAY) * DAY + days * DAY + MORNING

/** The epoch began on a Thursday. */
const nextMonday = (now: number) => morningIn(7 - ((Math.floor(now / DAY) + 3) % 7), now)
