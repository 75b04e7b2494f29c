import { DAY, HOUR } from '@hull/common/time.ts'
import { getOrInsert } from '../../get-or-insert.ts'
import { VITALS, type View } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { createHistogram, type Histogram } from '../rollups/histogram.ts'
import { countNumbers, type StepCounts, type StepNames } from '../rollups/histograms.ts'
import { askSteps } from '../rollups/rollup-cache.ts'
import { narrow } from '../rollups/rollups.ts'
import { projectsOf } from '../scope.ts'
import type { VitalTrend } from './performance-types.ts'
import { fromCounted } from './vitals.ts'

/** Maximum releases of a trend, and its minimum length: a single release shows no trend. */
const MAX_RELEASES = 12
const TREND_RANGE = 30 * DAY

/** Rows per day of the six-hour rollup, and milliseconds of one row. */
const QUARTER = 6 * HOUR
const PER_DAY = DAY / QUARTER

interface Release {
  id: number
  version: string
  at: number
}

/** Vitals by release, oldest first, of one page or of all pages. */
export function listVitalTrend(store: Store, { view, page }: { view: View; page?: string }): VitalTrend[] {
  const { until, environment } = view
  const since = Math.min(view.since, until - TREND_RANGE)
  const found: VitalTrend[] = []
  const projects = projectsOf(store, view.project).map((project) => ({
    project,
    readReleases: store.ask<Release>(
      `SELECT id, version, first_seen AS at FROM release WHERE project = ? AND last_seen >= ? AND first_seen < ?
       ORDER BY id DESC LIMIT ?`,
      project,
      since,
      until,
      MAX_RELEASES
    )
  }))
  const asked = projects.map(({ project, readReleases }) => {
    const releases = readReleases()
    // No release has data before the first of them began.
    const begin = Math.max(since, Math.min(...releases.map(({ at }) => at)))
    return { releases, readDays: askDays(store, project, { since: begin, until, environment }, page) }
  })
  for (const { releases, readDays } of asked) {
    const histograms = new Map<string, Histogram>()
    for (const names of readDays().values())
      for (const [name, { pairs }] of names) getOrInsert(histograms, name, createHistogram).addPairs(pairs)
    for (const { id, version, at } of releases) {
      const p75 = VITALS.flatMap((vital) => {
        const histogram = histograms.get(`${vital} ${id}`)
        return histogram ? [[vital, fromCounted(vital, histogram.percentile(0.75) ?? 0)]] : []
      })
      if (p75.length > 0) found.push({ version, at, p75: Object.fromEntries(p75) })
    }
  }
  // Releases that began at the same time are ordered by id.
  return found
    .toReversed()
    .sort((a, b) => a.at - b.at)
    .slice(-MAX_RELEASES)
}

/** Asks for histograms by day, then by `<vital> <release>`. */
function askDays(store: Store, project: number, view: View, page: string | undefined): () => Map<number, StepNames> {
  const from = Math.floor(view.since / DAY)
  const until = Math.ceil(view.until / DAY)
  const ask = page === undefined ? askTotals : askPage
  return askSteps(
    store,
    JSON.stringify(['trend', project, view.environment, page]),
    { step: DAY, from, until: Math.max(from, until) },
    (first, end) => ask(store, project, view, first, end, page!),
    countNumbers
  )
}

/** For all pages. */
function askTotals(
  store: Store,
  project: number,
  view: View,
  first: number,
  end: number
): () => Map<number, StepNames> {
  const [narrowed, values] = narrow(project, view)
  const asked = VITALS.map((vital) => ({
    vital,
    rows: store.ask<TotalRow>(
      `SELECT quarter / ${PER_DAY} AS day, release, counts FROM vital_total_quarter
        WHERE project = ? AND vital = ? AND quarter >= ? AND quarter < ?${narrowed}`,
      project,
      vital,
      first * PER_DAY,
      end * PER_DAY,
      ...values
    )
  }))
  return () => toDays(asked.map(({ vital, rows }) => ({ vital, rows: rows() })))
}

interface TotalRow {
  day: number
  release: number
  /** JSON of a histogram. */
  counts: string
}

function toDays(vitals: readonly { vital: string; rows: TotalRow[] }[]): Map<number, StepNames> {
  const counted = new Map<number, Map<string, Histogram>>()
  for (const { vital, rows } of vitals)
    for (const { day, release, counts } of rows) {
      const names = getOrInsert(counted, day, () => new Map<string, Histogram>())
      getOrInsert(names, `${vital} ${release}`, createHistogram).addJson(counts)
    }
  return new Map(
    [...counted].map(([day, names]) => [
      day,
      new Map([...names].map(([name, { pairs }]) => [name, { pairs, errors: 0 }] as const))
    ])
  )
}

/** For one page: reads by key for each day, since the rows between hold other pages. */
function askPage(
  store: Store,
  project: number,
  view: View,
  first: number,
  end: number,
  page: string
): () => Map<number, StepNames> {
  const [narrowed, values] = narrow(project, view)
  const numbers = Array.from({ length: end - first }, (_, index) => first + index)
  const asked = numbers.flatMap((day) =>
    VITALS.map((vital) => ({
      day,
      vital,
      rows: store.ask<{ release: number; bucket: number; samples: number }>(
        `SELECT release, bucket, samples FROM vital_day
          WHERE project = ? AND day = ? AND vital = ? AND page = ?${narrowed}`,
        project,
        day,
        vital,
        page,
        ...values
      )
    }))
  )
  return () => {
    const days = new Map<number, StepNames>()
    for (const { day, vital, rows } of asked)
      for (const [release, own] of Map.groupBy(rows(), (row) => row.release)) {
        const names = getOrInsert(days, day, () => new Map<string, StepCounts>())
        names.set(`${vital} ${release}`, {
          pairs: Float64Array.from(own.flatMap(({ bucket, samples }) => [bucket, samples])),
          errors: 0
        })
      }
    return days
  }
}
