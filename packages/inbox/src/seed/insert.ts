import type { SQLInputValue } from 'node:sqlite'
import type { Store } from '../store/store.ts'

type InsertedRow = Record<string, SQLInputValue | undefined>

/** Tables whose rows are given an id if they have none. */
const NUMBERED = new Set(['release', 'issue', 'issue_key', 'event', 'monitor', 'alert_channel'])

/** The last statement of each table: most rows of a table have the same columns. */
const statements = new Map<string, { names: string[]; text: string }>()

/** Inserts a row, unless it exists; undefined values become null. @returns the id of a new row of a numbered table */
export function insert(store: Store, table: string, row: InsertedRow): number {
  const names = Object.keys(row)
  let last = statements.get(table)
  if (!last || last.names.length !== names.length || last.names.some((name, index) => name !== names[index]))
    statements.set(table, (last = { names, text: toStatement(table, names) }))
  const values = Object.values(row).map((value) => value ?? null)
  if (NUMBERED.has(table) && row['id'] === undefined) return store.insert(last.text, ...values)
  store.write(last.text, ...values)
  return Number(row['id'] ?? 0)
}

/** A full-text index has no conflicts. */
const toStatement = (table: string, names: string[]): string =>
  `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})${table === 'issue_search' ? '' : ' ON CONFLICT DO NOTHING'}`
