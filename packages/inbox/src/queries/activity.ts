import type { Store } from '../store/store.ts'
import type { ActivityRow } from './types.ts'

/** Maximum number of entries to show. */
const MAX_ENTRIES = 100

/** History of an issue, newest first. */
export function readActivity(store: Store, issue: number): ActivityRow[] {
  return store
    .all<{
      id: number
      at: number
      who: number | null
      name: string | null
      kind: string
      data: string
      undoable: number
    }>(
      `SELECT a.id, a.at, a.who, p.name, a.kind, a.data, a.before IS NOT NULL AS undoable FROM activity a LEFT JOIN person p ON p.id = a.who
       WHERE a.issue = ? ORDER BY a.id DESC LIMIT ?`,
      issue,
      MAX_ENTRIES
    )
    .map(({ id, at, who, name, kind, data, undoable }, _index, rows) => ({
      id,
      at,
      ...(who !== null && { who: name ?? 'somebody who was removed' }),
      kind,
      data: JSON.parse(data),
      // Only the newest change can be undone, and only if it recorded the previous state.
      canUndo: undoable !== 0 && id === rows.find((row) => row.kind !== 'commented')?.id
    }))
}
