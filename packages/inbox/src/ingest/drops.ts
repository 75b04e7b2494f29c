import { HOUR } from '@hull/common/time.ts'
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

/** Counts what the inbox itself lets go. A transaction that is taken back takes its own back as well. */
export class Drops {
  readonly #total: Counts = new Map()
  /** Of the transaction under way. */
  readonly #open: Counts = new Map()

  add(drop: Drop): void {
    if (drop.quantity > 0) count(this.#open, drop)
  }

  /** Inside the transaction, as its last step. */
  write(store: Store, now: number): void {
    for (const { project, reason, category, quantity } of this.#open.values())
      store.run(
        `INSERT INTO drop_hour (project, hour, origin, reason, category, quantity) VALUES (?, ?, 'inbox', ?, ?, ?)
         ON CONFLICT (hour, project, origin, reason, category) DO UPDATE SET quantity = quantity + excluded.quantity`,
        project,
        Math.floor(now / HOUR),
        reason,
        category,
        quantity
      )
  }

  /** The transaction was committed. */
  settle(): void {
    for (const drop of this.#open.values()) count(this.#total, drop)
    this.#open.clear()
  }

  /** The transaction was taken back. */
  revert(): void {
    this.#open.clear()
  }

  /** Since the start. */
  get total(): { reason: string; category: string; quantity: number }[] {
    return [...this.#total.values()].map(({ reason, category, quantity }) => ({ reason, category, quantity }))
  }
}

/**
 * Data categories that the inbox has no screen for. Clients are asked not to send them, by a rate limit on each answer;
 * what comes nevertheless is counted and not stored. The SDKs know some of them under two names.
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
