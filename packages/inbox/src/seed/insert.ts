import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { Store } from '../store/store.ts'

type InsertedRow = Record<string, SQLInputValue | undefined>

interface Prepared {
  names: string[]
  statement: StatementSync
}

/** The last statement of each table: most rows of a table have the same columns. */
const prepared = new WeakMap<Store, Map<string, Prepared>>()

/** Inserts a row, unless it exists; undefined values become null. @returns the row's id */
export function insert(store: Store, table: string, row: InsertedRow): number {
  let tables = prepared.get(store)
  if (!tables) prepared.set(store, (tables = new Map()))
  const names = Object.keys(row)
  let last = tables.get(table)
  if (!last || last.names.length !== names.length || last.names.some((name, index) => name !== names[index]))
    tables.set(table, (last = { names, statement: prepare(store, table, names) }))
  const values = Object.values(row)
  for (let index = 0; index < values.length; index++) values[index] ??= null
  return Number(last.statement.run(...(values as SQLInputValue[])).lastInsertRowid)
}

const prepare = (store: Store, table: string, names: string[]): StatementSync =>
  store.db.prepare(`INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
