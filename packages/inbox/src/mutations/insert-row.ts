import type { SQLInputValue } from 'node:sqlite'
import type { Store } from '../store/store.ts'

/** Inserts a row into a table whose key is `id`. @param row values by their columns @returns the id */
export const insertRow = (store: Store, table: string, row: Readonly<Record<string, SQLInputValue>>): number =>
  store.insert(
    `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).fill('?').join(', ')})`,
    ...Object.values(row)
  )
