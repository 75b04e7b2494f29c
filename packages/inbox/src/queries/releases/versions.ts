import type { Store } from '../../store/store.ts'
import { listProjects } from '../projects.ts'
import { askReleases, projectsOf } from '../scope.ts'
import type { Project } from '../../store/model.ts'

/** Choices of the menus at the top of each screen. */
export interface Choices {
  projects: Project[]
  /** With recent data, by name. */
  environments: string[]
  /** Newest first, at most 100. */
  versions: string[]
}

const MAX_VERSIONS = 100

/** Asks for the versions of releases, newest first. */
export function askVersions(store: Store, projects: readonly number[]): () => string[] {
  const asked = projects.map((project) => askReleases(store, project))
  return () => {
    const releases = asked.flatMap((rows) => rows()).sort((a, b) => b.at - a.at)
    return [...new Set(releases.map(({ version }) => version))].slice(0, MAX_VERSIONS)
  }
}

/** Asks for environments with recent data, by name. */
export function askEnvironments(store: Store, projects: readonly number[]): () => string[] {
  const sql = `SELECT name FROM known_name WHERE project = ? AND kind = 'environment'`
  const asked = projects.map((project) => store.ask<{ name: string }>(sql, project))
  return () => [...new Set(asked.flatMap((rows) => rows()).map(({ name }) => name))].sort()
}

/**
 * Asks for the choices of the menus at the top of each screen, as far as the person may read them.
 * @param project its environments and versions @default those of all projects
 */
export function askChoices(store: Store, { project }: { project?: number }): () => Choices {
  const projects = listProjects(store)
  const chosen = project === undefined ? projects.map(({ id }) => id) : projectsOf(store, project)
  const environments = askEnvironments(store, chosen)
  const versions = askVersions(store, chosen)
  return () => ({ projects, environments: environments(), versions: versions() })
}
