import { HOUR } from '@hull/common/time.ts'
import { isPlausible } from '../clock.ts'
import type { IngestContext, Item } from '../context.ts'
import { asArray, asObject, parseObject, toCount, toTime } from '../fields.ts'
import { OTHERS } from '../../store/known-names.ts'

/** Maximum entries of a report. All reasons with all categories are fewer. */
const MAX_ENTRIES = 100

/** A client's name for a reason or a category. */
const NAME = /^[\w.:-]{1,64}$/

/** Stores a client's counts of items that it dropped before sending. */
export function storeClientReport({ payload }: Item, context: IngestContext): void {
  const { project, receivedAt, batch } = context
  const raw = parseObject(payload)
  const reportedAt = toTime(raw['timestamp'])
  const at = reportedAt !== undefined && isPlausible(reportedAt, receivedAt) ? reportedAt : receivedAt
  for (const entry of asArray(raw['discarded_events']).slice(0, MAX_ENTRIES).map(asObject)) {
    const { reason, category } = entry
    const quantity = toCount(entry['quantity'])
    if (typeof reason !== 'string' || typeof category !== 'string' || quantity === 0) continue
    if (!NAME.test(reason) || !NAME.test(category)) continue
    const isKnown = context.nameOf('drop', `${reason} ${category}`) !== OTHERS
    batch.rollups.countClientDrop(
      {
        project,
        hour: Math.floor(at / HOUR),
        reason: isKnown ? reason : OTHERS,
        category: isKnown ? category : OTHERS
      },
      quantity
    )
  }
}
