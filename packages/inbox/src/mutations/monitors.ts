import { InboxMonitorNotFound } from '../errors.ts'
import type { Store } from '../store/store.ts'

/**
 * Deletes a monitor; the retention deletes its check-ins. The job's next check-in creates a monitor with a new history.
 * @throws InboxMonitorNotFound
 */
export function deleteMonitor(store: Store, { id }: { id: number }): void {
  if (store.run('DELETE FROM monitor WHERE id = ?', id).changes === 0) throw new InboxMonitorNotFound()
}
