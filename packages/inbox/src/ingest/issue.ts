import type { IngestContext } from './context.ts'
import type { EventRecord } from './record-event.ts'
import type { EventDetail, Level } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { clip } from '@hull/common/visible-text.ts'
import { mainException } from '../web/error-title.ts'

/** A grouping key and its issue. */
export interface IssueKey {
  id: number
  issue: number
}

/** Names a grouping key of a project. */
export const toKeyName = (project: number, key: string): string => `${project} ${key}`

/** Returns the stored keys of events, by {@link toKeyName}. */
export function readKeys(store: Store, records: readonly EventRecord[]): Map<string, IssueKey> {
  const found = new Map<string, IssueKey>()
  for (const [project, group] of Map.groupBy(records, ({ context }) => context.project))
    for (const { key, ...row } of store.allIn<IssueKey & { key: string }>(
      'SELECT id, key, issue FROM issue_key WHERE project = ? AND key IN (:keys)',
      group.map(({ grouping }) => grouping.key),
      project
    ))
      found.set(toKeyName(project, key), row)
  return found
}

/** Creates the issue of an event's key. */
export function addIssue(
  { detail, grouping, release }: EventRecord,
  words: IssueTitle,
  context: IngestContext
): IssueKey {
  const { store, project, receivedAt } = context
  const { at, side, url } = detail
  const issue = store.insert(
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
  )
  const id = store.insert(
    'INSERT INTO issue_key (project, key, issue, algorithm, why, created) VALUES (?, ?, ?, ?, ?, ?)',
    project,
    grouping.key,
    issue,
    grouping.algorithm,
    JSON.stringify(grouping.why),
    receivedAt
  )
  addSearch(store, issue, words, url)
  store.write(`INSERT INTO activity (issue, at, kind) VALUES (?, ?, 'created')`, issue, at)
  if (release !== null) store.write('UPDATE release SET new_issues = new_issues + 1 WHERE id = ?', release)
  return { id, issue }
}

/** Title and level of an issue. */
export interface IssueTitle {
  type: string
  value: string
  culprit: string
  level: Level
}

/** Maximum characters; the event has the full text. */
const MAX_VALUE = 500
const MAX_CULPRIT = 300

/** Title of an event without a message, as in Sentry. */
const NO_MESSAGE = '<unlabeled event>'

/** Returns the title of an issue from its newest event. If there is no type, as in a message, the text is the title. */
export function titleOf({ exceptions, threads, message, level, route }: EventDetail): IssueTitle {
  const exception = mainException(exceptions)
  const value = exception?.value || (message ?? '')
  const frames = exception?.frames ?? threads?.[0]?.frames
  const own = frames?.find(({ inApp }) => inApp)
  const culprit = own ? (own.function === undefined ? own.file : `${own.file}:${own.function}`) : (route ?? '')
  return {
    type: clip(exception?.type || value || NO_MESSAGE, MAX_VALUE),
    value: exception?.type ? clip(value, MAX_VALUE) : '',
    culprit: clip(culprit, MAX_CULPRIT),
    level
  }
}

export const differ = (a: IssueTitle, b: IssueTitle): boolean =>
  a.value !== b.value || a.culprit !== b.culprit || a.type !== b.type || a.level !== b.level

function addSearch(store: Store, issue: number, { type, value, culprit }: IssueTitle, url: string | undefined): void {
  store.write(
    'INSERT INTO issue_search (rowid, type, value, culprit, url) VALUES (?, ?, ?, ?, ?)',
    issue,
    type,
    value,
    culprit,
    url ?? ''
  )
}

/**
 * Updates the search index only if words changed: ids, numbers and quotations in a message differ in each event, and
 * writing the index is expensive.
 */
export function updateSearch(store: Store, issue: number, before: IssueTitle, after: IssueTitle): void {
  const isSame = (a: string, b: string) => a === b || toWords(a) === toWords(b)
  if (isSame(before.type, after.type) && before.culprit === after.culprit && isSame(before.value, after.value)) return
  const { type, value, culprit } = after
  store.write('UPDATE issue_search SET type = ?, value = ?, culprit = ? WHERE rowid = ?', type, value, culprit, issue)
}

const toWords = (value: string): string => value.replace(/"[^"]*"|'[^']*'|`[^`]*`|\b[\w-]*\d[\w-]*\b/g, '')
