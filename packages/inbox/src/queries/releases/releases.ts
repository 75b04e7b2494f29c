import { DAY, HOUR } from '@hull/common/time.ts'
import { getOrInsert } from '../../get-or-insert.ts'
import type { ReleaseCommit } from '../../mutations/release-types.ts'
import type { View } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { commitOf, toCommitHref, type Repository } from '../../web/repository.ts'
import { sum } from '../issues/issue-rows.ts'
import { crashFree } from '../overview/overview.ts'
import { toPlain } from '../plain-row.ts'
import { askRepository } from './repository.ts'
import { projectsOf } from '../scope.ts'
import { isAmong, toList } from '../sql.ts'
import { hoursOf, stepsOf } from '../rollups/time-buckets.ts'
import type { DeployRow, ReleaseRow } from './release-types.ts'

/** Maximum points of a sparkline in a table row, where more would not be readable. */
const MAX_POINTS = 48

const FIGURES = ['sessions', 'sessions_crashed', 'errors'] as const
type ReleaseFigure = (typeof FIGURES)[number]

interface FigureRow {
  release: number
  hour: number
  quantity: number
}

/** Asks for releases, newest first, each with its figures in the view. */
export function askReleaseRows(store: Store, { view, limit = 30 }: { view: View; limit?: number }): () => ReleaseRow[] {
  const most = Math.min(limit, 100)
  const asked = projectsOf(store, view.project).map((project) => askReleasesOf(store, project, view, most))
  return () => {
    const projects = asked.map((read) => read())
    const sent = askSent(
      store,
      projects.flatMap(({ releases }) => releases)
    )()
    const rows = projects.flatMap((project) => toRows(project, sent, view))
    return rows.sort((a, b) => b.firstSeen - a.firstSeen || b.id - a.id).slice(0, most)
  }
}

interface FoundRelease {
  id: number
  project: number
  version: string
  commitId: string | null
  firstSeen: number
  lastSeen: number
  newIssues: number
  regressions: number
}

/** Releases of a project, and what their rows need. */
interface ProjectReleases {
  releases: FoundRelease[]
  figures: Record<ReleaseFigure, FigureRow[]>
  /** Shares of the last day's sessions, by release. */
  adoption: Map<number, number>
  repository: Repository | undefined
}

function askReleasesOf(store: Store, project: number, view: View, limit: number): () => ProjectReleases {
  const { release } = view
  const releases = store.ask<FoundRelease>(
    `SELECT id, project, version, commit_id AS commitId, first_seen AS firstSeen, last_seen AS lastSeen,
        new_issues AS newIssues, regressions
      FROM release WHERE project = ?${release === undefined ? '' : ' AND version = ?'} ORDER BY id DESC LIMIT ?`,
    project,
    ...(release === undefined ? [] : [release]),
    limit
  )
  const ask = (name: ReleaseFigure) => askFigure(store, project, name, view, ...hoursOf(stepsOf(view)))
  const [sessions, crashed, errors] = [ask('sessions'), ask('sessions_crashed'), ask('errors')]
  const adoption = askAdoption(store, project, view)
  const repository = askRepository(store, { project })
  return () => ({
    releases: releases(),
    figures: { sessions: sessions(), sessions_crashed: crashed(), errors: errors() },
    adoption: adoption(),
    repository: repository()
  })
}

function toRows(
  { releases, figures, adoption, repository }: ProjectReleases,
  { commits, deploys }: Sent,
  view: View
): ReleaseRow[] {
  const [from, until] = hoursOf(stepsOf(view))
  const perPoint = Math.ceil((until - from) / MAX_POINTS)
  const noPoints = () => Array.from({ length: Math.ceil((until - from) / perPoint) }, () => 0)
  const found = new Map<string, number[]>()
  for (const name of FIGURES)
    for (const { release, hour, quantity } of figures[name]) {
      const points = getOrInsert(found, `${name} ${release}`, noPoints)
      points[Math.floor((hour - from) / perPoint)]! += quantity
    }
  return releases.map(({ commitId, ...row }): ReleaseRow => {
    const points = (name: ReleaseFigure) => found.get(`${name} ${row.id}`) ?? []
    const sessions = sum(points('sessions'))
    const share = crashFree(sessions, sum(points('sessions_crashed')))
    const adopted = adoption.get(row.id)
    const commit = commitId ?? commitOf(row.version)
    return {
      ...row,
      ...(commit !== undefined && { commit }),
      ...(commit !== undefined && repository && { commitHref: toCommitHref(repository, commit) }),
      sessions,
      errors: sum(points('errors')),
      ...(share !== null && { crashFree: share }),
      ...(adoption.size > 0 && { adoption: adopted ?? 0 }),
      ...describeSent(commits.get(row.id), deploys.get(row.id), repository),
      series: {
        start: from * HOUR,
        step: perPoint * HOUR,
        points: found.get(`sessions ${row.id}`) ?? noPoints()
      }
    }
  })
}

/** Commits and deploys that build tools sent, by release. */
interface Sent {
  commits: Map<number, ReleaseCommit[]>
  deploys: Map<number, DeployRow[]>
}

/** Asks for commits and deploys that build tools sent. */
function askSent(store: Store, releases: readonly FoundRelease[]): () => Sent {
  const list = toList(releases.map(({ id }) => id))
  const commits = store.ask<{ release: number }>(
    `SELECT release, commit_id AS id, title, author, at FROM release_commit
     WHERE ${isAmong('release')} ORDER BY release, position`,
    list
  )
  const deploys = store.ask<{ release: number }>(
    `SELECT release, id, environment, name, url, started, finished FROM deploy
     WHERE id IN (SELECT max(id) FROM deploy WHERE ${isAmong('release')}
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
    const all = sum([...shares.values()])
    if (all <= 0) return new Map()
    for (const [id, quantity] of shares) shares.set(id, quantity / all)
    return shares
  }
}
