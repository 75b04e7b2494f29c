import { commitOf, isRepositoryHost, type Repository } from '../../web/repository.ts'
import type { Store } from '../../store/store.ts'
import { canSee } from '../scope.ts'

/** A project's repository. */
export interface RepositoryView extends Repository {
  /** Commit of the release; undefined if neither the application nor the version names one. */
  commit?: string
}

/** Asks for the repository of a project, with the commit of a release; undefined if it has none. @param release version */
export function askRepository(
  store: Store,
  { project, release }: { project: number; release?: string }
): () => RepositoryView | undefined {
  if (!canSee(store, project)) return () => undefined
  const rows = store.ask<Record<'host' | 'url' | 'folder' | 'commit_id', string | null>>(
    `SELECT repository_host AS host, repository_url AS url, repository_folder AS folder, release.commit_id FROM project
     LEFT JOIN release ON release.project = project.id AND release.version = ? WHERE project.id = ?`,
    release ?? '',
    project
  )
  return () => {
    const [row] = rows()
    if (!row?.host || !row.url || !isRepositoryHost(row.host)) return undefined
    const commit = row.commit_id ?? (release === undefined ? undefined : commitOf(release))
    const { host, url, folder } = row
    return { host, url, ...(folder !== null && { folder }), ...(commit !== undefined && { commit }) }
  }
}
