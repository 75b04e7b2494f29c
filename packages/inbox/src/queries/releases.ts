import { DAY, HOUR } from '@hull/common/time.ts'
import type { ReleaseCommit } from '../mutations/types.ts'
import type { View } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { commitOf, toCommitHref, type Repository } from '../web/repository.ts'
import { toPlain } from './plain-row.ts'
import { getRepository } from './repository.ts'
import { projectsOf } from './scope.ts'
import { toList } from './sql.ts'
import { hoursOf, stepsOf } from './time-buckets.ts'
import type { DeployRow, Queries, ReleaseRow } from './types.ts'

/** Maximum points of a sparkline in a table row, where more would not be readable. */
const MAX_POINTS = 48

const FIGURES = ['sessions', 'sessions_crashed', 'errors'] as const
type ReleaseFigure = (typeof FIGURES)[number]

interface FigureRow {
  release: number
  hour: number
  quantity: number
}

/** Releases, newest first, each with its figures in the view. */
export function listReleases(store: Store, { view, limit = 30 }: Parameters<Queries['listReleases']>[0]): ReleaseRow[] {
  return projectsOf(store, view.project)
    .flatMap((project) => releasesOf(store, project, view, Math.min(limit, 100)))
    .sort((a, b) => b.firstSeen - a.firstSeen || b.id - a.id)
    .slice(0, Math.min(limit, 100))
}

interface Named {
  id: number
  version: string
  commitId: string | null
  firstSeen: number
  lastSeen: number
  newIssues: number
  regressions: number
}

function releasesOf(store: Store, project: number, view: View, limit: number): ReleaseRow[] {
  const { release } = view
  const readReleases = store.ask<Named>(
    `SELECT id, version, commit_id AS commitId, first_seen AS firstSeen, last_seen AS lastSeen,
        new_issues AS newIssues, regressions
      FROM release WHERE project = ?${release === undefined ? '' : ' AND version = ?'} ORDER BY id DESC LIMIT ?`,
    project,
    ...(release === undefined ? [] : [release]),
    limit
  )
  const [from, until] = hoursOf(stepsOf(view))
  const hours = until - from
  const perPoint = Math.ceil(hours / MAX_POINTS)
  const asked = FIGURES.map((name) => [name, askFigure(store, project, name, view, from, from + hours)] as const)
  const askedAdoption = askAdoption(store, project, view)
  const rows = readReleases()
  const sent = askSent(store, rows)
  const figures = new Map(FIGURES.map((name) => [name, new Map<number, number[]>()] as const))
  for (const [name, figureRows] of asked)
    for (const { release: id, hour, quantity } of figureRows()) {
      const points = figures.get(name)!.get(id) ?? Array.from({ length: Math.ceil(hours / perPoint) }, () => 0)
      figures.get(name)!.set(id, points)
      points[Math.floor((hour - from) / perPoint)]! += quantity
    }
  const adoption = askedAdoption()
  const repository = getRepository(store, { project })
  const { commits, deploys } = sent()
  return rows.map(({ commitId, ...row }): ReleaseRow => {
    const points = (name: ReleaseFigure) => figures.get(name)!.get(row.id) ?? []
    const total = (name: ReleaseFigure) => points(name).reduce((sum, quantity) => sum + quantity, 0)
    const sessions = total('sessions')
    const adopted = adoption.get(row.id)
    const commit = commitId ?? commitOf(row.version)
    return {
      ...row,
      ...(commit !== undefined && { commit }),
      ...(commit !== undefined && repository && { commitHref: toCommitHref(repository, commit) }),
      sessions,
      errors: total('errors'),
      ...(sessions > 0 ? { crashFree: 1 - total('sessions_crashed') / sessions } : {}),
      ...(adoption.size > 0 ? { adoption: adopted ?? 0 } : {}),
      ...describeSent(commits.get(row.id), deploys.get(row.id), repository),
      series: {
        start: from * HOUR,
        step: perPoint * HOUR,
        points: Array.from({ length: Math.ceil(hours / perPoint) }, (_, i) => points('sessions')[i] ?? 0)
      }
    }
  })
}

/** Asks for commits and deploys that build tools sent, by release. */
function askSent(store: Store, releases: readonly Named[]) {
  const list = toList(releases.map(({ id }) => id))
  const commits = store.ask<{ release: number }>(
    `SELECT release, commit_id AS id, title, author, at FROM release_commit
     WHERE release IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) ORDER BY release, position`,
    list
  )
  const deploys = store.ask<{ release: number }>(
    `SELECT release, id, environment, name, url, started, finished FROM deploy
     WHERE id IN (SELECT max(id) FROM deploy WHERE release IN (SELECT CAST(value AS BIGINT) FROM json_each(?))
       GROUP BY release, environment) ORDER BY finished DESC`,
    list
  )
  return () => ({ commits: byRelease<ReleaseCommit>(commits()), deploys: byRelease<DeployRow>(deploys()) })
}

function byRelease<T>(rows: readonly { release: number }[]): Map<number, T[]> {
  const found = new Map<number, T[]>()
  for (const { release, ...row } of rows) found.set(release, [...(found.get(release) ?? []), toPlain<T>(row)])
  return found
}

function describeSent(
  commits: readonly ReleaseCommit[] | undefined,
  deploys: DeployRow[] | undefined,
  repository: Repository | undefined
): Pick<ReleaseRow, 'commits' | 'deploys'> {
  return {
    ...(commits && {
      commits: commits.map((commit) => ({
        ...commit,
        ...(repository && { href: toCommitHref(repository, commit.id) })
      }))
    }),
    ...(deploys && { deploys })
  }
}

function askFigure(
  store: Store,
  project: number,
  name: ReleaseFigure,
  { environment }: View,
  from: number,
  until: number
): () => FigureRow[] {
  return store.ask(
    `SELECT release, hour, sum(quantity) AS quantity FROM figure_hour WHERE project = ? AND name = ? AND hour >= ?
      AND hour < ?${environment === undefined ? '' : ' AND environment = ?'} GROUP BY release, hour`,
    project,
    name,
    from,
    until,
    ...(environment === undefined ? [] : [environment])
  )
}

/** Asks for the share of the last day's sessions per release; empty without sessions. */
function askAdoption(store: Store, project: number, view: View): () => Map<number, number> {
  const until = Math.ceil(view.until / HOUR)
  const rows = askFigure(store, project, 'sessions', view, until - DAY / HOUR, until)
  return () => {
    const shares = new Map<number, number>()
    for (const { release, quantity } of rows()) shares.set(release, (shares.get(release) ?? 0) + quantity)
    const all = [...shares.values()].reduce((sum, quantity) => sum + quantity, 0)
    if (all <= 0) return new Map()
    for (const [id, quantity] of shares) shares.set(id, quantity / all)
    return shares
  }
}
