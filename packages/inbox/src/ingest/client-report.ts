import { isPlausible } from './clock.ts'
import type { IngestContext, Item } from './context.ts'
import { countOf, fieldsOf, listOf, parseFields, timeOf } from './fields.ts'
import { knownName, OTHERS } from './known-names.ts'

/** Entries of one report: every reason with every category is less. */
const MAX_ENTRIES = 100

/** What a client calls a reason or a category. */
const NAME = /^[\w.:-]{1,64}$/

/** What a client let go before it sent it, and why. */
export function storeClientReport({ payload }: Item, context: IngestContext): void {
  const { store, project, receivedAt } = context
  const raw = parseFields(payload)
  const told = timeOf(raw['timestamp'])
  const at = told !== undefined && isPlausible(told, receivedAt) ? told : receivedAt
  for (const entry of listOf(raw['discarded_events']).slice(0, MAX_ENTRIES).map(fieldsOf)) {
    const { reason, category } = entry
    const quantity = countOf(entry['quantity'])
    if (typeof reason !== 'string' || typeof category !== 'string' || quantity === 0) continue
    if (!NAME.test(reason) || !NAME.test(category)) continue
    const isKnown = knownName(store, project, 'drop', `${reason} ${category}`, receivedAt) !== OTHERS
    store.run(
      `INSERT INTO drop_hour (project, hour, origin, reason, category, quantity) VALUES (?, ?, 'client', ?, ?, ?)
        ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity`,
      project,
      Math.floor(at / 3_600_000),
      isKnown ? reason : OTHERS,
      isKnown ? category : OTHERS,
      quantity
    )
  }
}
