import type { SQLInputValue } from 'node:sqlite'
import type { Store } from './store.ts'

/** Values by their columns; null if undefined. */
type NewRow = Readonly<Record<string, SQLInputValue | undefined>>

/** Inserts a row into a table whose key is `id`. @returns the id */
export const insertRow = (store: Store, table: string, row: NewRow): number => store.insert(...toInsert(table, row))

/** Inserts a row. @param rest SQL after the values: what to do if the row exists. @default it must not exist */
export const writeRow = (store: Store, table: string, row: NewRow, rest = ''): void =>
  store.write(...toInsert(table, row, rest))

const toInsert = (table: string, row: NewRow, rest = ''): [sql: string, ...values: SQLInputValue[]] => [
  `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).fill('?').join(', ')}) ${rest}`,
  ...Object.values(row).map((value) => value ?? null)
]
