import { DAY, HOUR } from '@hull/common/time.ts'
import type { View } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { askFigure, askFirstHour, askPercentiles, type RollupScope } from './figures.ts'
import { isNarrowed } from './issue-events.ts'
import { readIssueRows } from './issue-rows.ts'
import { askIssueIds, type IssueIds } from './overview-lists.ts'
import { askReleases, projectsOf } from './scope.ts'
import { BY_HOUR, stepsOf, type Steps } from './time-buckets.ts'
import { askStorage } from './storage.ts'
import type { Overview, ReleaseMarker } from './types.ts'

/** True if the figures come from a month of rollups, or if events must be counted: both run in the scan thread. */
export const isLong = ({ view }: { view: View }): boolean => view.until - view.since > BY_HOUR || isNarrowed(view)

/** Figures from rollups, and the most important issues. */
export function getOverview(store: Store, { view }: { view: View }): Overview {
  const now = Date.now()
  const projects = projectsOf(store, view.project)
  const steps = stepsOf(view)
  const scope: RollupScope = { projects, view, steps }
  const readFirstHour = askFirstHour(store, projects)
  const known = (points: number[]) => points.map((point, index) => (isKnown(steps, index, firstHour) ? point : null))
  const series = (points: (number | null)[]) => ({ start: steps.start, step: steps.step, points })

  const askedReleases = askAllReleases(store, projects)
  const issueIds = askIssueIds(store, scope)
  const asked = {
    storage: store.grants === undefined ? askStorage(store) : undefined,
    errors: askFigure(store, 'errors', scope),
    days: askFigure(store, 'visitor_days', scope),
    // Visitors are counted per hour and once per day, so parts of a day use the hourly counts.
    visitors: steps.step < DAY ? askFigure(store, 'visitors', scope) : undefined,
    sessions: askFigure(store, 'sessions', scope),
    crashed: askFigure(store, 'sessions_crashed', scope),
    inp: askPercentiles(store, 'INP', 0.75, scope),
    lcp: askPercentiles(store, 'LCP', 0.75, scope),
    server: askPercentiles(store, 'server', 0.95, scope)
  }
  const lists = readLists(store, scope, issueIds(), now)
  const errors = asked.errors()
  const days = asked.days()
  const visitors = asked.visitors?.() ?? days
  const sessions = asked.sessions()
  const crashed = asked.crashed()
  const inp = asked.inp()
  const lcp = asked.lcp()
  const server = asked.server()
  const firstHour = readFirstHour()
  const releases = askedReleases()
  const newest = releases.at(-1)?.version
  const share = crashFree(sum(sessions), sum(crashed))
  return {
    errors: { total: sum(errors), series: series(known(errors)) },
    visitors: { total: sum(days), series: series(known(visitors)) },
    crashFree: {
      ...(share !== null && { share }),
      sessions: sum(sessions),
      series: series(sessions.map((all, index) => crashFree(all, crashed[index]!)))
    },
    inp: { ...(inp.all !== undefined && { p75: inp.all }), series: series(inp.points) },
    lcp: { ...(lcp.all !== undefined && { p75: lcp.all }), series: series(lcp.points) },
    server: {
      ...(server.all !== undefined && { p95: server.all }),
      requests: server.total,
      series: series(server.points)
    },
    releases: toMarkers(releases, steps),
    ...(newest !== undefined && { newest }),
    ...lists,
    isEmpty: firstHour === undefined && isBare(store, projects),
    ...(asked.storage && { storage: asked.storage() })
  }
}

function readLists(
  store: Store,
  scope: RollupScope,
  { newInRelease, regressed, loudest }: IssueIds,
  now: number
): Pick<Overview, 'newInRelease' | 'regressed' | 'loudest'> {
  const ids = [...new Set([...newInRelease, ...regressed, ...loudest])]
  const rows = new Map(readIssueRows(store, { ids, view: scope.view, now }).map((row) => [row.id, row]))
  const toRows = (list: number[]) => list.flatMap((id) => rows.get(id) ?? [])
  return { newInRelease: toRows(newInRelease), regressed: toRows(regressed), loudest: toRows(loudest) }
}

/** Asks for the releases of projects, oldest first. */
export function askAllReleases(store: Store, projects: readonly number[]): () => ReleaseMarker[] {
  const asked = projects.map((project) => askReleases(store, project))
  return () =>
    asked
      .flatMap((rows) => rows())
      .toReversed()
      .map(({ version, at }) => ({ version, at }))
      .sort((a, b) => a.at - b.at)
}

/** The releases first seen within the chart. */
export const toMarkers = (releases: ReleaseMarker[], { start, step, count }: Steps): ReleaseMarker[] =>
  releases.filter(({ at }) => at >= start && at < start + step * count)

/** A point before the first data or in the future has no value. */
function isKnown({ start, step }: Steps, index: number, firstHour: number | undefined): boolean {
  const from = start + index * step
  return firstHour !== undefined && from + step > firstHour * HOUR && from <= Date.now()
}

/** Share of sessions without a crash, from 0 to 1; null without sessions. */
export const crashFree = (sessions: number, crashed: number): number | null =>
  sessions > 0 ? Math.max(0, 1 - crashed / sessions) : null

export const sum = (points: readonly number[]): number => points.reduce((all, point) => all + point, 0)

/** Warnings and spans without a segment are in no rollup. */
const isBare = (store: Store, projects: readonly number[]): boolean =>
  store.grants === undefined
    ? !store.get('SELECT 1 FROM event LIMIT 1') && !store.get('SELECT 1 FROM span LIMIT 1')
    : projects.every(
        (project) =>
          !store.get('SELECT 1 FROM event WHERE project = ? LIMIT 1', project) &&
          !store.get('SELECT 1 FROM span WHERE project = ? AND is_segment = 1 LIMIT 1', project)
      )
