import {
  filtersOf,
  toPattern,
  toTimeRange,
  wordsOf,
  type Filter,
  type Search,
  type Word
} from '../../web/search/index.ts'
import { toVisitorIds } from '../../ingest/visitors.ts'
import { findByName } from '../../store/people.ts'
import type { Store } from '../../store/store.ts'
import { askNewestReleases } from '../scope.ts'
import { and, contains, endsWith, isAmong, join, not, or, sql, startsWith, toList, type Sql } from '../sql.ts'

/** Condition on the issues of a list. */
export interface Criterion {
  /** SQL that is true for a matching issue `i`. */
  holds: Sql
  /** SQL for the ids of all matching issues, possibly with duplicates; undefined if no index covers the condition. */
  ids?: Sql
}

/** Maximum number of tag values to scan for a browser or operating system. */
const MAX_VALUES = 1_000

/** No person has this id. */
const NO_PERSON = -1

/** Matches text that the full-text index can find. */
const INDEXED = /[\p{L}\p{N}\p{Co}_$]/u

/** The searched projects and time. */
interface Context {
  projects: readonly number[]
  now: number
  /** Person that `assigned:me` means. @default nobody */
  me?: number | undefined
}

/** Conditions of a search, except its states. An issue must meet all of them. */
export function toCriteria(store: Store, search: Search, context: Context): Criterion[] {
  const criteria: Criterion[] = []
  const groups = Map.groupBy(filtersOf(search), ({ name, tag = '' }) => `${name} ${tag}`)
  for (const filters of groups.values()) {
    if (filters[0]!.name === 'is') continue
    const wanted = filters.filter(({ negated }) => !negated)
    const made = (filter: Filter) => toCriterion(store, filter, context)
    if (wanted.length > 0) criteria.push(either(wanted.map(made)))
    for (const filter of filters) if (filter.negated) criteria.push({ holds: not(made(filter).holds) })
  }
  const words = wordsOf(search)
  const wanted = toMatch(
    words.filter(({ negated }) => !negated),
    search.terms.at(-1)
  )
  if (wanted !== '') criteria.push(matches(wanted))
  for (const word of words) {
    const match = word.negated ? toMatch([word]) : ''
    if (match !== '') criteria.push({ holds: not(matches(match).holds) })
  }
  return criteria
}

function toCriterion(store: Store, filter: Filter, { projects, now, me }: Context): Criterion {
  const { name, value } = filter
  switch (name) {
    case 'release':
      return value === 'latest' ? isTagged('release', latestOf(store, projects)) : isTaggedLike('release', value)
    case 'introduced':
      return isIntroducedIn(
        value === 'latest' ? isOneOf('version', latestOf(store, projects)) : isLike('version', value)
      )
    case 'environment':
      return isTaggedLike('environment', value)
    case 'browser':
    case 'os':
      return isTagged(name, valuesLike(store, name, value))
    case 'tag':
      return isTaggedLike(filter.tag!, value)
    case 'url':
      return isAt(value)
    case 'user':
      return isOfVisitor(isOneOf('visitor', toVisitorIds(store, value)))
    case 'assigned':
      return isAssigned(store, value, me)
    case 'followed':
      return isFollowed(toPerson(store, value, me))
    case 'first':
    case 'last':
      return wasSeen(name, value, now)
    default:
      // Condition on a column: level or side.
      return { holds: sql(`i.${name} = ?`, value) }
  }
}

/** The tag has one of the values. */
export const isTagged = (name: string, values: string[]): Criterion => hasTag(name, isOneOf('value', values))

/** The tag has a value that matches the pattern. */
const isTaggedLike = (name: string, value: string): Criterion => hasTag(name, isLike('value', value))

/** @param test condition on the value of the tag */
function hasTag(name: string, { text, values }: Sql): Criterion {
  return {
    holds: sql(`EXISTS (SELECT 1 FROM issue_tag t WHERE t.issue = i.id AND name = ? AND ${text})`, name, ...values),
    ids: sql(`SELECT issue FROM issue_tag WHERE name = ? AND ${text}`, name, ...values)
  }
}

/** With events of a visitor. @param test condition on the visitor's id */
const isOfVisitor = ({ text, values }: Sql): Criterion => ({
  holds: sql(`EXISTS (SELECT 1 FROM issue_visitor v WHERE v.issue = i.id AND ${text})`, ...values),
  ids: sql(`SELECT issue FROM issue_visitor WHERE ${text}`, ...values)
})

