import type { Store } from '../store/store.ts'

/**
 * Keys that are remembered: of batches, which come again when the thread ended before it answered, and of envelopes of an
 * old spool, which come again when the process ended before the spool deleted them. Some hundred at most can come again. A
 * guess that leaves room for a spool that cannot write.
 */
const REMEMBERED = 10_000

/** Remembers a key, inside the transaction that stores what it is the key of. @returns false if it was stored before */
export const isFirstDelivery = (store: Store, key: string): boolean =>
  store.run('INSERT OR IGNORE INTO delivery (key) VALUES (?)', key).changes > 0

/** Forgets those that came long ago: once for all that came together. */
export function forgetOldDeliveries(store: Store): void {
  store.run('DELETE FROM delivery WHERE id <= (SELECT max(id) FROM delivery) - ?', REMEMBERED)
}
