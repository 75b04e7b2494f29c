import { LOG_LEVELS, LOG_RELEASE, type LogLevel, type LogRow, type View } from '../store/model.ts'
import type { Row, Store } from '../store/store.ts'
import { scan, toWord } from '../web/search/scan.ts'
import { toPageRequest, type Cursors, type PageInput } from './cursor.ts'
import { toPlain } from './plain-row.ts'
import { readPageByTime } from './read-page.ts'
import { projectsOf } from './scope.ts'
import { and, contains, isAmong, not, sql, toList, type Sql } from './sql.ts'

/** Lines of a page. */
const LINES = 100

/** Maximum words of a search. Ours: each is a condition of the statement. */
const MAX_WORDS = 20

/** Sorted by time. */
const ORDER = 'log'

export interface LogQuery extends PageInput {
  view: View
  /** Words in the line, and `name=value` for attributes; `-` excludes. @default all lines */
  query?: string
  /** Lowest level. @default all levels */
  level?: LogLevel
  /** Lines of this trace, of any time. */
  traceId?: string
}

export interface LogList extends Cursors {
  /** Newest first. */
  lines: LogRow[]
}

type StoredLine = Row & { id: number; at: number; attributes: string }

/** Log lines, newest first. @throws InboxCursorInvalid */
export function listLogs(store: Store, input: LogQuery): LogList {
  const { view, traceId } = input
  const request = toPageRequest(ORDER, input, LINES)
  const conditions = conditionsOf(input)
  const places =
    traceId === undefined
      ? projectsOf(store, view.project).map((project) =>
          sql('project = ? AND at >= ? AND at < ?', project, view.since, view.until)
        )
      : [
          store.grants === undefined
            ? sql('trace_id = ?', traceId)
            : sql(`trace_id = ? AND ${isAmong('project')}`, traceId, toList(projectsOf(store, undefined)))
        ]
  const scopes = places.map((place) => and(place, ...conditions))
  const { rows, ...cursors } = readPageByTime<StoredLine>(store, ORDER, request, { select: LINE, table: 'log', scopes })
  return { lines: rows.map(toLine), ...cursors }
}

const LINE = 'SELECT id, project, at, level, trace_id AS traceId, body, attributes, environment FROM log'

function conditionsOf({ view, query = '', level }: LogQuery): Sql[] {
  const conditions = wordsOf(query)
  if (view.environment !== undefined) conditions.push(sql('environment = ?', view.environment))
  if (view.release !== undefined) conditions.push(equals(LOG_RELEASE, view.release))
  if (level !== undefined)
    conditions.push(
      sql('level IN (SELECT value FROM json_each(?))', toList(LOG_LEVELS.slice(LOG_LEVELS.indexOf(level))))
    )
  return conditions
}

function wordsOf(query: string): Sql[] {
  return [...scan(query, true)].slice(0, MAX_WORDS).map((token) => {
    const word = toWord(token)
    const [, attribute, value] = token.isQuoted ? [] : (/^([^=\s]{1,100})=(.*)$/s.exec(word) ?? [])
    const found = attribute === undefined ? contains('body', word) : equals(attribute, value!)
    return token.negated ? not(found) : found
  })
}

/** Databases write numbers in other forms than the screen, such as 1.0e-07: they are compared as numbers. */
function equals(name: string, value: string): Sql {
  const number = Number(value)
  return sql(
    `EXISTS (SELECT 1 FROM json_each(attributes) a
       WHERE a.key = ? AND CASE WHEN a.type IN ('true', 'false') THEN a.type = ?
         WHEN a.type IN ('integer', 'real', 'number') THEN CAST(a.value AS DOUBLE PRECISION) = ?
         ELSE CAST(a.value AS TEXT) = ? END)`,
    name,
    value,
    Number.isFinite(number) && String(number) === value ? number : null,
    value
  )
}

const toLine = (line: StoredLine): LogRow => ({
  ...toPlain<LogRow>(line),
  attributes: JSON.parse(line.attributes) as LogRow['attributes']
})
