import type { SQLInputValue } from 'node:sqlite'
import type { Store } from './store.ts'

/** Values by their columns; null if undefined. */
type Columns = Readonly<Record<string, SQLInputValue | undefined>>

/** Changes columns of a row of a table whose key is `id`. */
export const updateRow = (store: Store, table: string, id: number, columns: Columns): void =>
  store.write(`UPDATE ${table} SET ${Object.keys(columns).join(' = ?, ')} = ? WHERE id = ?`, ...valuesOf(columns), id)

/** Inserts a row into a table whose key is `id`. @returns the id */
export const insertRow = (store: Store, table: string, row: Columns): number => store.insert(...toInsert(table, row))

/** Inserts a row. @param rest SQL after the values: what to do if the row exists. @default it must not exist */
export const writeRow = (store: Store, table: string, row: Columns, rest = ''): void =>
  store.write(...toInsert(table, row, rest))

const toInsert = (table: string, row: Columns, rest = ''): [sql: string, ...values: SQLInputValue[]] => [
  `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).fill('?').join(', ')}) ${rest}`,
  ...valuesOf(row)
]

const valuesOf = (columns: Columns): SQLInputValue[] => Object.values(columns).map((value) => value ?? null)
