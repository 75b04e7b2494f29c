import type { Store } from '../store/store.ts'

/**
 * Envelopes of an old spool that are remembered. The spool delivers an envelope twice when the process ends between the
 * commit here and the deletion there: some hundred at most. A guess that leaves room for a spool that cannot write.
 */
const REMEMBERED = 10_000

/** Remembers an envelope, inside the transaction that stores it. @returns false where it was stored before */
export const isFirstDelivery = (store: Store, key: string): boolean =>
  store.run('INSERT OR IGNORE INTO delivery (key) VALUES (?)', key).changes > 0

/** Forgets those that came long ago: once for all that came together. */
export function forgetOldDeliveries(store: Store): void {
  store.run('DELETE FROM delivery WHERE id <= (SELECT max(id) FROM delivery) - ?', REMEMBERED)
}
