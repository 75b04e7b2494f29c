import { InboxCursorInvalid } from '../errors.ts'

/** Position between two rows of a list: the sort value, then the id. */
export interface Place {
  value: number
  id: number
  /** True for the rows before the position, false for those after it. */
  isBefore: boolean
}

/** @param sort order of the list; the cursor is valid for this order only */
export const writeCursor = (sort: string, { value, id, isBefore }: Place): string =>
  Buffer.from(`${sort} ${isBefore ? '<' : '>'} ${value} ${id}`).toString('base64url')

/** @throws InboxCursorInvalid for a cursor that {@link writeCursor} did not create for this order */
export function readCursor(sort: string, cursor: string): Place {
  const text = cursor.length <= 100 ? Buffer.from(cursor, 'base64url').toString() : ''
  const [, of, side, value, id] = /^(\w+) ([<>]) (-?\d{1,16}) (\d{1,16})$/.exec(text) ?? []
  if (of !== sort) throw new InboxCursorInvalid()
  return { value: Number(value), id: Number(id), isBefore: side === '<' }
}

/** Maximum rows of a page. */
const MAX_ROWS = 200

/** The page that a caller asks for. */
export interface PageInput {
  /** `next` or `previous` of another page. @default the first page */
  cursor?: string
  /** Rows of the page, at most 200. @default the list's own number */
  limit?: number
}

/** The page of a list to read. */
export interface PageRequest {
  /** Rows of the page. Read one more, so that {@link toPage} knows whether there is a further page. */
  size: number
  /** @default the list is read from its beginning */
  place: Place | undefined
  /** Whether the rows before the place are read, from there backwards. */
  isBefore: boolean
}

/** @param size rows of a page, unless `limit` says otherwise @throws InboxCursorInvalid */
export function toPageRequest(sort: string, { cursor, limit }: PageInput, size: number): PageRequest {
  const place = cursor === undefined ? undefined : readCursor(sort, cursor)
  return {
    size: Math.min(Math.max(Math.trunc(limit ?? size), 1), MAX_ROWS),
    place,
    isBefore: place?.isBefore ?? false
  }
}

/** Cursors of the pages after and before a page of a list. */
export interface Cursors {
  /** Undefined on the last page. */
  next?: string
  /** Undefined on the first page. */
  previous?: string
}

/** Rows of a page in the order of the list. */
export interface Page<Row> extends Cursors {
  rows: Row[]
}

/**
 * Makes a page of the rows that were read for it.
 * @param found in the direction of reading
 * @param placeOf sort value and id of a row
 */
export function toPage<Row>(
  sort: string,
  { size, place, isBefore }: PageRequest,
  found: readonly Row[],
  placeOf: (row: Row) => Omit<Place, 'isBefore'>
): Page<Row> {
  const hasMore = found.length > size
  const rows = found.slice(0, size)
  if (isBefore) rows.reverse()
  const [first, last] = [rows[0], rows.at(-1)]
  return {
    rows,
    ...(last && (isBefore || hasMore) && { next: writeCursor(sort, { ...placeOf(last), isBefore: false }) }),
    ...(first && (isBefore ? hasMore : place) && { previous: writeCursor(sort, { ...placeOf(first), isBefore: true }) })
  }
}
