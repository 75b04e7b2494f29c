import { ISSUE_STATES } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { scan, splitPair, type Token } from '../../web/search/scan.ts'
import {
  ALIASES,
  FILTERS,
  MAX_SEARCH_LENGTH,
  VALUES,
  writeExactFilter,
  writeFilter,
  type FilterName
} from '../../web/search/index.ts'
import { EVENT_FILTERS } from './event-search.ts'
import { askAssignees } from './assignees.ts'
import { requireIssue } from './require-issue.ts'
import { projectsOf } from '../scope.ts'
import { contains, isAmong, startsWith, toList } from '../sql.ts'
import { askEnvironments, askVersions } from '../releases/versions.ts'

/*
 * Completes the search of a screen from the declaration of the search language, and from values of the newest issues
 * and log lines. Each statement reads an index, and is bounded by these numbers, which are guesses.
 */

/** Maximum suggestions of one answer. */
const MAX_SUGGESTIONS = 10

/** Issues whose tags and users are suggested: the newest of each project, and of all together. */
const MAX_ISSUES = 30

/** Maximum different values, or users, to choose the suggestions from. */
const MAX_VALUES = 200

/** Log lines whose attributes are suggested. */
const MAX_LINES = 200

/** Maximum characters of a value that is suggested. */
const MAX_LENGTH = 200

/** Suggestions for filters of time. */
const TIMES = ['1h', '24h', '7d', '<24h', '<7d']

export interface SuggestionQuery {
  /** Text of the search before the cursor. */
  text: string
  /** The search of log lines has attributes in place of filters. @default issues, or the events of {@link issue} */
  isLogs?: boolean
  /** Project of the view. @default all */
  project?: number
  /** Issue whose events are searched. */
  issue?: number
}

export interface Suggestions {
  /** Position in the text from which on a suggestion replaces it. */
  from: number
  /** Texts for that position, best first. One that completes a value ends with a space. */
  texts: string[]
}

/** Suggestions for the word at the end of a text. @throws InboxIssueNotFound */
export function listSuggestions(store: Store, query: SuggestionQuery): Suggestions {
  if (query.issue !== undefined) requireIssue(store, query.issue)
  if (query.text.length > MAX_SEARCH_LENGTH) return { from: query.text.length, texts: [] }
  const token = lastToken(query.text, query.isLogs)
  const typed = query.text.slice(token.position)
  const texts = query.isLogs ? listAttributes(store, query, typed) : listFilters(store, query, token, typed)
  return {
    from: token.position,
    texts: texts.filter((text) => text.trimEnd() !== typed).slice(0, MAX_SUGGESTIONS)
  }
}

function lastToken(text: string, isLogs = false): Token {
  const last = [...scan(text, isLogs)].at(-1)
  if (last?.end === text.length) return last
  return { position: text.length, end: text.length, negated: false, text: '', isQuoted: false }
}

function listFilters(store: Store, query: SuggestionQuery, token: Token, typed: string): string[] {
  const names: readonly FilterName[] = query.issue === undefined ? FILTERS : EVENT_FILTERS
  if (token.name === undefined) {
    const [, sign, word] = /^([-!]?)(.*)$/s.exec(typed)!
    return names.filter((name) => name.startsWith(word!.toLowerCase())).map((name) => `${sign}${name}:`)
  }
  const given = token.name.toLowerCase()
  const name = Object.hasOwn(ALIASES, given) ? ALIASES[given]! : (given as FilterName)
  if (!names.includes(name)) return []
  const { negated, text } = token
  if (name !== 'tag')
    return toMatches(valuesOf(store, query, name, text), text).map(
      (value) => `${writeExactFilter({ name, value, negated })} `
    )
  const pair = splitPair(token)
  if (!pair)
    return toMatches(listTagNames(store, query), text).map((tag) =>
      writeFilter({ name, tag, value: '', negated }).replace(/""$/, '')
    )
  const { name: tag, value: start } = pair
  return toMatches(listTagValues(store, query, [tag], start), start).map(
    (value) => `${writeExactFilter({ name, tag, value, negated })} `
  )
}

function valuesOf(store: Store, query: SuggestionQuery, name: FilterName, text: string): readonly string[] {
  const projects = projectsOf(store, query.project)
  switch (name) {
    case 'is':
    case 'level':
    case 'side':
      return VALUES[name]
    case 'first':
    case 'last':
      return TIMES
    case 'release':
      return ['latest', ...(query.issue === undefined ? askVersions(store, projects)() : listOwn())]
    case 'introduced':
      return ['latest', ...askVersions(store, projects)()]
    case 'environment':
      return query.issue === undefined ? askEnvironments(store, projects)() : listOwn()
    case 'assigned':
      return ['me', 'none', ...askAssignees(store, query)().map(({ name }) => name)]
    case 'followed':
      return ['me', ...askAssignees(store, query)().map(({ name }) => name)]
    case 'user':
      return listVisitors(store, query, text)
    case 'url':
      return listTagValues(store, query, ['url', 'transaction'], text)
    default:
      return listOwn()
  }

  function listOwn() {
    return listTagValues(store, query, [name], text)
  }
}

