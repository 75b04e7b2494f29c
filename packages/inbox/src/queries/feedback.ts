import type { View } from '../store/model.ts'
import type { Row, Store } from '../store/store.ts'
import { MAX_COUNT } from '../web/view.ts'
import { askFilesOfFeedback, type AttachmentRow } from './issues/attachments.ts'
import { scan, toWord } from '../web/search/scan.ts'
import { toPageRequest, type Cursors, type PageInput } from './cursor.ts'
import { toPlain } from './plain-row.ts'
import { readPageByTime } from './read-page.ts'
import { projectsOf } from './scope.ts'
import { allOnce, and, contains, isAmong, not, or, sql, toList, type Sql } from './sql.ts'

/** Entries of a page. */
const ENTRIES = 50

/** Maximum words of a search. Ours: each is a condition of the statement. */
const MAX_WORDS = 20

/** Sorted by time. */
const ORDER = 'feedback'

export interface FeedbackRow {
  id: number
  project: number
  at: number
  name?: string
  email?: string
  message: string
  /** Address of the page, without query. */
  url?: string
  /** The event that it is about, with its issue; undefined if the event is unknown or no longer stored. */
  event?: { eventId: string; issue: number; type: string; value: string }
  /** Files that were sent with it, such as a screenshot. */
  attachments: AttachmentRow[]
}

export interface FeedbackQuery extends PageInput {
  view: View
  /** Words in message, name, mail address or address of the page. @default all feedback */
  query?: string
}

export interface FeedbackList extends Cursors {
  /** Newest first. */
  feedback: FeedbackRow[]
  /** Entries on all pages, counted up to MAX_COUNT + 1. */
  total: number
}

type StoredRow = Row & {
  id: number
  at: number
  eventId: string | null
  issue: number | null
  type: string
  value: string
}

const FROM = `feedback f LEFT JOIN event e ON e.project = f.project AND e.event_id = f.about
  LEFT JOIN issue i ON i.id = e.issue`

/** True if a search or a filter must read the entries themselves, and not only their index. */
export const isSearch = ({ view, query = '' }: FeedbackQuery): boolean =>
  query.trim() !== '' || view.environment !== undefined || view.release !== undefined

/** Feedback of visitors, newest first. @throws InboxCursorInvalid */
export function listFeedback(store: Store, input: FeedbackQuery): FeedbackList {
  const { view } = input
  const request = toPageRequest(ORDER, input, ENTRIES)
  const scopes = projectsOf(store, view.project).map((project) =>
    and(sql('f.project = ? AND f.at >= ? AND f.at < ?', project, view.since, view.until), ...conditionsOf(input))
  )
  const select = `SELECT f.id, f.project, f.at, f.name, f.email, f.message, f.url, e.event_id AS eventId, i.id AS issue,
    i.type, i.value FROM ${FROM}`
  const { rows, ...cursors } = readPageByTime<StoredRow>(store, ORDER, request, { select, table: 'f', scopes })
  const files = readFiles(store, rows)
  return {
    feedback: rows.map((row) => toRow(row, files.get(row.id))),
    ...cursors,
    total: count(store, scopes, isSearch(input) ? FROM : 'feedback f')
  }
}

function count(store: Store, scopes: readonly Sql[], from: string): number {
  let total = 0
  for (const { text, values } of scopes)
    total += allOnce<{ found: number }>(
      store,
      sql(
        `SELECT count(*) AS found FROM (SELECT 1 FROM ${from} WHERE ${text} LIMIT ?) AS found`,
        ...values,
        MAX_COUNT + 1 - total
      )
    )[0]!.found
  return total
}

/** Columns in which a word is found. A negated word is not in an empty one. */
const SEARCHED = ['message', 'name', 'email', 'url'].map((column) => `coalesce(f.${column}, '')`)

function conditionsOf({ view, query = '' }: FeedbackQuery): Sql[] {
  const { environment, release } = view
  return [
    ...[...scan(query)].slice(0, MAX_WORDS).map((token) => {
      const found = or(...SEARCHED.map((column) => contains(column, toWord(token))))
      return token.negated ? not(found) : found
    }),
    ...(environment === undefined ? [] : [sql('e.environment = ?', environment)]),
    ...(release === undefined ? [] : [sql('(SELECT version FROM release WHERE id = e.release) = ?', release)])
  ]
}

const readFiles = (store: Store, page: readonly StoredRow[]): Map<number, AttachmentRow[]> =>
  askFilesOfFeedback(store, isAmong('f.id'), toList(page.map(({ id }) => id)))()

const toRow = ({ eventId, issue, type, value, ...row }: StoredRow, attachments: AttachmentRow[] = []): FeedbackRow => ({
  ...toPlain<FeedbackRow>(row),
  attachments,
  ...(eventId !== null && issue !== null && { event: { eventId, issue, type, value } })
})
