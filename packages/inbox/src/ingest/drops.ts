import { HOUR } from '@hull/common/time.ts'
import { addDrops } from '../store/rollups.ts'
import type { Store } from '../store/store.ts'

interface Drop {
  project: number
  reason: string
  category: string
  quantity: number
}

type Counts = Map<string, Drop>

function count(counts: Counts, { quantity, ...drop }: Drop): void {
  const name = `${drop.project} ${drop.reason} ${drop.category}`
  const known = counts.get(name)
  if (known) known.quantity += quantity
  else counts.set(name, { ...drop, quantity })
}

/** Counts the items that the inbox itself drops. A rollback discards the counts of its transaction. */
export class Drops {
  readonly #total: Counts = new Map()
  /** Counts of the current transaction. */
  readonly #open: Counts = new Map()

  add(drop: Drop): void {
    if (drop.quantity > 0) count(this.#open, drop)
  }

  /** Writes the counts. Call it as the last step of the transaction. */
  write(store: Store, now: number): void {
    const hour = Math.floor(now / HOUR)
    addDrops(
      store,
      'inbox',
      [...this.#open.values()].map(({ project, reason, category, quantity }) => ({
        place: { project, hour, reason, category },
        quantity
      }))
    )
  }

  /** Call it after the commit. */
  settle(): void {
    for (const drop of this.#open.values()) count(this.#total, drop)
    this.#open.clear()
  }

  /** Call it after a rollback. */
  revert(): void {
    this.#open.clear()
  }

  /** Drops since the start. */
  get total(): { reason: string; category: string; quantity: number }[] {
    return [...this.#total.values()].map(({ reason, category, quantity }) => ({ reason, category, quantity }))
  }
}

/**
 * Data categories that the inbox has no screen for. A rate limit in each reply asks clients not to send them; the inbox
 * counts those that arrive anyway, and does not store them. SDKs have two names for some of them.
 */
export const REFUSED_CATEGORIES: readonly string[] = [
  'replay',
  'profile',
  'profile_chunk',
  'profile_chunk_ui',
  'trace_metric',
  'metric',
  'metric_bucket'
]