/** First seen in a release. @param test condition on its version */
function isIntroducedIn({ text, values }: Sql): Criterion {
  const releases = `SELECT id FROM release WHERE ${text}`
  return {
    holds: sql(`(i.first_release IN (${releases})) IS TRUE`, ...values),
    ids: sql(`SELECT id FROM issue WHERE first_release IN (${releases})`, ...values)
  }
}

const isOneOf = (column: string, values: string[]): Sql =>
  sql(`${column} IN (SELECT value FROM json_each(?))`, toList(values))

/** Equal to the text of a pattern, or starting or ending with it, or containing it. */
function isLike(column: string, value: string): Sql {
  const { text, isStart, isEnd } = toPattern(value)
  if (isEnd) return isStart ? contains(column, text) : endsWith(column, text)
  return isStart ? startsWith(column, text) : isOneOf(column, [text])
}

/** The URL or route equals the text or contains it. */
function isAt(value: string): Criterion {
  const { text, isStart } = toPattern(value)
  const match = toMatch([{ kind: 'word', text, isPhrase: true, negated: false, position: 0 }])
  const exact = [isTaggedLike('url', value), isTaggedLike('transaction', value)]
  return either(match === '' ? exact : [...exact, matches(`url : ${match}${isStart ? ' *' : ''}`)])
}

/** Assigned to a person by name, to `me`, or to nobody (`none`). */
function isAssigned(store: Store, value: string, me: number | undefined): Criterion {
  if (value.toLowerCase() === 'none') return { holds: sql('i.assignee IS NULL') }
  const person = toPerson(store, value, me)
  return {
    holds: sql('i.assignee IS NOT DISTINCT FROM ?', person),
    ids: sql('SELECT id FROM issue WHERE assignee = ?', person)
  }
}

const isFollowed = (person: number): Criterion => ({
  holds: sql('EXISTS (SELECT 1 FROM issue_follower f WHERE f.issue = i.id AND f.person = ?)', person),
  ids: sql('SELECT issue FROM issue_follower WHERE person = ?', person)
})

/** Id of `me`, or of the person with a name. */
const toPerson = (store: Store, name: string, me: number | undefined): number =>
  (name.toLowerCase() === 'me' ? me : findByName(store, name)?.id) ?? NO_PERSON

function wasSeen(name: 'first' | 'last', value: string, now: number): Criterion {
  const { from, to } = toTimeRange(value, now)!
  const bounds = [
    ...(from === undefined ? [] : [sql(`i.${name}_seen >= ?`, from)]),
    ...(to === undefined ? [] : [sql(`i.${name}_seen < ?`, to)])
  ]
  return { holds: and(...bounds) }
}

const matches = (match: string): Criterion => ({
  holds: sql('i.id IN (SELECT rowid FROM issue_search WHERE issue_search MATCH ?)', match),
  ids: sql('SELECT rowid FROM issue_search WHERE issue_search MATCH ?', match)
})

function either(criteria: Criterion[]): Criterion {
  const ids = criteria.flatMap((one) => one.ids ?? [])
  return {
    holds: or(...criteria.map((one) => one.holds)),
    ...(ids.length === criteria.length && { ids: join(ids, 'UNION ALL') })
  }
}

/**
 * Quotes each word, so that FTS5 reads none of it as syntax. The last word also matches as a prefix, because the user
 * may still be typing it.
 */
function toMatch(words: readonly Word[], last?: unknown): string {
  return words
    .filter(({ text }) => INDEXED.test(text))
    .map(
      (word) =>
        `"${word.text.replaceAll('"', '""').replaceAll('\0', ' ')}"${word === last && !word.isPhrase ? ' *' : ''}`
    )
    .join(' ')
}

/** Newest release of each project. */
function latestOf(store: Store, projects: readonly number[]): string[] {
  const ids = [...askNewestReleases(store, projects)().values()]
  return store
    .all<{ version: string }>(`SELECT version FROM release WHERE ${isAmong('id')}`, toList(ids))
    .map(({ version }) => version)
}

/**
 * Tag values that contain a text, ignoring case: `safari` also finds Mobile Safari. Jumps through the index from one
 * value to the next instead of reading all rows.
 */
function valuesLike(store: Store, name: string, text: string): string[] {
  const wanted = text.toLowerCase()
  return store
    .all<{ value: string }>(
      `WITH RECURSIVE known (value) AS (
        SELECT min(value) FROM issue_tag WHERE name = ?1
        UNION ALL
        SELECT (SELECT min(value) FROM issue_tag WHERE name = ?1 AND value > known.value) FROM known WHERE value IS NOT NULL
      ) SELECT value FROM known WHERE value IS NOT NULL LIMIT ?2`,
      name,
      MAX_VALUES
    )
    .map(({ value }) => value)
    .filter((value) => value.toLowerCase().includes(wanted))
}
