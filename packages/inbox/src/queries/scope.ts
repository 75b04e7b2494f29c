import { roleIn } from '../access/roles.ts'
import { HAS_RUN, readProjects } from '../store/projects.ts'
import type { Store } from '../store/store.ts'
import type { ReleaseMarker } from './overview/overview-types.ts'
import { isAmong, toList } from './sql.ts'

/** Maximum releases of a project to read for chart markers and filter menus. */
const MAX_RELEASES = 100

/**
 * Asks for the newest releases by their first boot, deploy or event, by project. Projects without releases are left out.
 */
export function askNewestReleases(store: Store, projects: readonly number[]): () => Map<number, number> {
  const asked = projects.map((project) =>
    store.ask<{ id: number; project: number }>(
      `SELECT id, project FROM release WHERE project = ? AND ${HAS_RUN} ORDER BY id DESC LIMIT 1`,
      project
    )
  )
  return () => new Map(asked.flatMap((rows) => rows()).map(({ id, project }) => [project, id]))
}

/**
 * SQL for releases of a project by their first boot, deploy or event, newest first, that began before a time.
 * @param project SQL of its id
 */
const releasesOf = (project: string) =>
  `SELECT version, first_seen AS at FROM release WHERE project = ${project} AND ${HAS_RUN} AND first_seen < ?
   ORDER BY id DESC LIMIT ?`

/**
 * Asks for the releases of a project, newest first.
 * @param range.before milliseconds since the epoch before which they began @default all
 */
export const askReleases = (
  store: Store,
  project: number,
  { before = Number.MAX_SAFE_INTEGER, limit = MAX_RELEASES }: { before?: number; limit?: number } = {}
): (() => ReleaseMarker[]) => store.ask(releasesOf('?'), project, before, limit)

/** Asks for the releases of an issue's project that began before a time, newest first. */
export const askReleasesOfIssue = (store: Store, issue: number, before: number): (() => ReleaseMarker[]) =>
  store.ask(releasesOf('(SELECT project FROM issue WHERE id = ?)'), issue, before, MAX_RELEASES)

/** Projects that accept envelopes, or only the one that the view names, as far as the person may read them. */
export const projectsOf = (store: Store, project: number | undefined): number[] =>
  (project === undefined ? readProjects(store).map(({ id }) => id) : [project]).filter((id) => canSee(store, id))

/** Whether the person for whom the query runs may read the project. */
export const canSee = (store: Store, project: number): boolean =>
  store.grants === undefined || roleIn(store.grants, project) !== 'none'

/** Rows of projects that the person may read. */
export const visibleOf = <T extends { project: number }>(store: Store, rows: T[]): T[] =>
  store.grants === undefined ? rows : rows.filter(({ project }) => canSee(store, project))

/** Projects that the person may read, as the list for {@link isVisible}; null for all. */
export const visibleTo = (store: Store): string | null => (store.grants ? toList(projectsOf(store, undefined)) : null)

/**
 * SQL for whether the person may read a project.
 * @param project SQL of its id
 * @param visible place of the list of {@link visibleTo}, such as `?2`
 */
export const isVisible = (project: string, visible: string): string =>
  `(${isAmong(project, visible)} OR ${visible} IS NULL)`
