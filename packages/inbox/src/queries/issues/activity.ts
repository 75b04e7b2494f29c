import { COMMENT_IDS } from '../../store/issue-activity.ts'
import { askLastChange } from '../../store/last-change.ts'
import type { Store } from '../../store/store.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { requireIssue } from './require-issue.ts'
import type { ActivityRow, CommentList, CommentsInput } from './issue-types.ts'

/** Maximum number of entries to show. */
const MAX_ENTRIES = 100

/** Comments are sorted by id, which is the order of arrival. */
const ORDER = 'comment'

interface StoredActivity {
  id: number
  at: number
  who: number | null
  name: string | null
  kind: string
  data: string
  undoable: number
}

/**
 * Asks for the history of an issue, with the comments on issues merged into it, newest first, and whether there is more
 * of it.
 */
export function askActivity(store: Store, issue: number): () => { activity: ActivityRow[]; hasMoreActivity: boolean } {
  const lastChange = askLastChange(store, issue)
  const rows = store.ask<StoredActivity>(
    `SELECT a.id, a.at, a.who, p.name, a.kind, a.data, a.before IS NOT NULL AS undoable FROM activity a LEFT JOIN person p ON p.id = a.who
     WHERE a.id IN (SELECT id FROM activity WHERE issue = ?1 UNION ${COMMENT_IDS}) ORDER BY a.id DESC LIMIT ?2`,
    issue,
    MAX_ENTRIES + 1
  )
  return () => {
    const last = lastChange()
    const found = rows()
    const activity = found.slice(0, MAX_ENTRIES).map(({ id, at, who, name, kind, data, undoable }) => ({
      id,
      at,
      ...toWho(who, name),
      ...(who !== null && { person: who }),
      kind,
      data: JSON.parse(data),
      isLastChange: id === last?.id,
      // Only the newest change can be undone, and only if it recorded the previous state.
      canUndo: undoable !== 0 && id === last?.id
    }))
    return { activity, hasMoreActivity: found.length > MAX_ENTRIES }
  }
}

const toWho = (who: number | null, name: string | null) =>
  who === null ? {} : { who: name ?? 'somebody who was removed' }

/**
 * Comments on an issue and on those merged into it, newest first, at most 100.
 * @throws InboxCursorInvalid @throws InboxIssueNotFound
 */
export function listComments(
  store: Store,
  { id, newest = Number.MAX_SAFE_INTEGER, cursor, limit = MAX_ENTRIES }: CommentsInput
): CommentList {
  requireIssue(store, id)
  // Reads one row more than it returns, to know whether there is a next page.
  const rows = store.all<Pick<StoredActivity, 'id' | 'at' | 'who' | 'name' | 'data'>>(
    `SELECT a.id, a.at, a.who, p.name, a.data
     FROM activity a LEFT JOIN person p ON p.id = a.who
     WHERE a.id IN (${COMMENT_IDS}) AND a.id <= ?2 ORDER BY a.id DESC LIMIT ?3`,
    id,
    cursor === undefined ? newest : readCursor(ORDER, cursor).id - 1,
    limit + 1
  )
  const comments = rows.slice(0, limit).map(({ id, at, who, name, data }) => {
    const { text } = JSON.parse(data) as { text: string }
    return { id, at, text, ...toWho(who, name) }
  })
  const last = comments.at(-1)
  return {
    comments,
    ...(rows.length > limit && last && { next: writeCursor(ORDER, { value: 0, id: last.id, isBefore: false }) })
  }
}
