import type { SQLInputValue } from 'node:sqlite'
import type { Store } from '../store/store.ts'

/** Values by their columns; null if undefined. */
type NewRow = Readonly<Record<string, SQLInputValue | undefined>>

/** Inserts a row into a table whose key is `id`. @returns the id */
export const insertRow = (store: Store, table: string, row: NewRow): number => store.insert(...toInsert(table, row))

/** Inserts a row. */
export const writeRow = (store: Store, table: string, row: NewRow): void => store.write(...toInsert(table, row))

const toInsert = (table: string, row: NewRow): [sql: string, ...values: SQLInputValue[]] => [
  `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).fill('?').join(', ')})`,
  ...Object.values(row).map((value) => value ?? null)
]
