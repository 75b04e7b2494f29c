import { findMentioned, follow, tellFollowers } from '../alerts/followers.ts'
import { InboxCommentForeign, InboxCommentInvalid, InboxCommentNotFound, InboxIssueNotFound } from '../errors.ts'
import { clean } from '../ingest/fields.ts'
import { MAX_COMMENT_LENGTH } from '../web/comment-length.ts'
import { COMMENT_IDS } from '../store/issue-activity.ts'
import type { Store } from '../store/store.ts'
import { findIssue, recordActivity } from './selection.ts'
import type { Who } from './author.ts'

/** A comment, with the person who changes or removes it. */
export interface OwnComment {
  issue: number
  comment: number
  who: Who
}

/**
 * Adds a comment to an issue's activity.
 * @returns the entry's id
 * @throws InboxIssueNotFound
 * @throws InboxCommentInvalid
 */
export function addComment(store: Store, { issue, text, who }: { issue: number; text: string; who: Who }): number {
  const data = { text: toText(text) }
  const found = findIssue(store, issue)
  if (!found) throw new InboxIssueNotFound()
  const at = Date.now()
  const mentioned = findMentioned(store, data.text, found.project)
  follow(store, issue, [who, ...mentioned])
  const comment = recordActivity(store, { issue, at, who, kind: 'commented', data })
  tellFollowers(store, { issue, project: found.project, kind: 'commented', at, who, comment }, { mentioned })
  return comment
}

/**
 * Replaces the text of an own comment. Notifies only people whom the new text mentions for the first time.
 * @throws InboxCommentNotFound
 * @throws InboxCommentForeign
 * @throws InboxCommentInvalid
 */
export function changeComment(store: Store, { text, ...input }: OwnComment & { text: string }): void {
  const at = Date.now()
  const data = { text: toText(text), edited: at }
  const before = findOwn(store, input)
  store.write('UPDATE activity SET data = ? WHERE id = ?', JSON.stringify(data), input.comment)
  const { issue, comment, who } = input
  const { project } = findIssue(store, issue)!
  const known = new Set(findMentioned(store, before.text, project))
  const mentioned = findMentioned(store, data.text, project).filter((person) => !known.has(person))
  if (mentioned.length === 0) return
  follow(store, issue, mentioned)
  const news = { issue, project, kind: 'commented', at, who, comment } as const
  tellFollowers(store, news, { mentioned, onlyThem: true })
}

/** Deletes an own comment. @throws InboxCommentNotFound @throws InboxCommentForeign */
export function removeComment(store: Store, input: OwnComment): void {
  findOwn(store, input)
  store.write('DELETE FROM activity WHERE id = ?', input.comment)
}

function toText(text: string): string {
  // A form sends a line break as two characters, and its field counts one.
  const lines = text.trim().replace(/\r\n?/g, '\n')
  if (lines === '' || lines.length > MAX_COMMENT_LENGTH) throw new InboxCommentInvalid(MAX_COMMENT_LENGTH)
  return clean(lines, MAX_COMMENT_LENGTH)
}

/** @throws InboxCommentNotFound @throws InboxCommentForeign */
function findOwn(store: Store, { issue, comment, who }: OwnComment): { text: string } {
  const found = store.get<{ who: number | null; data: string }>(
    `SELECT who, data FROM activity WHERE id = ?2 AND id IN (${COMMENT_IDS})`,
    issue,
    comment
  )
  if (!found) throw new InboxCommentNotFound()
  if (found.who !== who) throw new InboxCommentForeign()
  return JSON.parse(found.data) as { text: string }
}
