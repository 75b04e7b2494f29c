import { Drops } from '../../ingest/drops.ts'
import type { Store } from '../store.ts'
import { CHUNK } from './chunk.ts'

/**
 * Deletes the content of a chunk of the oldest attachments of each project that has more than `maxBytes` of them. Their
 * names stay with their events.
 * @returns number of attachments whose content was deleted; 0 if none is too much
 */
export function removeAttachments(store: Store, maxBytes: number, now: number): number {
  const full = store.all<{ project: number; bytes: number }>(
    `SELECT project, sum(size) AS bytes FROM attachment INDEXED BY attachment_by_project WHERE body IS NOT NULL
     GROUP BY project HAVING sum(size) > ?`,
    maxBytes
  )
  const drops = new Drops()
  let removed = 0
  for (const { project, bytes } of full) {
    let excess = bytes - maxBytes
    const oldest = store.all<{ id: number; size: number }>(
      `SELECT id, size FROM attachment INDEXED BY attachment_by_project WHERE body IS NOT NULL AND project = ?
       ORDER BY received, id LIMIT ${CHUNK}`,
      project
    )
    let quantity = 0
    for (const { id, size } of oldest) {
      if (excess <= 0) break
      store.write('UPDATE attachment SET body = NULL WHERE id = ?', id)
      excess -= size
      quantity += 1
    }
    drops.add({ project, reason: 'attachments_full', category: 'attachment', quantity })
    removed += quantity
  }
  drops.write(store, now)
  return removed
}
