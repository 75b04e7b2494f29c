import type { JobWork } from './jobs.ts'

/** Restores visitors that still have events in the issue, after the split removed all visitors of the moved events. */
export const recountVisitors: JobWork = (store, { id, issue, after }, limit) => {
  const events = store.all<{ id: number; at: number; visitor: string | null }>(
    'SELECT id, at, visitor FROM event WHERE issue = ? AND id > ? ORDER BY id LIMIT ?',
    issue,
    after,
    limit
  )
  let found = 0
  for (const { visitor, at } of events) {
    if (visitor === null) continue
    found += store.run(
      'INSERT INTO issue_visitor (visitor, issue, last_seen) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      visitor,
      issue,
      at
    ).changes
    store.run(
      'UPDATE issue_visitor SET last_seen = ?1 WHERE visitor = ?2 AND issue = ?3 AND last_seen < ?1',
      at,
      visitor,
      issue
    )
  }
  store.run('UPDATE issue SET visitors = visitors + ? WHERE id = ?', found, issue)
  store.run('UPDATE issue_chore SET after = ? WHERE id = ?', events.at(-1)?.id ?? after, id)
  return { done: events.length < limit, rows: events.length }
}
