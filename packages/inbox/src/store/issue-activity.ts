import type { Store } from './store.ts'

/** SQL for the ids of issues that were merged into issue `?1` and are not separate again. */
const MERGED_IDS = 'SELECT merged_from FROM issue_key WHERE issue = ?1 AND merged_from NOT IN (SELECT id FROM issue)'

/** SQL for the ids of the comments on issue `?1`, and on the issues merged into it, whose pages lead to it. */
export const COMMENT_IDS = `SELECT id FROM activity WHERE kind = 'commented' AND issue IN (SELECT CAST(?1 AS BIGINT) UNION ALL ${MERGED_IDS})`

/** Returns the text of a comment; undefined if it was deleted. */
export function findComment(store: Store, id: number): string | undefined {
  const row = store.get<{ data: string }>(`SELECT data FROM activity WHERE id = ? AND kind = 'commented'`, id)
  return row && (JSON.parse(row.data) as { text: string }).text
}

/**
 * Deletes the activity of an issue that is about to be deleted, and of the issues merged into it: their saved state
 * would be needed to split them off. Call it before its keys are deleted.
 */
export function removeActivity(store: Store, issue: number): void {
  store.write(`DELETE FROM activity WHERE issue = ?1 OR issue IN (${MERGED_IDS})`, issue)
}
