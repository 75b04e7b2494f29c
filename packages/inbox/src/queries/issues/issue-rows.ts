import { DAY } from '@hull/common/time.ts'
import type { View } from '../../store/model.ts'
import { HAS_RUN } from '../../store/projects.ts'
import type { Store } from '../../store/store.ts'
import { askPoints } from './issue-events.ts'
import { stepsOf } from '../rollups/time-buckets.ts'
import { toList } from '../sql.ts'
import type { IssueRow } from './issue-types.ts'

/** Row as stored. */
interface StoredIssue extends Pick<
  IssueRow,
  'id' | 'project' | 'type' | 'value' | 'culprit' | 'level' | 'side' | 'state' | 'events' | 'visitors' | 'version'
> {
  first_seen: number
  last_seen: number
  first_release: number | null
  first_version: string | null
  last_version: string | null
  newest_release: number | null
  changed: number | null
  assignee: number | null
  assignee_name: string | null
}

/** Options of {@link askIssueRows}. */
interface RowsInput {
  ids: readonly number[]
  /** Range whose events are counted. */
  view: Pick<View, 'since' | 'until' | 'range' | 'environment' | 'release'>
  now: number
  /** Their events, if they were read before. */
  series?: IssueSeries | undefined
}

/** Events by issue, at each point of the range. */
export type IssueSeries = Map<number, number[]>

/** Issues as lists show them, in the order of `ids`. Deleted issues are left out. */
export const readIssueRows = (store: Store, input: RowsInput): IssueRow[] => askIssueRows(store, input)()

/** Asks for {@link readIssueRows}. */
export function askIssueRows(store: Store, { ids, view, now, series }: RowsInput): () => IssueRow[] {
  if (ids.length === 0) return () => []
  const askedIssues = store.ask<StoredIssue>(
    `SELECT i.id, i.project, i.type, i.value, i.culprit, i.level, i.side, i.state, i.first_seen, i.last_seen,
       i.first_release, i.events, i.visitors, i.changed, i.version, i.assignee, p.name AS assignee_name,
       (SELECT version FROM release WHERE id = i.first_release) AS first_version,
       (SELECT version FROM release WHERE id = i.last_release) AS last_version,
       (SELECT id FROM release WHERE project = i.project AND ${HAS_RUN} ORDER BY id DESC LIMIT 1) AS newest_release
     FROM json_each(?) AS wanted CROSS JOIN issue i ON i.id = CAST(wanted.value AS BIGINT) LEFT JOIN person p ON p.id = i.assignee`,
    toList(ids)
  )
  const readPoints = series ? () => series : askSeries(store, ids, view)
  return () => {
    // PostgreSQL joins in any order.
    const stored = new Map(askedIssues().map((issue) => [issue.id, issue]))
    const points = readPoints()
    return ids.flatMap((id) => {
      const issue = stored.get(id)
      return issue ? [toIssueRow(issue, points.get(id)!, now)] : []
    })
  }
}

const toIssueRow = (issue: StoredIssue, points: number[], now: number): IssueRow => ({
  id: issue.id,
  project: issue.project,
  type: issue.type,
  value: issue.value,
  culprit: issue.culprit,
  level: issue.level,
  side: issue.side,
  state: issue.state,
  isNew: isNew(issue, now),
  firstSeen: issue.first_seen,
  lastSeen: issue.last_seen,
  ...(issue.first_version !== null && { firstRelease: issue.first_version }),
  ...(issue.last_version !== null && { lastRelease: issue.last_version }),
  events: issue.events,
  visitors: issue.visitors,
  eventsInRange: sum(points),
  points,
  version: issue.version,
  ...(issue.assignee !== null && { assignee: { id: issue.assignee, name: issue.assignee_name ?? '' } })
})

function isNew(issue: StoredIssue, now: number): boolean {
  if (issue.state !== 'unresolved' || issue.changed !== null) return false
  return issue.first_seen >= now - DAY || (issue.first_release !== null && issue.first_release === issue.newest_release)
}

/** Asks for the events of issues in the range. */
export function askSeries(store: Store, ids: readonly number[], view: RowsInput['view']): () => IssueSeries {
  const steps = stepsOf(view)
  const rows = askPoints(store, view, steps, toList([...new Set(ids)]))
  return () => {
    const series: IssueSeries = new Map(ids.map((id) => [id, Array.from({ length: steps.count }, () => 0)]))
    for (const { issue, point, events } of rows()) series.get(issue)![point] = events
    return series
  }
}

export const sum = (points: readonly number[]): number => points.reduce((all, point) => all + point, 0)
