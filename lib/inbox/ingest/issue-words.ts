import type { EventDetail, Level } from '../model.ts'
import type { Store } from '../store.ts'

/** What an issue is called. */
export interface IssueWords {
  type: string
  value: string
  culprit: string
  level: Level
}

/** Characters; the whole of it is in the event. */
const MAX_VALUE = 500
const MAX_CULPRIT = 300

/** What stands for the type of an event that is no exception. */
const MESSAGE = 'message'

/** An issue by its newest event. */
export function wordsOf({ exceptions, message, level, route }: EventDetail): IssueWords {
  const exception = exceptions.at(-1)
  const value = exception ? exception.value || (message ?? '') : (message ?? '')
  const own = exception?.frames.find(({ inApp }) => inApp)
  const culprit = own ? (own.function === undefined ? own.file : `${own.file}:${own.function}`) : (route ?? '')
  return {
    type: exception?.type ?? MESSAGE,
    value: cut(value, MAX_VALUE),
    culprit: cut(culprit, MAX_CULPRIT),
    level
  }
}

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…`.toWellFormed() : text)

export const differ = (a: IssueWords, b: IssueWords): boolean =>
  a.value !== b.value || a.culprit !== b.culprit || a.type !== b.type || a.level !== b.level

export function addSearch(
  store: Store,
  issue: number,
  { type, value, culprit }: IssueWords,
  url: string | undefined
): void {
  store.run(
    'INSERT INTO issue_search (rowid, type, value, culprit, url) VALUES (?, ?, ?, ?, ?)',
    issue,
    type,
    value,
    culprit,
    url ?? ''
  )
}

/** Only where words changed: ids, numbers and quotations in a message change with each event, and writing an index costs. */
export function updateSearch(store: Store, issue: number, before: IssueWords, after: IssueWords): void {
  if (before.type === after.type && before.culprit === after.culprit && toWords(before.value) === toWords(after.value))
    return
  const { type, value, culprit } = after
  store.run('UPDATE issue_search SET type = ?, value = ?, culprit = ? WHERE rowid = ?', type, value, culprit, issue)
}

const toWords = (value: string): string => value.replace(/"[^"]*"|'[^']*'|`[^`]*`|\b[\w-]*\d[\w-]*\b/g, '')
