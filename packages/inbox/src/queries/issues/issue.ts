import { InboxIssueNotFound } from '../../errors.ts'
import { DAY } from '@hull/common/time.ts'
import type { View } from '../../store/model.ts'
import type { Row, Store } from '../../store/store.ts'
import { askActivity } from './activity.ts'
import { askIssueRows, askSeries } from './issue-rows.ts'
import { oldestFirst, toMarkers } from '../overview/overview.ts'
import { askIssue } from './require-issue.ts'
import { askReleasesOfIssue, canSee } from '../scope.ts'
import { toPlain } from '../plain-row.ts'
import { endOf, stepsOf } from '../rollups/time-buckets.ts'
import type { IssueDetail } from './issue-types.ts'
import type { ReleaseMarker, Series } from '../overview/overview-types.ts'

/** Maximum number of grouping keys to show. An issue has one, plus one for each issue merged into it. */
const MAX_KEYS = 100

type StateDetail = Pick<IssueDetail, 'resolvedRelease' | 'ignoredUntilEvents' | 'ignoredUntil' | 'inOldRelease'>

/** Asks for an issue. The result throws InboxIssueNotFound. */
export function askIssueDetail(store: Store, { id }: { id: number }): () => IssueDetail {
  const requireIssue = askIssue(store, id)
  const now = Date.now()
  const details = store.ask(
    `SELECT r.version AS resolvedRelease, i.resolved_in_next AS resolvedInNext,
       i.ignored_until_events AS ignoredUntilEvents, i.ignored_until AS ignoredUntil, i.in_old_release AS inOldRelease
     FROM issue i LEFT JOIN release r ON r.id = i.resolved_release WHERE i.id = ?`,
    id
  )
  const keys = askKeys(store, id)
  const activity = askActivity(store, id)
  const rows = askIssueRows(store, { ids: [id], view: { since: now - DAY, until: now }, now })
  return () => {
    requireIssue()
    const [row] = rows()
    const [stored] = details()
    if (!row || !stored) throw new InboxIssueNotFound()
    return {
      ...row,
      ...toPlain<StateDetail>(stored),
      resolvedInNext: stored['resolvedInNext'] !== 0,
      keys: keys(),
      ...activity()
    }
  }
}

function askKeys(store: Store, issue: number): () => IssueDetail['keys'] {
  const rows = store.ask<Row & { why: string }>(
    `SELECT id, key, algorithm, why, created, merged_from AS mergedFrom FROM issue_key WHERE issue = ? ORDER BY id LIMIT ?`,
    issue,
    MAX_KEYS
  )
  return () => rows().map((key) => ({ ...toPlain<IssueDetail['keys'][number]>(key), why: JSON.parse(key.why) }))
}

/** Target of the merge; undefined if the issue was not merged. */
export function findMerged(store: Store, { id }: { id: number }): number | undefined {
  const found = store.get<{ issue: number; project: number }>(
    'SELECT issue, project FROM issue_key WHERE merged_from = ? LIMIT 1',
    id
  )
  return found && canSee(store, found.project) ? found.issue : undefined
}

/** Asks for the events per point. The result throws InboxIssueNotFound. */
export function askIssueSeries(
  store: Store,
  { id, view }: { id: number; view: View }
): () => { series: Series; releases: ReleaseMarker[] } {
  const requireIssue = askIssue(store, id)
  const steps = stepsOf(view)
  const readSeries = askSeries(store, [id], view)
  const releases = askReleasesOfIssue(store, id, endOf(steps))
  return () => {
    requireIssue()
    const points = readSeries().get(id)!
    const markers = toMarkers(oldestFirst(releases()), steps)
    return { series: { start: steps.start, step: steps.step, points }, releases: markers }
  }
}
