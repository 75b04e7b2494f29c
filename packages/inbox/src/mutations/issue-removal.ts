import { refuseBusy } from '../jobs/jobs.ts'
import { removeIssues } from '../jobs/remove-issues.ts'
import { countNew } from '../store/projects.ts'
import type { Store } from '../store/store.ts'
import { recordAudit } from './audit.ts'
import { listIds, readSelected, type IssueRow } from './selection.ts'
import type { Changed, Selection } from './issue-types.ts'

/**
 * Deletes issues at once, and as many of their events as there is time for. The remaining events are no longer
 * reachable. A later event creates a new issue.
 * @throws InboxIssueBusy
 */
export function deleteIssues(
  store: Store,
  selection: Selection
): { deleted: number[]; conflicts: Changed['conflicts'] } {
  const { rows, conflicts } = readSelected(store, selection)
  for (const { id } of rows) refuseBusy(store, id)
  removeIssues(store, rows)
  for (const { first_release: release } of rows) countNew(store, release, -1)
  if (rows.length > 0) recordAudit(store, 'issues-deleted', { who: selection.who, detail: describe(rows) })
  return { deleted: rows.map(({ id }) => id), conflicts }
}

/** Returns what the audit log says: no message, because an issue may be deleted for the personal data in its message. */
const describe = (rows: readonly IssueRow[]): string =>
  rows.length === 1 ? `${rows[0]!.id} ${rows[0]!.type}`.trim() : `${rows.length}: ${listIds(rows.map(({ id }) => id))}`
