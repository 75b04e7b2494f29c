import { clip } from '@hull/common/visible-text.ts'
import { InboxQueryInvalid } from '../../errors.ts'
import { tagsOf } from '../../ingest/issue-tags.ts'
import { toVisitorIds } from '../../ingest/visitors.ts'
import type { EventDetail } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { eventTitle } from '../../web/error-title.ts'
import { nameOfUser } from '../../web/user-name.ts'
import {
  FILTERS,
  filtersOf,
  isMatch,
  toPattern,
  wordsOf,
  type Filter,
  type FilterName
} from '../../web/search/index.ts'
import { toPageRequest, writeCursor, type Cursors, type PageInput } from '../cursor.ts'
import { askDetail } from './event.ts'
import { EVENT_COLUMNS, EVENT_JOINS, EVENT_ORDER, EVENTS, listEvents, toEventRow, type StoredEvent } from './events.ts'
import { requireIssue } from './require-issue.ts'
import { askNewestReleases } from '../scope.ts'
import { readSearch } from './selection.ts'
import { allOnce, and, contains, endsWith, or, sql, startsWith, toList, type Sql } from '../sql.ts'
import type { EventRow } from './event-types.ts'

/** Maximum events whose details one page reads, and the milliseconds for that. Guesses: half of the scan's deadline. */
const MAX_READ = 2_000
const MAX_TIME = 1_000

/** Maximum characters of a title. */
const MAX_TITLE = 300

export interface EventQuery extends PageInput {
  id: number
  /** Search as in the list of issues, without filters that are only about issues. @default all events */
  query?: string
}

/** An event with its type and message, and its user; undefined if its details are not stored. */
export type TitledEvent = EventRow & { title?: string; user?: string }

export interface FoundEvents extends Cursors {
  /** Newest first. */
  events: TitledEvent[]
  /** Events of the issue; undefined for a search. */
  total?: number
  /** Number of events that were read, if the search ended before the page was full. */
  read?: number
}

interface Tests {
  /** Conditions on `event e`. */
  columns: Sql[]
  /** Conditions on the details. */
  details: ((detail: EventDetail) => boolean)[]
}

/**
 * Events of an issue that match a search, newest first.
 * @throws InboxQueryInvalid
 * @throws InboxCursorInvalid
 * @throws InboxIssueNotFound
 */
export function findEvents(store: Store, { id, query = '', ...input }: EventQuery): FoundEvents {
  const { project } = requireIssue(store, id)
  const tests = toTests(store, project, query)
  if (tests.columns.length + tests.details.length === 0) {
    const list = listEvents(store, { id, ...input })
    const details = list.events.map(({ id }) => askDetail(store, id))
    return { ...list, events: list.events.map((event, index) => withTitle(event, details[index]!())) }
  }
  const { size: most, place, isBefore } = toPageRequest(EVENT_ORDER, input, EVENTS)
  const { found, last, read } = walk(store, tests, { id, from: place?.id, isBefore, most })
  const hasMore = found.length > most || read !== undefined
  const page = found.slice(0, most)
  // The next page begins after the last event that was read, or after the last one shown.
  const end = found.length > most ? page.at(-1)!.id : last
  const [first, final] = isBefore ? [end, page[0]?.id] : [page[0]?.id, end]
  return {
    events: isBefore ? page.reverse() : page,
    ...((isBefore || hasMore) && { next: cursorAt(final ?? place!.id + 1, false) }),
    ...((isBefore ? hasMore : place) && { previous: cursorAt(first ?? place!.id - 1, true) }),
    ...(read !== undefined && { read })
  }
}

const cursorAt = (id: number, isBefore: boolean) => writeCursor(EVENT_ORDER, { value: 0, id, isBefore })

interface Walk {
  id: number
  from: number | undefined
  isBefore: boolean
  most: number
}

/** Finds one event more than `most`. @returns `last` read event, and the number of read ones if a limit ended it */
function walk(store: Store, { columns, details }: Tests, { id, from, isBefore, most }: Walk) {
  const needsDetail = details.length > 0
  const start = sql(`e.issue = ? AND e.id ${isBefore ? '>' : '<'} ?`, id, from ?? Number.MAX_SAFE_INTEGER)
  const { text, values } = and(start, ...columns)
  const rows = allOnce<StoredEvent>(
    store,
    sql(
      `SELECT ${EVENT_COLUMNS} FROM event e INDEXED BY event_by_issue ${EVENT_JOINS} WHERE ${text}
       ORDER BY e.id ${isBefore ? 'ASC' : 'DESC'} LIMIT ?`,
      ...values,
      needsDetail ? MAX_READ : most + 1
    )
  )
  const deadline = performance.now() + MAX_TIME
  const found: TitledEvent[] = []
  let read = 0
  for (const row of rows) {
    if (found.length > most || (read > 0 && performance.now() > deadline)) break
    read++
    const detail = needsDetail || read <= most ? askDetail(store, row.id)() : undefined
    if (needsDetail && !(detail && details.every((test) => test(detail)))) continue
    found.push(withTitle(toEventRow(row), detail))
  }
  const isCut = found.length <= most && (read < rows.length || (needsDetail && rows.length === MAX_READ))
  return { found, last: rows[read - 1]?.id, read: isCut ? read : undefined }
}

