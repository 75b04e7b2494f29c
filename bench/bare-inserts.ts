import { rmSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { openInboxFile } from '../packages/inbox/src/store/sqlite/file.ts'

/** Items per transaction: one for each connection of the load generator, which waits for its response. */
const ITEMS = 32

const MAX_BYTES = 8 * 1024 ** 3

interface Table {
  name: string
  columns: string[]
  rows: SQLInputValue[][]
}

/**
 * Milliseconds per item that `node:sqlite` takes to insert the rows of an inbox into an empty file with the same schema
 * and pragmas: one prepared statement per table, rows of all tables in each transaction. Tables that triggers fill are
 * not copied; the triggers fill them again.
 * @param items number of items in the file
 */
export function timeBareInserts(file: string, items: number): number {
  const copy = `${file}.bare`
  remove(copy)
  const tables = readTables(file)
  const db = openInboxFile(copy, MAX_BYTES)
  const inserts = tables.map(({ name, columns, rows }) => ({
    rows,
    statement: db.prepare(
      `INSERT OR IGNORE INTO ${name} (${columns.map(quote).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
    )
  }))
  const transactions = Math.ceil(items / ITEMS)
  const begin = performance.now()
  for (let number = 0; number < transactions; number++) {
    db.exec('BEGIN IMMEDIATE')
    for (const { rows, statement } of inserts) {
      const end = Math.floor((rows.length * (number + 1)) / transactions)
      for (let at = Math.floor((rows.length * number) / transactions); at < end; at++) statement.run(...rows[at]!)
    }
    db.exec('COMMIT')
  }
  const took = performance.now() - begin
  db.close()
  remove(copy)
  return took / items
}

/** Tables that have rows, in the order of their creation; rows in the order of their keys. */
function readTables(file: string): Table[] {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema').all() as Record<string, string>[]
    const triggers = schema.filter(({ type }) => type === 'trigger').map(({ sql }) => sql)
    const isWrittenByTrigger = (name: string) => triggers.some((sql) => new RegExp(`INSERT INTO ${name}\\b`).test(sql!))
    const names = schema.filter(({ type, name }) => type === 'table' && !isInternal(name!)).map(({ name }) => name!)
    return names
      .filter((name) => !isWrittenByTrigger(name))
      .map((name) => {
        const columns = db
          .prepare(`PRAGMA table_info(${name})`)
          .all()
          .map((column) => column['name'] as string)
        const select = db.prepare(`SELECT * FROM ${name}`)
        select.setReturnArrays(true)
        return { name, columns, rows: select.all() as unknown as SQLInputValue[][] }
      })
      .filter(({ rows }) => rows.length > 0)
  } finally {
    db.close()
  }
}

/** Whether a table belongs to SQLite or to the index of the full-text search. */
const isInternal = (name: string): boolean => /^sqlite_|^issue_search_/.test(name)

const quote = (column: string): string => `"${column}"`

function remove(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true })
}
