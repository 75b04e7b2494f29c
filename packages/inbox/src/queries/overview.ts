import { DAY, HOUR } from '@hull/common/time.ts'
import type { View } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { findFirstHour, readFigure, readPercentiles, type RollupScope } from './figures.ts'
import { isNarrowed } from './issue-events.ts'
import { readIssueRows } from './issue-rows.ts'
import { findIssueIds } from './overview-lists.ts'
import { listReleases, projectsOf } from './scope.ts'
import { BY_HOUR, stepsOf, type Steps } from './time-buckets.ts'
import { readStorage } from './storage.ts'
import type { Overview, ReleaseMarker } from './types.ts'

/** True if the figures come from a month of rollups, or if events must be counted: both run in the scan thread. */
export const isLong = ({ view }: { view: View }): boolean => view.until - view.since > BY_HOUR || isNarrowed(view)

/** Figures from rollups, and the most important issues. */
export function getOverview(store: Store, { view }: { view: View }): Overview {
  const now = Date.now()
  const projects = projectsOf(store, view.project)
  const steps = stepsOf(view)
  const scope: RollupScope = { projects, view, steps }
  const firstHour = findFirstHour(store, projects)
  const known = (points: number[]) => points.map((point, index) => (isKnown(steps, index, firstHour) ? point : null))
  const series = (points: (number | null)[]) => ({ start: steps.start, step: steps.step, points })

  const errors = readFigure(store, 'errors', scope)
  const days = readFigure(store, 'visitor_days', scope)
  // Visitors are counted per hour and once per day, so parts of a day use the hourly counts.
  const visitors = steps.step < DAY ? readFigure(store, 'visitors', scope) : days
  const sessions = readFigure(store, 'sessions', scope)
  const crashed = readFigure(store, 'sessions_crashed', scope)
  const inp = readPercentiles(store, 'INP', 0.75, scope)
  const lcp = readPercentiles(store, 'LCP', 0.75, scope)
  const server = readPercentiles(store, 'server', 0.95, scope)
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
    releases: listMarkers(store, projects, steps),
    ...readLists(store, scope, now),
    isEmpty: firstHour === undefined && isBare(store, projects),
    ...(store.grants === undefined && { storage: readStorage(store) })
  }
}

function readLists(
  store: Store,
  scope: RollupScope,
  now: number
): Pick<Overview, 'newInRelease' | 'regressed' | 'loudest'> {
  const { newInRelease, regressed, loudest } = findIssueIds(store, scope)
  const ids = [...new Set([...newInRelease, ...regressed, ...loudest])]
  const rows = new Map(readIssueRows(store, { ids, view: scope.view, now }).map((row) => [row.id, row]))
  const toRows = (list: number[]) => list.flatMap((id) => rows.get(id) ?? [])
  return { newInRelease: toRows(newInRelease), regressed: toRows(regressed), loudest: toRows(loudest) }
}

/** Releases first seen within the chart, oldest first. */
export function listMarkers(store: Store, projects: readonly number[], { start, step, count }: Steps): ReleaseMarker[] {
  return projects
    .flatMap((project) => listReleases(store, project))
    .filter(({ at }) => at >= start && at < start + step * count)
    .map(({ version, at }) => ({ version, at }))
    .sort((a, b) => a.at - b.at)
}

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
