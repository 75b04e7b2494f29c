import type { Store } from '../../store/store.ts'
import { listProjects } from '../projects.ts'
import { askReleases, projectsOf } from '../scope.ts'
import type { Choices } from '../types.ts'

const MAX_VERSIONS = 100

/** Releases, newest first. */
export function listVersions(store: Store, { project }: { project?: number }): string[] {
  return toVersions(projectsOf(store, project).map((id) => askReleases(store, id)))
}

function toVersions(asked: ReturnType<typeof askReleases>[]): string[] {
  const releases = asked.flatMap((rows) => rows()).sort((a, b) => b.at - a.at)
  return [...new Set(releases.map(({ version }) => version))].slice(0, MAX_VERSIONS)
}

/** Environments with recent data, by name. */
export function listEnvironments(store: Store, { project }: { project?: number }): string[] {
  return toEnvironments(projectsOf(store, project).map((id) => askEnvironments(store, id)))
}

const askEnvironments = (store: Store, project: number): (() => { name: string }[]) =>
  store.ask(`SELECT name FROM known_name WHERE project = ? AND kind = 'environment'`, project)

const toEnvironments = (asked: ReturnType<typeof askEnvironments>[]): string[] =>
  [...new Set(asked.flatMap((rows) => rows()).map(({ name }) => name))].sort()

/** Asks for the choices of the menus at the top of each screen, as far as the person may read them. */
export function askChoices(store: Store, { project }: { project?: number }): () => Choices {
  const projects = listProjects(store)
  const chosen = project === undefined ? projects.map(({ id }) => id) : projectsOf(store, project)
  const environments = chosen.map((id) => askEnvironments(store, id))
  const versions = chosen.map((id) => askReleases(store, id))
  return () => ({ projects, environments: toEnvironments(environments), versions: toVersions(versions) })
}
