import { recordIssueVisitors } from '../ingest/visitors.ts'
import type { JobWork } from './jobs.ts'

/**
 * Moves events and visitors of an issue to another. The merge has already added its counts; a visitor of both issues is
 * subtracted once.
 */
export const moveRows: JobWork = (store, { issue, into_issue: into }, limit) => {
  const { changes: events } = store.run(
    'UPDATE event SET issue = ? WHERE id IN (SELECT id FROM event WHERE issue = ? ORDER BY id LIMIT ?)',
    into,
    issue,
    limit
  )
  if (events === limit) return { done: false, rows: events }
  const visitors = store.all<{ visitor: string; last_seen: number }>(
    `DELETE FROM issue_visitor WHERE issue = ?1
       AND visitor IN (SELECT visitor FROM issue_visitor WHERE issue = ?1 LIMIT ?2) RETURNING visitor, last_seen`,
    issue,
    limit
  )
  const seen = into === null ? [] : visitors.map(({ visitor, last_seen: at }) => ({ issue: into, visitor, at }))
  const both = seen.length - recordIssueVisitors(store, seen).length
  if (both > 0) store.write('UPDATE issue SET visitors = max(0, visitors - ?) WHERE id = ?', both, into)
  return { done: visitors.length < limit, rows: events + visitors.length }
}
