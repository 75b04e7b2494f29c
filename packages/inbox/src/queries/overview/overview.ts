import { DAY, HOUR } from '@hull/common/time.ts'
import type { View } from '../../store/model.ts'
import type { FigureName } from '../../store/rollups.ts'
import type { Store } from '../../store/store.ts'
import { askFigure, askFirstHour, askPercentiles, type RollupScope } from '../rollups/figures.ts'
import { isNarrowed } from '../issues/issue-events.ts'
import { sum } from '../issues/issue-rows.ts'
import { askLists } from './overview-lists.ts'
import { askSteps } from '../rollups/rollup-cache.ts'
import { narrow } from '../rollups/rollups.ts'
import { askReleases, projectsOf } from '../scope.ts'
import { BY_HOUR, endOf, stepsOf, type Steps } from '../rollups/time-buckets.ts'
import { askStorage } from './storage.ts'
import type { Overview, ReleaseMarker, Series } from './overview-types.ts'

/** True if the figures come from a month of rollups, or if events must be counted: both run in the scan thread. */
export const isLong = ({ view }: { view: View }): boolean => view.until - view.since > BY_HOUR || isNarrowed(view)

/** Asks for figures from rollups, and the most important issues. */
export function askOverview(store: Store, { view }: { view: View }): () => Overview {
  const now = Date.now()
  const projects = projectsOf(store, view.project)
  const scope: RollupScope = { projects, view, steps: stepsOf(view) }
  // The first answers lead to further questions, which are sent with those for the figures.
  const readLists = askLists(store, scope, now)
  const readFirstHour = askFirstHour(store, projects)
  const readReleases = askAllReleases(store, projects, endOf(scope.steps))
  const readStorage = store.grants === undefined ? askStorage(store) : undefined
  const readErrors = askErrors(store, scope)
  const readVisitors = askVisitors(store, scope)
  const readCrashFree = askCrashFree(store, scope)
  const readInp = askPercentiles(store, 'INP', 0.75, scope)
  const readLcp = askPercentiles(store, 'LCP', 0.75, scope)
  const readServer = askPercentiles(store, 'server', 0.95, scope)
  return () => {
    const lists = readLists()
    const firstHour = readFirstHour()
    const { releases, newest } = readReleases()
    const inp = readInp()
    const lcp = readLcp()
    const server = readServer()
    return {
      errors: readErrors(firstHour),
      visitors: readVisitors(firstHour),
      crashFree: readCrashFree(),
      inp: { ...(inp.all !== undefined && { p75: inp.all }), series: toSeries(scope, inp.points) },
      lcp: { ...(lcp.all !== undefined && { p75: lcp.all }), series: toSeries(scope, lcp.points) },
      server: {
        ...(server.all !== undefined && { p95: server.all }),
        requests: server.total,
        series: toSeries(scope, server.points)
      },
      releases: toMarkers(releases, scope.steps),
      newest,
      ...lists,
      isEmpty: firstHour === undefined && isBare(store, projects),
      ...(readStorage && { storage: readStorage() })
    }
  }
}

const toSeries = ({ steps: { start, step } }: RollupScope, points: (number | null)[]): Series => ({
  start,
  step,
  points
})

/** A figure that is 0 where there is data without it, by the first hour with data. */
type ReadTotal = (firstHour: number | undefined) => { total: number; series: Series }

function askErrors(store: Store, scope: RollupScope): ReadTotal {
  const read = askFigure(store, 'errors', scope)
  return (firstHour) => {
    const points = read()
    return { total: sum(points), series: toSeries(scope, toKnown(scope, points, firstHour)) }
  }
}

/**
 * Visitors are counted per hour and once per day: the points of a day's parts are of hours, the total is of days. A point
 * of several hours has at most the visitors of its day: one with errors in each of these hours would be counted in each.
 */
function askVisitors(store: Store, scope: RollupScope): ReadTotal {
  const { days, hours } = visitorFigures(scope.view)
  const readDays = askFigure(store, days, scope)
  const readHours = scope.steps.step < DAY ? askFigure(store, hours, scope) : undefined
  const readFirstDay = askFirstDay(store, scope)
  return (firstHour) => {
    const days = readDays()
    const hours = readHours?.()
    const { visitors, points } = readFirstDay()
    return {
      total: visitors + sum(days.slice(points)),
      series: toSeries(scope, toKnown(scope, hours ? limitToDays(scope.steps, hours, days) : days, firstHour))
    }
  }
}

/**
 * Asks for the visitors of a day of which the range has only the end, and for the number of its points. The figures
 * count a visitor for a day in the hour of its first error, which may be before the range.
 */
