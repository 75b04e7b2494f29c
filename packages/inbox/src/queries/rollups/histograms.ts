import { getOrInsert } from '../../get-or-insert.ts'
import type { View } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { Histogram } from './histogram.ts'
import { askSteps } from './rollup-cache.ts'
import { narrow, type Rollup, type RollupPart } from './rollups.ts'
import { projectsOf } from '../scope.ts'

/** Counts of one route or page in one step. */
export interface StepCounts {
  /** Bucket and count, alternating. */
  pairs: Float64Array
  /** Failed requests; 0 for vitals. */
  errors: number
}

/** Keyed by `<side> <route>` or `<vital> <page>`. */
export type StepNames = Map<string, StepCounts>

/** Splits such a key at the first space; the second part may contain spaces. */
export function splitName(name: string): [kind: string, rest: string] {
  const end = name.indexOf(' ')
  return [name.slice(0, end), name.slice(end + 1)]
}

/** Numbers to cache for a step. */
export const countNumbers = (names: StepNames): number =>
  [...names.values()].reduce((sum, { pairs }) => sum + pairs.length, 0)

/** A power of two above the last bucket. One number encodes count and bucket. */
const PLACES = 512

const COLUMNS = {
  latency: { kind: 'side', name: 'route', count: 'requests', errors: 'sum(errors)' },
  vital: { kind: 'vital', name: 'page', count: 'samples', errors: '0' }
}

/** Reads rollups of the view's projects as histograms by route or page, of each step or of parts of it. */
export function readHistograms(
  store: Store,
  of: 'latency' | 'vital',
  view: View,
  { step, parts }: Rollup
): [at: number, StepNames][] {
  const asked = projectsOf(store, view.project).flatMap((project) =>
    parts.map((part) => ({ part, read: askPart(store, of, project, view, part) }))
  )
  return asked.flatMap(({ part, read }) =>
    [...read()].map(([at, names]): [number, StepNames] => [Math.floor((at * part.step) / step), names])
  )
}

/** Asks for histograms by step of a part, then by route or page. */
function askPart(
  store: Store,
  of: 'latency' | 'vital',
  project: number,
  view: View,
  { column, ...range }: RollupPart
): () => Map<number, StepNames> {
  const { kind, name, count, errors } = COLUMNS[of]
  const [narrowed, values] = narrow(project, view)
  const ask = (from: number, until: number) => {
    // Grouped in the order of the primary key, so SQLite need not sort, and with one row per route, which costs a tenth
    // of one row per bucket.
    const rows = store.ask<StepRow>(
      `SELECT ${column} AS at, ${kind} || ' ' || ${name} AS name, ${errors} AS errors,
         group_concat(${count} * ${PLACES} + bucket) AS counts
       FROM ${of}_${column} WHERE project = ? AND ${column} >= ? AND ${column} < ?${narrowed}
       GROUP BY ${column}, ${kind}, ${name}`,
      project,
      from,
      until,
      ...values
    )
    return () => toSteps(rows())
  }
  return askSteps(store, [of, project, narrowed, ...values].join(' '), range, ask, countNumbers)
}

interface StepRow {
  at: number
  name: string
  errors: number
  /** Numbers that encode count and bucket, joined by commas. */
  counts: string
}

function toSteps(rows: readonly StepRow[]): Map<number, StepNames> {
  const steps = new Map<number, StepNames>()
  const histogram = new Histogram()
  for (const { at, name, errors, counts } of rows) {
    histogram.clear()
    for (const text of counts.split(',')) {
      const both = Number(text)
      histogram.add(both % PLACES, Math.floor(both / PLACES))
    }
    const names = getOrInsert(steps, at, (): StepNames => new Map())
    names.set(name, { pairs: histogram.pairs, errors })
  }
  return steps
}
