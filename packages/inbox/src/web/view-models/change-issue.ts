import { textOf } from '@hull/shell'
import { toView, viewFields } from '../view.ts'
import type { Who } from '../../mutations/author.ts'
import type { Reach } from '../../access/reach.ts'
import { makeChange, readNumbers, type Done } from './change.ts'

/** Address to open after a change to an issue, with a flash message or without, or why the change was refused. */
type ChangeResult = { error: string; to?: undefined } | { error?: undefined; to: string; done?: Done }

/**
 * Makes the change that the form on an issue's page requests.
 * @param given.isMerged the form is of an issue that was merged into this one meanwhile: a comment is added to this one,
 *   but nobody has seen the state that a change would replace
 */
export async function changeIssue(
  inbox: Pick<Reach, 'changes'>,
  form: FormData,
  { id, isMerged, who, search }: { id: number; isMerged: boolean; who: Who; search: URLSearchParams }
): Promise<ChangeResult> {
  const what = form.get('do')
  if (isMerged && !(typeof what === 'string' && OF_ANY_STATE.has(what))) {
    const done = { done: 'merged', count: 0, undo: [], conflicts: [id] }
    return { done, to: toHref(id, done, search) }
  }
  try {
    if (what === 'unmerge') {
      const [key] = readNumbers(form.get('key'))
      if (key === undefined) return { error: 'Choose what to split off.' }
      const { issue } = await inbox.changes.unmergeKey({ issue: id, key, who })
      const done = { done: 'unmerged', count: 1, undo: [], conflicts: [] }
      return { done, to: toHref(issue, done, search) }
    }
    if (what === 'comment') {
      await inbox.changes.addComment({ issue: id, text: textOf(form, 'text'), who })
      return { to: `${toHref(id, undefined, search)}#activity` }
    }
    if (what === 'change-comment' || what === 'remove-comment') {
      const [comment] = readNumbers(form.get('comment'))
      if (comment === undefined) return { error: 'Choose a comment.' }
      const target = { issue: id, comment, who }
      if (what === 'remove-comment') await inbox.changes.removeComment(target)
      else await inbox.changes.changeComment({ ...target, text: textOf(form, 'text') })
      return { to: `${toHref(id, undefined, search)}#activity` }
    }
    if (what === 'follow' || what === 'unfollow') {
      await inbox.changes[what === 'follow' ? 'followIssue' : 'unfollowIssue']({ issue: id, who })
      return { to: toHref(id, undefined, search) }
    }
    const done = await makeChange(inbox, form, who)
    if (!done) return { error: 'Your change was not applied.' }
    // nothing is left to show
    if (what === 'delete' && done.count > 0) return { done, to: toHref(undefined, done, search) }
    return { done, to: toHref(id, done, search) }
  } catch (error) {
    return { error: toSentence(error) }
  }
}

/** Changes that do not depend on what an issue was before. */
const OF_ANY_STATE = new Set(['comment', 'follow', 'unfollow'])

/** The change that a form requests, undefined for an unknown one, or why it was refused. */
export async function tryChange(
  inbox: Pick<Reach, 'changes'>,
  form: FormData,
  who: Who
): Promise<{ error?: undefined; done: Done | undefined } | { error: string }> {
  try {
    return { done: await makeChange(inbox, form, who) }
  } catch (error) {
    return { error: toSentence(error) }
  }
}

/** Message for an error of the user; rethrows all others, and a refusal for the person's role. */
export function toSentence(error: unknown): string {
  const { code, statusCode = 500, message } = error as { code?: unknown; statusCode?: number; message: string }
  if (typeof code !== 'string' || !code.startsWith('APP_INBOX_') || statusCode >= 500 || statusCode === 403) throw error
  return `${message}.`
}

function toHref(issue: number | undefined, done: Done | undefined, search: URLSearchParams): string {
  const fields = new URLSearchParams(viewFields(toView(search, Date.now())))
  const event = search.get('event')
  if (issue !== undefined && event && !movesEvents(done)) fields.set('event', event)
  return `/inbox/issues${issue === undefined ? '' : `/${issue}`}${fields.size > 0 ? `?${fields}` : ''}`
}

/** Whether events went to another issue. Undoing a merge, unlike other changes, concerns several issues. */
const movesEvents = (done: Done | undefined): boolean =>
  done?.done === 'merged' || done?.done === 'unmerged' || (done?.done === 'undone' && done.count > 1)