function askFirstDay(store: Store, { projects, view, steps }: RollupScope): () => { visitors: number; points: number } {
  const { start, step } = steps
  if (start % DAY === 0 || step >= DAY) return () => ({ visitors: 0, points: 0 })
  const day = Math.floor(start / DAY)
  const [from, until] = [start / HOUR, Math.min((day + 1) * DAY, endOf(steps)) / HOUR]
  const asked = projects.map((project) => {
    const [narrowed, values] = narrow(project, view)
    const ask = () => {
      const rows = store.ask<{ visitors: number }>(
        `SELECT count(DISTINCT visitor) AS visitors FROM visitor_hour
         WHERE hour >= ? AND hour < ? AND project = ?${narrowed}`,
        from,
        until,
        project,
        ...values
      )
      return () => new Map([[day, rows()[0]!.visitors]])
    }
    const series = ['first day', from, until, project, narrowed, ...values].join(' ')
    return askSteps(store, series, { step: DAY, from: day, until: day + 1 }, ask, () => 1)
  })
  return () => ({ visitors: sum(asked.map((read) => read().get(day)!)), points: (until - from) * (HOUR / step) })
}

/** A visitor with errors in several releases or environments counts once in what the view contains. */
function visitorFigures({ environment, release }: View): { hours: FigureName; days: FigureName } {
  if (release !== undefined && environment !== undefined) return { hours: 'visitors', days: 'visitor_days' }
  if (release !== undefined) return { hours: 'visitors_of_release', days: 'visitor_days_of_release' }
  if (environment !== undefined) return { hours: 'visitors_of_environment', days: 'visitor_days_of_environment' }
  return { hours: 'visitors_of_project', days: 'visitor_days_of_project' }
}

/** A day that began before the first point is left as it is: some of its visitors may have been counted before. */
function limitToDays({ start, step }: Steps, hours: number[], days: readonly number[]): number[] {
  if (step === HOUR) return hours
  const dayOf = (index: number) => Math.floor((start + index * step) / DAY)
  const totals = new Map<number, number>()
  for (const [index, count] of days.entries()) totals.set(dayOf(index), (totals.get(dayOf(index)) ?? 0) + count)
  if (start % DAY !== 0) totals.delete(dayOf(0))
  return hours.map((count, index) => Math.min(count, totals.get(dayOf(index)) ?? count))
}

function askCrashFree(store: Store, scope: RollupScope): () => Overview['crashFree'] {
  const readSessions = askFigure(store, 'sessions', scope)
  const readCrashed = askFigure(store, 'sessions_crashed', scope)
  return () => {
    const sessions = readSessions()
    const crashed = readCrashed()
    const share = crashFree(sum(sessions), sum(crashed))
    return {
      ...(share !== null && { share }),
      sessions: sum(sessions),
      series: toSeries(
        scope,
        sessions.map((all, index) => crashFree(all, crashed[index]!))
      )
    }
  }
}

/** A point before the first data or in the future has no value. */
function toKnown(
  { steps: { start, step } }: RollupScope,
  points: number[],
  firstHour: number | undefined
): (number | null)[] {
  const now = Date.now()
  return points.map((point, index) => {
    const from = start + index * step
    return firstHour !== undefined && from + step > firstHour * HOUR && from <= now ? point : null
  })
}

/** Asks for the releases of projects that began before a time, oldest first, and for the version of the newest of each. */
function askAllReleases(store: Store, projects: readonly number[], before: number) {
  const asked = projects.map((project) => askReleases(store, project, { before }))
  const askedNewest = projects.map((project) => askReleases(store, project, { limit: 1 }))
  return (): { releases: ReleaseMarker[]; newest: string[] } => {
    const newest = new Set(askedNewest.flatMap((rows) => rows()).map(({ version }) => version))
    return { releases: oldestFirst(asked.flatMap((rows) => rows())), newest: [...newest] }
  }
}

/** Copies rows of releases as plain objects. @param releases newest first */
export const oldestFirst = (releases: readonly ReleaseMarker[]): ReleaseMarker[] =>
  releases
    .toReversed()
    .map(({ version, at }) => ({ version, at }))
    .sort((a, b) => a.at - b.at)

/** The releases first seen within the chart. */
export const toMarkers = (releases: ReleaseMarker[], steps: Steps): ReleaseMarker[] =>
  releases.filter(({ at }) => at >= steps.start && at < endOf(steps))

/** Share of sessions without a crash, from 0 to 1; null without sessions. */
export const crashFree = (sessions: number, crashed: number): number | null =>
  sessions > 0 ? Math.max(0, 1 - crashed / sessions) : null

/** Warnings and spans without a segment are in no rollup. */
const isBare = (store: Store, projects: readonly number[]): boolean =>
  store.grants === undefined
    ? !store.get('SELECT 1 FROM event LIMIT 1') && !store.get('SELECT 1 FROM span LIMIT 1')
    : projects.every(
        (project) =>
          !store.get('SELECT 1 FROM event WHERE project = ? LIMIT 1', project) &&
          !store.get('SELECT 1 FROM span WHERE project = ? AND is_segment = 1 LIMIT 1', project)
      )
