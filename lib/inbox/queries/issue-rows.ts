import { DAY, HOUR } from '../buckets.ts'
import type { Store } from '../store.ts'
import { findNewestRelease } from './scope.ts'
import { toList } from './sql.ts'
import type { IssueRow } from './types.ts'

const HOURS = 24

/** As the row has it. */
interface StoredIssue extends Pick<
  IssueRow,
  'id' | 'project' | 'type' | 'value' | 'culprit' | 'level' | 'side' | 'state' | 'events' | 'visitors' | 'version'
> {
  first_seen: number
  last_seen: number
  first_release: number | null
  last_release: number | null
  changed: number | null
}

/** Issues as lists show them, in the order of their ids here; those that are gone are left out. */
export function readIssueRows(store: Store, ids: readonly number[], now: number): IssueRow[] {
  if (ids.length === 0) return []
  const list = toList(ids)
  const stored = store.all<StoredIssue>(
    `SELECT i.id, i.project, i.type, i.value, i.culprit, i.level, i.side, i.state, i.first_seen, i.last_seen,
       i.first_release, i.last_release, i.events, i.visitors, i.changed, i.version
     FROM json_each(?) AS wanted CROSS JOIN issue i ON i.id = wanted.value`,
    list
  )
  const hours = readHours(store, list, now)
  const versions = readVersions(store, stored)
  const newest = new Map(
    [...new Set(stored.map(({ project }) => project))].map((project) => [project, findNewestRelease(store, project)])
  )
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
    hours: hours.get(issue.id) ?? Array.from({ length: HOURS }, () => 0),
    version: issue.version
  }))
}

/** Few, since most of a page are of the same releases. */
function readVersions(store: Store, issues: readonly StoredIssue[]): Map<number | null, string> {
  const ids = new Set(issues.flatMap((issue) => [issue.first_release ?? [], issue.last_release ?? []].flat()))
  const rows = store.all<{ id: number; version: string }>(
    'SELECT id, version FROM release WHERE id IN (SELECT value FROM json_each(?))',
    toList([...ids])
  )
  return new Map(rows.map(({ id, version }) => [id, version]))
}

const optional = <Name extends string>(name: Name, value: string | undefined): { [N in Name]?: string } =>
  value === undefined ? {} : ({ [name]: value } as { [N in Name]?: string })

function isNew(issue: StoredIssue, newest: number | undefined, now: number): boolean {
  if (issue.state !== 'unresolved' || issue.changed !== null) return false
  return issue.first_seen >= now - DAY || (newest !== undefined && issue.first_release === newest)
}

/** Events of the last hours by issue, the hour that has begun being the last. */
function readHours(store: Store, list: string, now: number): Map<number, number[]> {
  const first = Math.floor(now / HOUR) - HOURS + 1
  const rows = store.all<{ issue: number; hour: number; events: number }>(
    `SELECT h.issue, h.hour, h.events FROM json_each(?) AS wanted
       CROSS JOIN issue_hour h ON h.issue = wanted.value AND h.hour >= ? AND h.hour < ?`,
    list,
    first,
    first + HOURS
  )
  const hours = new Map<number, number[]>()
  for (const { issue, hour, events } of rows) {
    let series = hours.get(issue)
    if (!series) hours.set(issue, (series = Array.from({ length: HOURS }, () => 0)))
    series[hour - first] = events
  }
  return hours
}
