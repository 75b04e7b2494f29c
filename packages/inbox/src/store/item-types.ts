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

/** Items of a type since the inbox was created. */
export interface ItemTypeRow extends ItemCount {
  type: string
  /** Milliseconds since the epoch. */
  first: number
  last: number
}

/** Counts items by type. */
export class ItemTypes {
  readonly #store: Store
  /** Types that were found in the store, which keeps them. */
  readonly #known = new Set<string>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Adds the items of a batch, in its transaction. @returns the counts under the names that are stored */
  add(counts: ReadonlyMap<string, ItemCount>, now: number): ReadonlyMap<string, ItemCount> {
    const sums = new Map<string, ItemCount>()
    const add = (type: string, { stored, dropped }: ItemCount) => {
      const sum = sums.get(type) ?? { stored: 0, dropped: 0 }
      sums.set(type, { stored: sum.stored + stored, dropped: sum.dropped + dropped })
    }
    for (const [sent, count] of counts) add(toText(sent, MAX_TYPE) ?? '', count)
    for (const type of this.#withoutRoom([...sums.keys()])) {
      add(OTHERS, sums.get(type)!)
      sums.delete(type)
    }
    this.#store.insertRows(
      'INSERT INTO item_type (type, stored, dropped, first, last)',
      [...sums].map(([type, { stored, dropped }]) => [type, stored, dropped, now, now]),
      `ON CONFLICT (type) DO UPDATE SET stored = item_type.stored + excluded.stored,
         dropped = item_type.dropped + excluded.dropped, last = excluded.last`
    )
    return sums
  }

  /** Returns the new types that exceed the maximum. */
  #withoutRoom(types: readonly string[]): string[] {
    const isNew = (type: string) => !this.#known.has(type)
    if (!types.some(isNew)) return []
    for (const { type } of this.#store.allIn<{ type: string }>(
      'SELECT type FROM item_type WHERE type IN (:keys)',
      types.filter(isNew)
    ))
      this.#known.add(type)
    const added = types.filter((type) => type !== OTHERS && isNew(type))
    if (added.length === 0) return []
    const { stored } = this.#store.get<{ stored: number }>('SELECT count(*) AS stored FROM item_type')!
    return added.slice(Math.max(0, MAX_TYPES - stored))
  }
}

/** Asks for all types, the most frequent first. */
export function askItemTypes(store: Store): () => ItemTypeRow[] {
  const rows = store.ask<ItemTypeRow>(
    'SELECT type, stored, dropped, first, last FROM item_type ORDER BY stored + dropped DESC, type'
  )
  return () => rows().map((row) => ({ ...row }))
}
