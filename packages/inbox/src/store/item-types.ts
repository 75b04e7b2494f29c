import { toText } from '../ingest/fields.ts'
import { OTHERS } from './known-names.ts'
import type { Store } from './store.ts'

/** Maximum types to remember: a client may send any. Ours. */
const MAX_TYPES = 200

/** Maximum characters of a type. */
const MAX_TYPE = 64

/** Received items of a type. */
export interface ItemCount {
  stored: number
  dropped: number
}

/** Items of a type since the file was created. */
export interface ItemTypeRow extends ItemCount {
  type: string
  /** Milliseconds since the epoch. */
  first: number
  last: number
}

/** Adds the items of a batch, in its transaction. */
export function countItemTypes(store: Store, counts: ReadonlyMap<string, ItemCount>, now: number): void {
  for (const [sent, { stored, dropped }] of counts) {
    const type = toText(sent, MAX_TYPE) ?? ''
    if (!add(store, type, stored, dropped, now)) insert(store, hasRoom(store) ? type : OTHERS, stored, dropped, now)
  }
}

const add = (store: Store, type: string, stored: number, dropped: number, now: number): boolean =>
  store.run(
    'UPDATE item_type SET stored = stored + ?, dropped = dropped + ?, last = ? WHERE type = ?',
    stored,
    dropped,
    now,
    type
  ).changes > 0

const hasRoom = (store: Store): boolean =>
  store.get<{ types: number }>('SELECT count(*) AS types FROM item_type')!.types < MAX_TYPES

function insert(store: Store, type: string, stored: number, dropped: number, now: number): void {
  store.run(
    `INSERT INTO item_type (type, stored, dropped, first, last) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET stored = stored + excluded.stored, dropped = dropped + excluded.dropped, last = excluded.last`,
    type,
    stored,
    dropped,
    now,
    now
  )
}

/** All types, the most frequent first. */
export const readItemTypes = (store: Store): ItemTypeRow[] =>
  store
    .all<ItemTypeRow>('SELECT type, stored, dropped, first, last FROM item_type ORDER BY stored + dropped DESC, type')
    .map((row) => ({ ...row }))
