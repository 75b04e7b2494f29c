import { readRollupCacheVersion, SETTLED_AFTER } from './rollup-cache-version.ts'
import type { Store } from '../store/store.ts'

/** Numbers that are kept for a store: 16 MB. */
const MAX_NUMBERS = 2_000_000

/** Steps of time, by their number since the epoch. */
export interface StepRange {
  /** Milliseconds of one. */
  step: number
  /** The first and the one past the last. */
  from: number
  until: number
}

interface Kept<Value> {
  value: Value | undefined
  numbers: number
  /** Where it is not over: how often the store had been written to. */
  writes: number | undefined
}

/** What a store said of steps that are over, by what was asked. */
class RollupCache {
  /** Changes of what is over, as they were counted when it was read. */
  readonly changes: number
  /** What the store was last seen at. */
  writes = 0
  readonly #series = new Map<string, Map<number, Kept<unknown>>>()
  #numbers = 0

  constructor(changes: number) {
    this.changes = changes
  }

  series<Value>(name: string): Map<number, Kept<Value>> {
    let series = this.#series.get(name)
    // Those that were asked for last are at the end.
    this.#series.delete(name)
    this.#series.set(name, (series ??= new Map()))
    return series as Map<number, Kept<Value>>
  }

  set<Value>(series: Map<number, Kept<Value>>, at: number, kept: Kept<Value>): void {
    this.#numbers += kept.numbers - (series.get(at)?.numbers ?? 0)
    series.set(at, kept)
    for (const [name, oldest] of this.#series) {
      if (this.#numbers <= MAX_NUMBERS || oldest === series) return
      for (const { numbers } of oldest.values()) this.#numbers -= numbers
      this.#series.delete(name)
    }
  }
}

const keptOf = new WeakMap<Store, RollupCache>()

/** Asked before reading: what is written after that is another state. */
function rollupCache(store: Store): RollupCache {
  const writes = store.writes
  let kept = keptOf.get(store)
  if (kept?.writes === writes) return kept
  const changes = readRollupCacheVersion(store)
  if (kept?.changes !== changes) keptOf.set(store, (kept = new RollupCache(changes)))
  kept.writes = writes
  return kept
}

/**
 * What a rollup says of each step. Steps that are over are read once, and again when something came late; the others
 * whenever anything was written: a month costs what its last day does.
 * @param series what is asked, project and filters included
 * @param read all steps of a part of the range that have something
 * @param countNumbers how large a value is
 */
export function readSteps<Value>(
  store: Store,
  series: string,
  { step, from, until }: StepRange,
  read: (from: number, until: number) => Map<number, Value>,
  countNumbers: (value: Value) => number
): Map<number, Value> {
  const kept = rollupCache(store)
  const { writes } = kept
  const known = kept.series<Value>(`${step} ${series}`)
  const now = Date.now()
  const found = new Map<number, Value>()
  const missing: number[] = []
  for (let at = from; at < until; at++) {
    const entry = known.get(at)
    if (!entry || (entry.writes ?? writes) !== writes) missing.push(at)
    else if (entry.value !== undefined) found.set(at, entry.value)
  }
  for (const [first, end] of toRuns(missing)) {
    const values = read(first, end)
    for (let at = first; at < end; at++) {
      const value = values.get(at)
      if (value !== undefined) found.set(at, value)
      kept.set(known, at, {
        value,
        numbers: 1 + (value === undefined ? 0 : countNumbers(value)),
        writes: (at + 1) * step > now - SETTLED_AFTER ? writes : undefined
      })
    }
  }
  return found
}

/** Numbers that follow each other, as ranges. */
function toRuns(numbers: readonly number[]): [first: number, end: number][] {
  const runs: [number, number][] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run?.[1] === number) run[1]++
    else runs.push([number, number + 1])
  }
  return runs
}
