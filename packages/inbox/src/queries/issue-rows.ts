import { DAY } from '@hull/common/time.ts'
import type { View } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { findNewestReleases } from './scope.ts'
import { askHours, scopeOf } from './issue-events.ts'
import { pointOf, stepsOf } from './time-buckets.ts'
import { toList } from './sql.ts'
import type { IssueRow } from './types.ts'

/** Row as stored. */
interface StoredIssue extends Pick<
  IssueRow,
  'id' | 'project' | 'type' | 'value' | 'culprit' | 'level' | 'side' | 'state' | 'events' | 'visitors' | 'version'
> {
  first_seen: number
  last_seen: number
  first_release: number | null
  last_release: number | null
  changed: number | null
  assignee: number | null
  assignee_name: string | null
}

/** Options of {@link readIssueRows}. */
interface RowsInput {
  ids: readonly number[]
  /** Range whose events are counted. */
  view: Pick<View, 'since' | 'until' | 'environment' | 'release'>
  now: number
}

/** Issues as lists show them, in the order of `ids`. Deleted issues are left out. */
export function readIssueRows(store: Store, { ids, view, now }: RowsInput): IssueRow[] {
  if (ids.length === 0) return []
  const list = toList(ids)
  const askedIssues = store.ask<StoredIssue>(
    `SELECT i.id, i.project, i.type, i.value, i.culprit, i.level, i.side, i.state, i.first_seen, i.last_seen,
       i.first_release, i.last_release, i.events, i.visitors, i.changed, i.version, i.assignee, p.name AS assignee_name
     FROM json_each(?) AS wanted CROSS JOIN issue i ON i.id = CAST(wanted.value AS BIGINT) LEFT JOIN person p ON p.id = i.assignee`,
    list
  )
  const askedPoints = askPoints(store, list, view)
  const stored = askedIssues()
  const askedVersions = askVersions(store, stored)
  const newest = findNewestReleases(store, [...new Set(stored.map(({ project }) => project))])
  const versions = askedVersions()
  const { count, points } = askedPoints()
  return stored.map((issue) => ({
    id: issue.id,
    project: issue.project,
    type: issue.type,
    value: issue.value,
    culprit: issue.culprit,
    level: issue.level,
    side: issue.side,
    state: issue.state,
    isNew: isNew(issue, newest.get(issue.project), now),
    firstSeen: issue.first_seen,
    lastSeen: issue.last_seen,
    ...optional('firstRelease', versions.get(issue.first_release)),
    ...optional('lastRelease', versions.get(issue.last_release)),
    events: issue.events,
    visitors: issue.visitors,
    eventsInRange: points.get(issue.id)?.reduce((sum, events) => sum + events) ?? 0,
    points: points.get(issue.id) ?? Array.from({ length: count }, () => 0),
    version: issue.version,
    ...(issue.assignee !== null && { assignee: { id: issue.assignee, name: issue.assignee_name ?? '' } })
  }))
}

/** Most issues of a page share releases, so there are few names to read. */
function askVersions(store: Store, issues: readonly StoredIssue[]): () => Map<number | null, string> {
  const ids = new Set(issues.flatMap((issue) => [issue.first_release ?? [], issue.last_release ?? []].flat()))
  const rows = store.ask<{ id: number; version: string }>(
    'SELECT id, version FROM release WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))',
    toList([...ids])
  )
  return () => new Map(rows().map(({ id, version }) => [id, version]))
}

const optional = <Name extends string>(name: Name, value: string | undefined): { [N in Name]?: string } =>
  value === undefined ? {} : ({ [name]: value } as { [N in Name]?: string })

function isNew(issue: StoredIssue, newest: number | undefined, now: number): boolean {
  if (issue.state !== 'unresolved' || issue.changed !== null) return false
  return issue.first_seen >= now - DAY || (newest !== undefined && issue.first_release === newest)
}

/** Asks for the events per issue and point of the range. */
function askPoints(store: Store, list: string, view: RowsInput['view']) {
  const steps = stepsOf(view)
  const rows = askHours(store, scopeOf(store, view, steps), list)
  return () => {
    const points = new Map<number, number[]>()
    for (const { issue, hour, events } of rows()) {
      let series = points.get(issue)
      if (!series) points.set(issue, (series = Array.from({ length: steps.count }, () => 0)))
      series[pointOf(steps, hour)]! += events
    }
    return { count: steps.count, points }
  }
}
