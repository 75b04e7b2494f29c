import { DAY } from '@hull/common/time.ts'
import type { View } from '../../store/model.ts'
import { HAS_RUN } from '../../store/projects.ts'
import type { Store } from '../../store/store.ts'
import { askPoints } from './issue-events.ts'
import { stepsOf } from '../rollups/time-buckets.ts'
import { toList } from '../sql.ts'
import type { IssueRow } from './issue-types.ts'

/** Row as stored. */
interface StoredIssue extends Omit<
  IssueRow,
  'isNew' | 'firstRelease' | 'lastRelease' | 'eventsInRange' | 'points' | 'assignee'
> {
  isNew: number
  firstRelease: string | null
  lastRelease: string | null
  assignee: number | null
  assigneeName: string | null
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

/** Asks for issues as lists show them, in the order of `ids`. Deleted issues are left out. */
export function askIssueRows(store: Store, { ids, view, now, series }: RowsInput): () => IssueRow[] {
  if (ids.length === 0) return () => []
  const askedIssues = store.ask<StoredIssue>(
    `SELECT i.id, i.project, i.type, i.value, i.culprit, i.level, i.side, i.state, i.first_seen AS firstSeen,
       i.last_seen AS lastSeen, i.events, i.visitors, i.version, i.assignee, p.name AS assigneeName,
       (SELECT version FROM release WHERE id = i.first_release) AS firstRelease,
       (SELECT version FROM release WHERE id = i.last_release) AS lastRelease,
       (i.state = 'unresolved' AND i.changed IS NULL AND (i.first_seen >= ?1 OR i.first_release =
         (SELECT id FROM release WHERE project = i.project AND ${HAS_RUN} ORDER BY id DESC LIMIT 1))) IS TRUE AS isNew
     FROM json_each(?2) AS wanted CROSS JOIN issue i ON i.id = CAST(wanted.value AS BIGINT) LEFT JOIN person p ON p.id = i.assignee`,
    now - DAY,
    toList(ids)
  )
  const readPoints = series ? () => series : askSeries(store, ids, view)
  return () => {
    // PostgreSQL joins in any order.
    const stored = new Map(askedIssues().map((issue) => [issue.id, issue]))
    const points = readPoints()
    return ids.flatMap((id) => {
      const issue = stored.get(id)
      return issue ? [toIssueRow(issue, points.get(id)!)] : []
    })
  }
}

function toIssueRow(issue: StoredIssue, points: number[]): IssueRow {
  const { firstRelease, lastRelease, assignee, assigneeName, ...row } = issue
  return {
    ...row,
    isNew: issue.isNew === 1,
    ...(firstRelease !== null && { firstRelease }),
    ...(lastRelease !== null && { lastRelease }),
    eventsInRange: sum(points),
    points,
    ...(assignee !== null && { assignee: { id: assignee, name: assigneeName ?? '' } })
  }
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
