import type { Store } from '../../store/store.ts'
import { toPlain } from '../plain-row.ts'
import { projectsOf } from '../scope.ts'
import { toList } from '../sql.ts'
import type { DeployRow, ReleaseInfo } from './release-types.ts'

interface Row extends Omit<ReleaseInfo, 'projects'> {
  projects: string
}

/* CROSS JOIN keeps the order of the tables, so that rows are found by their keys. */

const COLUMNS = `release.version, min(release.id) AS id, min(first_seen) AS created, max(last_seen) AS lastSeen,
  max(released) AS released, sum(new_issues) AS newIssues, json_group_array(release.project) AS projects,
  max(commit_id) AS "commit",
  max((SELECT count(*) FROM release_commit WHERE release_commit.release = release.id)) AS commits,
  sum((SELECT count(*) FROM deploy WHERE deploy.release = release.id)) AS deploys`

/** A release of all projects that have its version; undefined if none has. */
export function getRelease(store: Store, { version }: { version: string }): ReleaseInfo | undefined {
  const row = store.get<Row>(
    `SELECT ${COLUMNS} FROM json_each(?) AS wanted CROSS JOIN release ON release.project = CAST(wanted.value AS BIGINT) AND version = ?
     GROUP BY version`,
    visible(store),
    version
  )
  return row && { ...row, projects: JSON.parse(row.projects) as number[] }
}

/** The newest release before this one that has a commit; undefined if there is none. */
export function getPreviousRelease(store: Store, { version }: { version: string }): ReleaseInfo | undefined {
  const row = store.get<{ version: string }>(
    `SELECT before.version FROM json_each(?) AS wanted
       CROSS JOIN release ON release.project = CAST(wanted.value AS BIGINT) AND release.version = ?
       CROSS JOIN release AS before ON before.project = CAST(wanted.value AS BIGINT) AND before.id < release.id
     WHERE before.commit_id IS NOT NULL ORDER BY before.id DESC LIMIT 1`,
    visible(store),
    version
  )
  return row && getRelease(store, row)
}

/** Newest first, at most 100. */
export function listDeploys(store: Store, { version }: { version: string }): DeployRow[] {
  return store
    .all(
      `SELECT deploy.id, environment, name, url, started, finished FROM json_each(?) AS wanted
         CROSS JOIN release ON release.project = CAST(wanted.value AS BIGINT) AND version = ?
         CROSS JOIN deploy ON deploy.release = release.id
       ORDER BY deploy.id DESC LIMIT 100`,
      visible(store),
      version
    )
    .map(toPlain<DeployRow>)
}

const visible = (store: Store): string => toList(projectsOf(store, undefined))
