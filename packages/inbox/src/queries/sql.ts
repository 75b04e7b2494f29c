import type { SQLInputValue } from 'node:sqlite'
import type { Row, Store } from '../store/store.ts'

/** A piece of SQL with its values. */
export interface Sql {
  text: string
  values: SQLInputValue[]
}

export const sql = (text: string, ...values: SQLInputValue[]): Sql => ({ text, values })

/** Pieces in brackets, with a word between them. */
export function join(pieces: readonly Sql[], between: 'AND' | 'OR' | 'UNION ALL'): Sql {
  const texts = pieces.map(({ text }) => (between === 'UNION ALL' ? text : `(${text})`))
  return { text: texts.join(` ${between} `), values: pieces.flatMap(({ values }) => values) }
}

/** For SQL put together from what somebody asks for: nothing of it is kept, there is no end to its shapes. */
export function allOnce<T = Row>(store: Store, { text, values }: Sql): T[] {
  return store.db.prepare(text).all(...values) as T[]
}

/** Many values as one, for `IN (SELECT value FROM json_each(?))`: the statement is the same for any number. */
export const toList = (values: readonly (string | number)[]): string => JSON.stringify(values)
