import type { Store } from '../store/store.ts'

/**
 * Maximum delivery keys to remember. Batches are sent again if the thread ended before it answered; envelopes of a spool
 * are if the process ended before the spool deleted them. At most some hundred can be sent again. A guess, with room for
 * a spool that cannot write.
 */
const REMEMBERED = 10_000

/** Returns the key of an envelope of a batch, for an envelope that is sent again alone. */
export const toPartKey = (batch: string, index: number): string => `${batch}/${index}`

/**
 * Stores a delivery key. Call it in the transaction that stores the data.
 * @returns false if the key, or the batch that it is a part of, was stored before
 */
export function isFirstDelivery(store: Store, key: string): boolean {
  store.lock()
  const [batch] = key.split('/', 1)
  if (batch !== key && store.get('SELECT id FROM delivery WHERE key = ?', batch!)) return false
  return store.run('INSERT INTO delivery (key) VALUES (?) ON CONFLICT DO NOTHING', key).changes > 0
}

/** Deletes the oldest delivery keys. Call it once per batch. */
export function forgetOldDeliveries(store: Store): void {
  store.write('DELETE FROM delivery WHERE id <= (SELECT max(id) FROM delivery) - ?', REMEMBERED)
}