/** The issue of the search, or the newest issues that the person may read. */
function issuesOf(store: Store, { project, issue }: SuggestionQuery): string {
  if (issue !== undefined) return toList([issue])
  const found = projectsOf(store, project).flatMap((id) =>
    ISSUE_STATES.flatMap((state) =>
      store.all<{ id: number; last: number }>(
        `SELECT id, last_seen AS last FROM issue WHERE project = ? AND state = ?
         ORDER BY last_seen DESC, id DESC LIMIT ?`,
        id,
        state,
        MAX_ISSUES
      )
    )
  )
  const newest = found.sort((a, b) => b.last - a.last).slice(0, MAX_ISSUES)
  return toList(newest.map(({ id }) => id))
}

/** Jumps from one name to the next: a tag may have many values. */
function listTagNames(store: Store, query: SuggestionQuery): string[] {
  return store
    .all<{ name: string }>(
      `WITH RECURSIVE wanted (issue, name) AS (
         SELECT CAST(json_each.value AS BIGINT),
           (SELECT min(t.name) FROM issue_tag t WHERE t.issue = CAST(json_each.value AS BIGINT)) FROM json_each(?)
         UNION ALL
         SELECT issue, (SELECT min(t.name) FROM issue_tag t WHERE t.issue = wanted.issue AND t.name > wanted.name)
         FROM wanted WHERE name IS NOT NULL
       ) SELECT name FROM wanted WHERE name IS NOT NULL GROUP BY name ORDER BY count(*) DESC, name`,
      issuesOf(store, query)
    )
    .map(({ name }) => name)
}

/** Values of tags that contain the text, most frequent first. */
function listTagValues(store: Store, query: SuggestionQuery, names: string[], text: string): string[] {
  const condition = contains('t.value', text)
  return store
    .all<{ value: string }>(
      `SELECT t.value FROM issue_tag t
       WHERE ${isAmong('t.issue')} AND t.name IN (SELECT value FROM json_each(?))
         AND t.value <> '' AND ${condition.text}
       GROUP BY t.value ORDER BY sum(t.events) DESC, t.value LIMIT ?`,
      issuesOf(store, query),
      toList(names),
      ...condition.values,
      MAX_VALUES
    )
    .map(({ value }) => value)
}

/** Users whose id begins with the text. */
function listVisitors(store: Store, query: SuggestionQuery, text: string): string[] {
  const condition = startsWith('visitor', text)
  const visitors = store.all<{ visitor: string }>(
    `SELECT visitor FROM issue_visitor
     WHERE ${isAmong('issue')} AND ${condition.text} LIMIT ?`,
    issuesOf(store, query),
    ...condition.values,
    MAX_VALUES
  )
  return [...new Set(visitors.map(({ visitor }) => visitor))]
}

/** Attributes of the newest log lines: their names, then their values without spaces. */
function listAttributes(store: Store, { project }: SuggestionQuery, typed: string): string[] {
  const [, sign, name, start] = /^([-!]?)([^=]*)(?:=(.*))?$/s.exec(typed)!
  const projects = projectsOf(store, project)
  const lines = projects.flatMap((id) =>
    store.all<{ attributes: string }>(
      'SELECT attributes FROM log WHERE project = ? ORDER BY at DESC, id DESC LIMIT ?',
      id,
      Math.ceil(MAX_LINES / projects.length)
    )
  )
  const attributes = lines.map((line) => JSON.parse(line.attributes) as Record<string, unknown>)
  const words = (values: unknown[]) => [...new Set(values.map(String))].filter((word) => /^[^\s"=-][^\s"]*$/.test(word))
  if (start === undefined) return toMatches(words(attributes.flatMap(Object.keys)), name!).map((n) => `${sign}${n}=`)
  const values = attributes.flatMap((one) => (Object.hasOwn(one, name!) ? [one[name!]] : []))
  return toMatches(words(values), start).map((value) => `${sign}${name}=${value} `)
}

/** Values that contain the text, in upper or lower case: first those that begin with it. */
function toMatches(values: readonly string[], text: string): string[] {
  const wanted = text.toLowerCase()
  const found = values.filter(
    (value) => value.length <= MAX_LENGTH && !/\p{Cc}/u.test(value) && value.toLowerCase().includes(wanted)
  )
  const { begins = [], contains = [] } = Object.groupBy(found, (value) =>
    value.toLowerCase().startsWith(wanted) ? 'begins' : 'contains'
  )
  return [...begins, ...contains]
}
