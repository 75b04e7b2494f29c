import type { Store } from './store.ts'

/**
 * Deletes the activity of an issue that is about to be deleted, and of the issues merged into it: their saved state
 * would be needed to split them off. Call it before its keys are deleted.
 */
export function removeActivity(store: Store, issue: number): void {
  store.write(
    `DELETE FROM activity WHERE issue = ?1 OR issue IN (
       SELECT merged_from FROM issue_key WHERE issue = ?1 AND merged_from NOT IN (SELECT id FROM issue))`,
    issue
  )
}
