import type { Store } from '../store/store.ts'

/**
 * Maximum delivery keys to remember, which take about 15 MB. A batch is sent again if the thread ended, or the
 * connection to the database was lost, before it answered: the batch itself, or each of its envelopes after the outage.
 * Other replicas may store batches meanwhile. A guess: an hour of a busy service.
 */
const REMEMBERED = 100_000

/** Returns the key of an envelope of a batch, for an envelope that is sent again alone. */
export const toPartKey = (batch: string, index: number): string => `${batch}/${index}`

/** The key of the batch that an envelope was a part of; the key itself if it is none of a part. */
const toBatchKey = (key: string): string => key.split('/', 1)[0]!

/**
 * Stores delivery keys of envelopes. Call it in the transaction that stores the data.
 * @returns the keys that are new: neither they nor the batches that they are parts of were stored before
 */
export function addDeliveries(store: Store, keys: readonly string[]): Set<string> {
  if (keys.length === 0) return new Set()
  store.lock()
  const parts = keys.filter((key) => key.includes('/'))
  const stored = store.allIn<{ key: string }>('SELECT key FROM delivery WHERE key IN (:keys)', parts.map(toBatchKey))
  const batches = new Set(stored.map(({ key }) => key))
  const added = store.insertRowsReturning<{ key: string }>(
    'INSERT INTO delivery (key)',
    keys.filter((key) => !batches.has(toBatchKey(key))).map((key) => [key]),
    'ON CONFLICT DO NOTHING RETURNING key'
  )
  return new Set(added.map(({ key }) => key))
}

/** Stores the key of a batch, and asks whether it is new. Call it in the transaction that stores the data. */
export function askDelivery(store: Store, key: string): () => boolean {
  store.lock()
  const added = store.ask('INSERT INTO delivery (key) VALUES (?) ON CONFLICT DO NOTHING RETURNING key', key)
  return () => added().length > 0
}

/** Deletes the oldest delivery keys. Call it once per batch. */
export function forgetOldDeliveries(store: Store): void {
  store.write('DELETE FROM delivery WHERE id <= (SELECT max(id) FROM delivery) - ?', REMEMBERED)
}
