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
