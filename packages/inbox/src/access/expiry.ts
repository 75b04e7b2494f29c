import type { Store } from '../store/store.ts'
import { SESSION_IDLE } from './times.ts'

/** Deletes unused sessions and expired invitations, whether accepted or not. Call it in a transaction. */
export function removeExpired(store: Store, now: number): void {
  store.run('DELETE FROM person_session WHERE last_seen <= ?', now - SESSION_IDLE)
  store.run('DELETE FROM invitation WHERE expires <= ?', now)
}
