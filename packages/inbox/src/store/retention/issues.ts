import { DAY } from '@hull/common/time.ts'
import { removeIssues } from '../../jobs/remove-issues.ts'
import type { Store } from '../store.ts'

/** Issues per step. Each one needs a query for its events. */
const ISSUES = 25

/**
 * Milliseconds after the retention for which resolved and ignored issues are kept, because they may come back. A guess.
 */
const MEMORY = 365 * DAY

/** SQL that is false while a job moves events to the issue, which may have none yet. */
const IS_COMPLETE = 'NOT EXISTS (SELECT 1 FROM issue_chore WHERE into_issue = issue.id)'

/**
 * Deletes issues without events that were last seen before a time. Resolved and ignored issues are kept for a year
 * longer.
 */
export function* removeExpiredIssues(store: Store, before: number): Generator<number, void> {
  for (let from = 0; ;) {
    const issues = store.all<{ id: number; gone: number }>(
      `SELECT id, last_seen < CASE WHEN state IN ('resolved', 'ignored') THEN min(?1, ?2) ELSE ?1 END
         AND NOT EXISTS (SELECT 1 FROM event WHERE issue = issue.id) AND ${IS_COMPLETE} AS gone
       FROM issue WHERE id > ?3 ORDER BY id LIMIT ${ISSUES}`,
      before,
      before - MEMORY,
      from
    )
    if (issues.length === 0) return
    const gone = issues.filter((issue) => issue.gone === 1)
    removeIssues(store, gone)
    yield gone.length
    from = issues.at(-1)!.id
  }
}

/** Deletes a chunk of open issues without events, last seen before a time. @returns number of deleted issues */
export function removeEmptyIssues(store: Store, before: number): number {
  const issues = store.all<{ id: number }>(
    `SELECT issue.id FROM project
     JOIN issue ON issue.project = project.id AND issue.state IN ('unresolved', 'regressed') AND issue.last_seen < ?
     WHERE NOT EXISTS (SELECT 1 FROM event WHERE event.issue = issue.id) AND ${IS_COMPLETE} LIMIT ${ISSUES}`,
    before
  )
  removeIssues(store, issues)
  return issues.length
}
