import { trustedNow } from '@hull/common/trusted-clock.ts'
import { readRollupCacheVersion, SETTLED_AFTER } from '../../store/rollups.ts'
import type { Store } from '../../store/store.ts'

/** Maximum numbers to cache per store: 16 MB. */
const MAX_NUMBERS = 2_000_000

/** Range of time steps, numbered from the epoch. */
export interface StepRange {
  /** Milliseconds per step. */
  step: number
  /** The first step, and the one after the last. */
  from: number
  until: number
}

interface Kept<Value> {
  value: Value | undefined
  numbers: number
  /** The store's write count when this was read; undefined if the step is final. */
  writes: number | string | undefined
}

/** Cached values of a store's rollups, by series and step. */
class RollupCache {
  /** Number of invalidations when this cache was created. */
  readonly changes: number
  /** The store's write count at the last check. */
  writes: number | string = 0
  /** The latest time at which this cache was used, in milliseconds since the epoch. */
  latest = 0
  readonly #series = new Map<string, Map<number, Kept<unknown>>>()
  #numbers = 0

  constructor(changes: number) {
    this.changes = changes
  }

  series<Value>(name: string): Map<number, Kept<Value>> {
    let series = this.#series.get(name)
    // Moves the series to the end, so that the least recently used is first.
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

/** Call before reading: a later write makes the values stale. @param now milliseconds since the epoch */
function rollupCache(store: Store, now: number): RollupCache {
  const writes = store.writes
  let kept = keptOf.get(store)
  // After a clock was set back, hours that were final can change again.
  if (kept && now < kept.latest - SETTLED_AFTER) kept = undefined
  if (kept?.writes !== writes) {
    const changes = readRollupCacheVersion(store)
    if (kept?.changes !== changes) keptOf.set(store, (kept = new RollupCache(changes)))
    kept.writes = writes
  }
  kept.latest = Math.max(kept.latest, now)
  return kept
}

/**
 * Asks for the values of a rollup for each step. Final steps are read once, and again after a late change. Other steps are read
 * after every write, so a month costs as much as its last day.
 * @param series identifies the query, including project and filters
 * @param ask asks for all steps with data of a part of the range
 * @param countNumbers size of a value in the cache
 * @param now milliseconds since the epoch; a jump of the clock must not make the current step final
 */
export function askSteps<Value>(
  store: Store,
  series: string,
  { step, from, until }: StepRange,
  ask: (from: number, until: number) => () => Map<number, Value>,
  countNumbers: (value: Value) => number,
  now = trustedNow()
): () => Map<number, Value> {
  const kept = rollupCache(store, now)
  const { writes } = kept
  const known = kept.series<Value>(`${step} ${series}`)
  const found = new Map<number, Value>()
  const missing: number[] = []
  for (let at = from; at < until; at++) {
    const entry = known.get(at)
    if (!entry || (entry.writes ?? writes) !== writes) missing.push(at)
    else if (entry.value !== undefined) found.set(at, entry.value)
  }
  const asked = toRuns(missing).map(([first, end]) => ({ first, end, read: ask(first, end) }))
  return () => {
    for (const { first, end, read } of asked) {
      const values = read()
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
}

/** Groups consecutive numbers into ranges. */
function toRuns(numbers: readonly number[]): [first: number, end: number][] {
  const runs: [number, number][] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run?.[1] === number) run[1]++
    else runs.push([number, number + 1])
  }
  return runs
}
