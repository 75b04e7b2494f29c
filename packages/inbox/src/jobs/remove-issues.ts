import { removeActivity } from '../store/issue-activity.ts'
import type { Store } from '../store/store.ts'
import { addJob, workAtOnce } from './jobs.ts'

/** Deletes issues, and as many of their events and counters as there is time for. A job deletes the rest. */
export function removeIssues(store: Store, issues: readonly { id: number }[]): void {
  for (const { id } of issues) {
    removeActivity(store, id)
    store.write('DELETE FROM issue_key WHERE issue = ?', id)
    store.write('DELETE FROM issue_search WHERE rowid = ?', id)
    store.write('DELETE FROM issue WHERE id = ?', id)
  }
  workAtOnce(
    store,
    issues.map(({ id }) => addJob(store, 'remove', { issue: id }))
  )
}
