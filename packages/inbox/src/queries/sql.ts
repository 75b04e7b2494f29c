import type { SQLInputValue } from 'node:sqlite'
import type { Row, Store } from '../store/store.ts'

/** SQL fragment with its bound values. */
export interface Sql {
  text: string
  values: SQLInputValue[]
}

export const sql = (text: string, ...values: SQLInputValue[]): Sql => ({ text, values })

/** Condition that a column contains the word, in upper or lower case of English letters. */
export const contains = (column: string, word: string): Sql =>
  sql(`${column} LIKE ? ESCAPE '\\'`, `%${escapeLike(word)}%`)

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, String.raw`\$&`)

/** Condition that a column ends with the text, in upper or lower case of English letters. */
export const endsWith = (column: string, text: string): Sql =>
  sql(`${column} LIKE ? ESCAPE '\\'`, `%${escapeLike(text)}`)

/** Condition that a column starts with the text, which an index of the column can find. */
export const startsWith = (column: string, text: string): Sql =>
  sql(`${column} >= ? AND ${column} < ?`, text, `${text}\u{10FFFF}`)

/** Joins fragments, each in parentheses, with an operator. */
export function join(pieces: readonly Sql[], between: 'AND' | 'OR' | 'UNION ALL'): Sql {
  const texts = pieces.map(({ text }) => (between === 'UNION ALL' ? text : `(${text})`))
  return { text: texts.join(` ${between} `), values: pieces.flatMap(({ values }) => values) }
}

export const and = (...conditions: Sql[]): Sql => join(conditions, 'AND')
export const or = (...conditions: Sql[]): Sql => join(conditions, 'OR')

/** Negates a condition. */
export const not = ({ text, values }: Sql): Sql => sql(`NOT (${text})`, ...values)

/** Runs a statement without keeping it prepared: SQL built from user input has too many different texts. */
export const allOnce = <T = Row>(store: Store, { text, values }: Sql): T[] => store.allOnce<T>(text, ...values)

/**
 * Binds many values as one JSON array, for `IN (SELECT value FROM json_each(?))` or {@link isAmong}, so the statement's
 * text does not depend on their number.
 */
export const toList = (values: readonly (string | number)[]): string => JSON.stringify(values)

/**
 * SQL for whether a number is one of a list. Casts, because the values of a list are text on PostgreSQL.
 * @param list SQL of the JSON array of {@link toList}
 */
export const isAmong = (number: string, list = '?'): string =>
  `${number} IN (SELECT CAST(value AS BIGINT) FROM json_each(${list}))`
