import type { SQLInputValue } from 'node:sqlite'
import type { Store } from '../store/store.ts'
import { toPage, toPageRequest, type Page, type PageInput, type PageRequest } from './cursor.ts'
import { allOnce, and, sql, type Sql } from './sql.ts'

/**
 * Reads a page of rows by time, newest first. One statement per scope, so that each reads its index in order and ends at
 * the limit.
 * @param select `SELECT … FROM …` @param table of `at` and `id` @param scopes conditions
 */
export function readPageByTime<Row extends { id: number; at: number }>(
  store: Store,
  sort: string,
  request: PageRequest,
  { select, table, scopes }: { select: string; table: string; scopes: readonly Sql[] }
): Page<Row> {
  const { size, place, isBefore } = request
  const direction = isBefore ? 'ASC' : 'DESC'
  const beyond = place ? [sql(`(${table}.at, ${table}.id) ${isBefore ? '>' : '<'} (?, ?)`, place.value, place.id)] : []
  const found = scopes
    .flatMap((scope) => {
      const { text, values } = and(scope, ...beyond)
      const order = `ORDER BY ${table}.at ${direction}, ${table}.id ${direction} LIMIT ?`
      return allOnce<Row>(store, sql(`${select} WHERE ${text} ${order}`, ...values, size + 1))
    })
    .sort((a, b) => (isBefore ? 1 : -1) * (a.at - b.at || a.id - b.id))
  return toPage(sort, request, found, ({ at, id }) => ({ value: at, id }))
}

/**
 * Reads a page of rows by id, newest first: the order of arrival.
 * @param size rows of a page, unless `limit` says otherwise
 * @param select ends with a condition, such as `SELECT … WHERE issue = ?` @param id its column @param of value of it
 * @throws InboxCursorInvalid
 */
export function readPageById<Row extends { id: number }>(
  store: Store,
  sort: string,
  input: PageInput,
  size: number,
  { select, id, of }: { select: string; id: string; of: number }
): Page<Row> {
  const request = toPageRequest(sort, input, size)
  const { place, isBefore } = request
  const found = store.all<Row>(
    `${select} AND ${id} ${isBefore ? '>' : '<'} ? ORDER BY ${id} ${isBefore ? 'ASC' : 'DESC'} LIMIT ?`,
    of,
    place?.id ?? Number.MAX_SAFE_INTEGER,
    request.size + 1
  )
  return toPage(sort, request, found, (row) => ({ value: 0, id: row.id }))
}

/** Counts rows up to a number. @param from such as `event WHERE issue = ?` */
export const countUpTo = (store: Store, most: number, from: string, ...values: SQLInputValue[]): number =>
  store.get<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT 1 FROM ${from} LIMIT ?) AS found`,
    ...values,
    most
  )!.count
