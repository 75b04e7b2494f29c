import type { Store } from '../store/store.ts'
import { AUDIT_AGE, SESSION_IDLE } from './times.ts'

/** Deletes ended sessions, expired invitations, whether accepted or not, and old entries of the audit log. Call it in a transaction. */
export function removeExpired(store: Store, now: number): void {
  store.write('DELETE FROM person_session WHERE last_seen <= ? OR expires <= ?', now - SESSION_IDLE, now)
  store.write('DELETE FROM audit WHERE at <= ?', now - AUDIT_AGE)
  store.write('DELETE FROM invitation WHERE expires <= ?', now)
}
