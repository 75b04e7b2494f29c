import type { SQLInputValue } from 'node:sqlite'
import type { Store } from '../../../lib/inbox/store.ts'

/** Adds a row; what is undefined is null. @returns its id */
export function insert(store: Store, table: string, row: Record<string, SQLInputValue | undefined>): number {
  const names = Object.keys(row)
  const sql = `INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
  return store.run(sql, ...Object.values(row).map((value) => value ?? null)).id
}
