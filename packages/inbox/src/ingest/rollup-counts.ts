import { getOrInsert } from '../get-or-insert.ts'
import {
  addDrops,
  addFigures,
  addLatencies,
  addVitals,
  type DropPlace,
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
  readonly #clientDrops = new Map<string, { place: DropPlace; quantity: number }>()
  /** Counts of the current item. They are discarded if the item fails. */
  #pending: (() => void)[] = []

  constructor(store: Store) {
    this.#store = store
  }

  countFigure(place: FigurePlace, name: FigureName, quantity = 1): void {
    this.#pending.push(() => {
      getOrInsert(this.#figures, toKey(place, name), () => ({ place, name, quantity: 0 })).quantity += quantity
    })
  }

  /** Counts a request or page load. */
  countLatency(place: LatencyPlace, isError: boolean): void {
    this.#pending.push(() => {
      const entry = getOrInsert(this.#latencies, toKey(place), () => ({ place, requests: 0, errors: 0 }))
      entry.requests++
      entry.errors += Number(isError)
    })
  }

  /** @param samples -1 if a larger value replaced this one */
  countVital(place: VitalPlace, samples: 1 | -1): void {
    this.#pending.push(() => {
      getOrInsert(this.#vitals, toKey(place), () => ({ place, samples: 0 })).samples += samples
    })
  }

  /** Counts items that a client dropped before sending. */
  countClientDrop(place: DropPlace, quantity: number): void {
    this.#pending.push(() => {
      getOrInsert(this.#clientDrops, toKey(place), () => ({ place, quantity: 0 })).quantity += quantity
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
    addFigures(store, [...this.#figures.values()])
    addLatencies(store, [...this.#latencies.values()])
    addVitals(store, [...this.#vitals.values()])
    addDrops(store, 'client', [...this.#clientDrops.values()])
    this.clear()
  }

  clear(): void {
    this.#figures.clear()
    this.#latencies.clear()
    this.#vitals.clear()
    this.#clientDrops.clear()
    this.#pending = []
  }
}

const toKey = (place: object, name = ''): string => [...Object.values(place), name].join('\0')
