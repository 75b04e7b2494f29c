import {
  addFigure,
  addLatency,
  addVital,
  type FigureName,
  type FigurePlace,
  type LatencyPlace,
  type VitalPlace
} from '../store/rollups.ts'
import type { Store } from '../store/store.ts'

/**
 * Counts the hourly rollups of one batch in memory and writes each sum once. Most transactions of a batch have the same
 * hour, route and bucket, and triggers write four more rows for each row written.
 */
export class RollupCounts {
  readonly #store: Store
  readonly #figures = new Map<string, { place: FigurePlace; name: FigureName; quantity: number }>()
  readonly #latencies = new Map<string, { place: LatencyPlace; requests: number; errors: number }>()
  readonly #vitals = new Map<string, { place: VitalPlace; samples: number }>()
  /** Counts of the current item. They are discarded if the item fails. */
  #pending: (() => void)[] = []

  constructor(store: Store) {
    this.#store = store
  }

  countFigure(place: FigurePlace, name: FigureName, quantity = 1): void {
    this.#pending.push(() => {
      entryOf(this.#figures, [...Object.values(place), name], { place, name, quantity: 0 }).quantity += quantity
    })
  }

  /** Counts a request or page load. */
  countLatency(place: LatencyPlace, isError: boolean): void {
    this.#pending.push(() => {
      const entry = entryOf(this.#latencies, Object.values(place), { place, requests: 0, errors: 0 })
      entry.requests++
      entry.errors += Number(isError)
    })
  }

  /** @param samples -1 if a larger value replaced this one */
  countVital(place: VitalPlace, samples: 1 | -1): void {
    this.#pending.push(() => {
      entryOf(this.#vitals, Object.values(place), { place, samples: 0 }).samples += samples
    })
  }

  /** Call it after the current item is stored. */
  commitItem(): void {
    for (const count of this.#pending) count()
    this.#pending = []
  }

  /** Call it if the current item failed. */
  discardItem(): void {
    this.#pending = []
  }

  /** Writes all counts. Call it as the last step of the batch. */
  write(): void {
    const store = this.#store
    for (const { place, name, quantity } of this.#figures.values()) addFigure(store, place, name, quantity)
    for (const { place, requests, errors } of this.#latencies.values()) addLatency(store, place, requests, errors)
    for (const { place, samples } of this.#vitals.values()) addVital(store, place, samples)
    this.clear()
  }

  clear(): void {
    this.#figures.clear()
    this.#latencies.clear()
    this.#vitals.clear()
    this.#pending = []
  }
}

/** @param empty added if the key is new */
function entryOf<T>(entries: Map<string, T>, key: readonly unknown[], empty: T): T {
  const name = key.join('\0')
  const known = entries.get(name)
  if (known === undefined) entries.set(name, empty)
  return known ?? empty
}
