import type { Store } from '../store/store.ts'
import { listReleases, projectsOf } from './scope.ts'

const MAX_VERSIONS = 100

/** Releases, newest first. */
export function listVersions(store: Store, { project }: { project?: number }): string[] {
  const releases = projectsOf(store, project).flatMap((id) => listReleases(store, id))
  const sorted = releases.sort((a, b) => b.at - a.at).map(({ version }) => version)
  return [...new Set(sorted)].slice(0, MAX_VERSIONS)
}

/** Environments with recent data, by name. */
export function listEnvironments(store: Store, { project }: { project?: number }): string[] {
  const names = projectsOf(store, project).flatMap((id) =>
    store.all<{ name: string }>(`SELECT name FROM known_name WHERE project = ? AND kind = 'environment'`, id)
  )
  return [...new Set(names.map(({ name }) => name))].sort()
}
