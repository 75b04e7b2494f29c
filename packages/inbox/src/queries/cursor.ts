import { InboxCursorInvalid } from '@hull/common/errors.ts'

/** A place in a list between two rows: by what it is sorted by, then by id. */
export interface Place {
  value: number
  id: number
  /** Whether the rows before it are wanted, rather than those after. */
  isBefore: boolean
}

/** @param sort what the list is sorted by: the cursor is good for that alone */
export const writeCursor = (sort: string, { value, id, isBefore }: Place): string =>
  Buffer.from(`${sort} ${isBefore ? '<' : '>'} ${value} ${id}`).toString('base64url')

/** @throws InboxCursorInvalid for anything that {@link writeCursor} did not make for this sort */
export function readCursor(sort: string, cursor: string): Place {
  const text = cursor.length <= 100 ? Buffer.from(cursor, 'base64url').toString() : ''
  const [, of, side, value, id] = /^(\w+) ([<>]) (-?\d{1,16}) (\d{1,16})$/.exec(text) ?? []
  if (of !== sort) throw new InboxCursorInvalid()
  return { value: Number(value), id: Number(id), isBefore: side === '<' }
}
