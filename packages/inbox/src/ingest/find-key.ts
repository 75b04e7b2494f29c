import type { IngestContext } from './context.ts'
import { addSearch, type IssueTitle } from './issue-title.ts'
import type { EventRecord } from './record-event.ts'

export interface FoundKey {
  id: number
  issue: number
  isNew: boolean
}

/** The issue that an event's key leads to; made where there is none yet. */
export function findKey(record: EventRecord, words: IssueTitle, context: IngestContext): FoundKey {
  const { store, project } = context
  const known = store.get<{ id: number; issue: number }>(
    'SELECT id, issue FROM issue_key WHERE project = ? AND key = ?',
    project,
    record.grouping.key
  )
  return known ? { id: known.id, issue: known.issue, isNew: false } : addIssue(record, words, context)
}

function addIssue({ detail, grouping, release }: EventRecord, words: IssueTitle, context: IngestContext): FoundKey {
  const { store, project, receivedAt } = context
  const { at, side, url } = detail
  const issue = store.run(
    `INSERT INTO issue (project, type, value, culprit, level, side, first_seen, last_seen, first_release)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    project,
    words.type,
    words.value,
    words.culprit,
    words.level,
    side,
    at,
    at,
    release
  ).id
  const { id } = store.run(
    'INSERT INTO issue_key (project, key, issue, algorithm, why, created) VALUES (?, ?, ?, ?, ?, ?)',
    project,
    grouping.key,
    issue,
    grouping.algorithm,
    JSON.stringify(grouping.why),
    receivedAt
  )
  addSearch(store, issue, words, url)
  store.run(`INSERT INTO activity (issue, at, kind) VALUES (?, ?, 'created')`, issue, at)
  if (release !== null) store.run('UPDATE release SET new_issues = new_issues + 1 WHERE id = ?', release)
  return { id, issue, isNew: true }
}
