import { InboxCommentInvalid, InboxIssueNotFound } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { findIssue, recordActivity } from './selection.ts'
import type { Changes } from './types.ts'

/** Maximum characters of a comment. A guess: five screens of text. */
const MAX_COMMENT_LENGTH = 10_000

export function addComment(store: Store, { issue, text, who }: Parameters<Changes['addComment']>[0]): number {
  if (text.trim() === '' || text.length > MAX_COMMENT_LENGTH) throw new InboxCommentInvalid(MAX_COMMENT_LENGTH)
  if (!findIssue(store, issue)) throw new InboxIssueNotFound()
  return recordActivity(store, { issue, at: Date.now(), who, kind: 'commented', data: { text: text.trim() } })
}
