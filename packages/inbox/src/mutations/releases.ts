import { InboxReleaseNotFound } from '../errors.ts'
import { Releases } from '../store/projects.ts'
import type { Store } from '../store/store.ts'
import { describeUpload, recordAudit } from './audit.ts'
import { writeRow } from '../store/rows.ts'
import { isAmong } from '../queries/sql.ts'
import type { TokenAuthor, ReleaseCommit } from './release-types.ts'

/** Maximum commits of a release, and deploys of a release. A guess. */
const MAX_COMMITS = 50
const MAX_DEPLOYS = 100

/** Maximum characters of a commit's title, a name or an environment. */
const MAX_TEXT = 200

/**
 * Adds to a release.
 * @param creates whether each of the projects then has the release; otherwise only those that have it are changed
 * @param commits newest first; they replace the earlier ones
 * @throws InboxReleaseNotFound
 */
export function declareRelease(
  store: Store,
  input: TokenAuthor & {
    version: string
    projects: number[]
    creates: boolean
    /** Milliseconds since the epoch at which it was finalized. */
    released?: number | undefined
    commit?: string | undefined
    commits?: ReleaseCommit[] | undefined
    at: number
  }
): void {
  const { version, projects, creates, released, commit, commits, at, by, token } = input
  const releases = creates ? addReleases(store, projects, version, at) : findReleases(store, projects, version)
  const declared = releases.map(({ project }) => project)
  recordAudit(store, 'release-declared', { who: by, detail: describeUpload(store, version, declared, token) })
  for (const { id } of releases) {
    if (released !== undefined) store.write('UPDATE release SET released = ? WHERE id = ?', released, id)
    const newest = commit ?? commits?.[0]?.id
    if (newest !== undefined) store.write('UPDATE release SET commit_id = ? WHERE id = ?', newest, id)
    if (commits === undefined) continue
    store.write('DELETE FROM release_commit WHERE release = ?', id)
    for (const [position, { id: commitId, title, author, at: time }] of commits.slice(0, MAX_COMMITS).entries())
      writeRow(store, 'release_commit', {
        release: id,
        position,
        commit_id: commitId,
        title: title.slice(0, MAX_TEXT),
        author: author?.slice(0, MAX_TEXT),
        at: time
      })
  }
}

/** Records that a release was deployed, in those of the projects that have it. @throws InboxReleaseNotFound */
export function addDeploy(
  store: Store,
  input: TokenAuthor & {
    version: string
    projects: number[]
    environment: string
    name?: string | undefined
    url?: string | undefined
    started?: number | undefined
    finished: number
  },
  now = Date.now()
): void {
  const { version, environment, name, url, started, finished, by, token } = input
  const projects = findReleases(store, input.projects, version).map(({ project }) => project)
  recordAudit(store, 'release-deployed', {
    who: by,
    detail: describeUpload(store, `${version} · ${environment}`, projects, token)
  })
  const releases = new Releases(store)
  for (const project of projects) {
    const id = releases.addRunning(project, version, now)
    writeRow(store, 'deploy', {
      release: id,
      environment: environment.slice(0, MAX_TEXT),
      name: name?.slice(0, MAX_TEXT),
      url,
      started,
      finished
    })
    store.write(
      'DELETE FROM deploy WHERE release = ? AND id <= (SELECT id FROM deploy WHERE release = ? ORDER BY id DESC LIMIT 1 OFFSET ?)',
      id,
      id,
      MAX_DEPLOYS
    )
  }
}

interface ProjectRelease {
  id: number
  project: number
}

function addReleases(store: Store, projects: readonly number[], version: string, at: number): ProjectRelease[] {
  const releases = new Releases(store)
  return projects.map((project) => ({ id: releases.declare(project, version, at), project }))
}

/** Releases of the projects that have this version. */
function findReleases(store: Store, projects: readonly number[], version: string): ProjectRelease[] {
  const found = store.all<ProjectRelease>(
    `SELECT id, project FROM release WHERE version = ? AND ${isAmong('project')}`,
    version,
    JSON.stringify(projects)
  )
  if (found.length === 0) throw new InboxReleaseNotFound(version)
  return found
}
