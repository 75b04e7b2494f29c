import { InboxMonitorNotFound } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { recordAudit } from './audit.ts'
import type { Author } from './author.ts'

/**
 * Deletes a monitor; the retention deletes its check-ins. The job's next check-in creates a monitor with a new history.
 * @throws InboxMonitorNotFound
 */
export function deleteMonitor(store: Store, { id, by }: Author & { id: number }): void {
  const deleted = store.get<{ slug: string }>('DELETE FROM monitor WHERE id = ? RETURNING slug', id)
  if (!deleted) throw new InboxMonitorNotFound()
  recordAudit(store, 'monitor-deleted', { who: by, detail: deleted.slug })
}