function withTitle(event: EventRow, detail: EventDetail | undefined): TitledEvent {
  if (!detail) return event
  const user = detail.user && nameOfUser(detail.user)
  return { ...event, title: clip(eventTitle(detail), MAX_TITLE), ...(user !== undefined && { user }) }
}

/** Filters on the columns of events. */
const COLUMNS: Partial<Record<FilterName, string>> = {
  release: 'r.version',
  environment: 'e.environment',
  level: 'e.level'
}

/** Filters on a part of columns of events. */
const PARTS: Partial<Record<FilterName, readonly string[]>> = { browser: ['e.browser'], url: ['e.url', 'e.route'] }

/** Filters that find events, and not only issues. */
export const EVENT_FILTERS: readonly FilterName[] = FILTERS.filter(
  (name) => ['os', 'tag', 'user'].includes(name) || Object.hasOwn(COLUMNS, name) || Object.hasOwn(PARTS, name)
)

/** Tags that are columns of events. */
const TAG_COLUMNS: Readonly<Record<string, string>> = {
  release: 'r.version',
  environment: 'e.environment',
  browser: 'e.browser',
  url: 'e.url',
  transaction: 'e.route'
}

/** Whether only the details of an event have what the filter is about. */
const isInDetails = ({ name, tag }: Filter): boolean =>
  name === 'os' || (name === 'tag' && !Object.hasOwn(TAG_COLUMNS, tag!))

/** @throws InboxQueryInvalid */
function toTests(store: Store, project: number, query: string): Tests {
  const search = readSearch(query)
  const tests: Tests = { columns: [], details: [] }
  const groups = Map.groupBy(filtersOf(search), ({ name, tag = '' }) => `${name} ${tag}`)
  for (const filters of groups.values()) {
    const [wanted, unwanted] = [filters.filter(({ negated }) => !negated), filters.filter(({ negated }) => negated)]
    if (isInDetails(filters[0]!)) {
      if (wanted.length > 0) tests.details.push((detail) => wanted.some((filter) => hasTag(detail, filter)))
      for (const filter of unwanted) tests.details.push((detail) => !hasTag(detail, filter))
      continue
    }
    const conditions = wanted.map((filter) => toCondition(store, project, filter))
    if (conditions.length > 0) tests.columns.push(or(...conditions))
    for (const filter of unwanted) {
      const { text, values } = toCondition(store, project, filter)
      // A missing value is not the unwanted one.
      tests.columns.push(sql(`(${text}) IS NOT TRUE`, ...values))
    }
  }
  for (const { text, negated } of wordsOf(search)) {
    const word = text.toLowerCase()
    tests.details.push((detail) => textOf(detail).includes(word) !== negated)
  }
  return tests
}

/** @throws InboxQueryInvalid for a filter that is only about issues */
function toCondition(store: Store, project: number, { name, tag, value }: Filter): Sql {
  if (name === 'release' && value === 'latest')
    return sql('e.release = ?', askNewestReleases(store, [project])().get(project) ?? null)
  // An id of a user may contain an asterisk.
  if (name === 'user') return sql('e.visitor IN (SELECT value FROM json_each(?))', toList(toVisitorIds(store, value)))
  const column = name === 'tag' ? TAG_COLUMNS[tag!] : COLUMNS[name]
  if (column !== undefined) return matches(column, value)
  const parts = PARTS[name]
  if (!parts) throw new InboxQueryInvalid(`${name}: finds issues, not the events of an issue.`)
  const text = name === 'url' ? toPattern(value).text : value
  return or(...parts.map((part) => contains(part, text)))
}

/** Equal to the text of a pattern, or starting or ending with it, or containing it. */
function matches(column: string, value: string): Sql {
  const { text, isStart, isEnd } = toPattern(value)
  if (isEnd) return isStart ? contains(column, text) : endsWith(column, text)
  return isStart ? startsWith(column, text) : sql(`${column} = ?`, text)
}

function hasTag(detail: EventDetail, { name, tag = name, value }: Filter): boolean {
  const wanted = name === 'os' ? { text: value, isStart: true, isEnd: true } : toPattern(value)
  return [...tagsOf(detail), ...detail.tags].some(([other, text]) => other === tag && isMatch(wanted, text))
}

/** The text in which words are searched. */
const textOf = (detail: EventDetail): string =>
  `${eventTitle(detail)}\n${detail.url ?? ''}\n${detail.route ?? ''}`.toLowerCase()
