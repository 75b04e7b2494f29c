import type { Store } from '../store/store.ts'

/** Releases of a project that are looked at for markers and choices. */
const MAX_RELEASES = 100

/** The newest of a project by first boot or first event; undefined where it has none. */
export const findNewestRelease = (store: Store, project: number): number | undefined =>
  store.get<{ id: number }>('SELECT id FROM release WHERE project = ? ORDER BY id DESC LIMIT 1', project)?.id

/** The newest first. */
export const listReleases = (store: Store, project: number): { id: number; version: string; at: number }[] =>
  store.all(
    'SELECT id, version, first_seen AS at FROM release WHERE project = ? ORDER BY id DESC LIMIT ?',
    project,
    MAX_RELEASES
  )

/** Projects that take something; of a view that names one, that one. */
export const projectsOf = (store: Store, project: number | undefined): number[] =>
  project === undefined
    ? store.all<{ id: number }>('SELECT id FROM project WHERE removed IS NULL ORDER BY id').map(({ id }) => id)
    : [project]
