import { recordIssueVisitors } from '../ingest/visitors.ts'
import type { JobWork } from './jobs.ts'

/** Restores visitors that still have events in the issue, after the split removed all visitors of the moved events. */
export const recountVisitors: JobWork = (store, { id, issue, after }, limit) => {
  const events = store.all<{ id: number; at: number; visitor: string | null }>(
    'SELECT id, at, visitor FROM event WHERE issue = ? AND id > ? ORDER BY id LIMIT ?',
    issue,
    after,
    limit
  )
  const seen = events.flatMap(({ visitor, at }) => (visitor === null ? [] : { issue, visitor, at }))
  const found = recordIssueVisitors(store, seen).length
  store.write('UPDATE issue SET visitors = visitors + ? WHERE id = ?', found, issue)
  store.write('UPDATE issue_chore SET after = ? WHERE id = ?', events.at(-1)?.id ?? after, id)
  return { done: events.length < limit, rows: events.length }
}
