import { hash } from 'node:crypto'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { MIGRATIONS } from '../migrations/index.ts'
import type { Row, Store } from '../store.ts'

/** Maximum rows of a chunk. A guess: inserting them takes a fraction of a second. */
const MAX_ROWS = 1_000

/** Bytes of text and blobs at which a chunk ends. A single row may be longer. */
const MAX_BYTES = 4 * 1024 ** 2

/**
 * Maximum bytes of a tag's name and value: an index of PostgreSQL takes 2,704 with the issue. Inboxes of older versions
 * may have longer ones. Their events are moved.
 */
const MAX_TAG_BYTES = 2_640

/** A table whose rows are moved. */
export interface MovedTable {
  name: string
  columns: readonly string[]
  /** Columns of the primary key, in its order. */
  key: readonly string[]
  /** Columns of text and blobs, whose values can be long. */
  long: readonly string[]
  /** Columns of integers. */
  integers: ReadonlySet<string>
  /** Whether its key is an `id` that the database assigns. */
  hasId: boolean
  /** Condition of the rows that belong to the inbox. The others describe the store. */
  own: string
  /** Condition of the rows that both databases can store and Node can read. The others are left out. */
  movable: string
}

/** Rows in the order of the key, each with its values in the order of the columns, as both databases can store them. */
export interface Chunk {
  rows: SQLInputValue[][]
  /** Number of rows with a value that only SQLite can store. */
  changed: number
  /** Key of the last row, as it is stored. */
  last: SQLInputValue[]
}

/** Number of rows, and the sum of their hashes in hex. */
interface Checksum {
  rows: number
  sum: string
}

/** An empty file in memory with the newest schema, which the caller closes. */
export function openSchema(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  for (const migration of MIGRATIONS) db.exec(migration)
  return db
}

/** Lists all tables of the inbox, which have the same columns on SQLite and PostgreSQL. */
export function listTables(): MovedTable[] {
  const schema = openSchema()
  try {
    const names = schema
      .prepare(
        String.raw`SELECT name FROM pragma_table_list
         WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`
      )
      .all()
    return names.map(({ name }) => describe(schema, name as string))
  } finally {
    schema.close()
  }
}

function describe(schema: DatabaseSync, name: string): MovedTable {
  const found = schema.prepare('SELECT name, type, pk FROM pragma_table_info(?)').all(name) as {
    name: string
    type: string
    pk: number
  }[]
  const key = found
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk)
    .map((column) => column.name)
  const long = found.filter(({ type }) => !['INTEGER', 'REAL'].includes(type)).map((column) => column.name)
  const columns = found.map((column) => column.name)
  const integers = new Set(found.filter(({ type }) => type === 'INTEGER').map((column) => column.name))
  return {
    name,
    // A full-text table has a key that is no column.
    columns: key.length > 0 ? columns : ['rowid', ...columns],
    key: key.length > 0 ? key : ['rowid'],
    long,
    integers,
    hasId: key.join() === 'id' && integers.has('id'),
    // Each store describes its own move.
    own: name === 'setting' ? "name <> 'move'" : 'TRUE',
    movable: [
      'TRUE',
      ...(name === 'issue_tag' ? [`octet_length(name) + octet_length(value) <= ${MAX_TAG_BYTES}`] : []),
      ...[...integers].map(
        (column) => `coalesce(${column}, 0) BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`
      )
    ].join(' AND ')
  }
}

/**
 * Reads a table in chunks of bounded size.
 * @param after key of the row before the first. @default from the beginning
 */
export function* readChunks(store: Store, table: MovedTable, after?: readonly SQLInputValue[]): Generator<Chunk> {
  const { name, columns, key, long, own, movable } = table
  const order = key.join(', ')
  const bytes = long.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ') || '0'
  for (let last = after; ;) {
    const beyond = last ? ` AND (${order}) > (${key.map(() => '?').join(', ')})` : ''
    const from = `FROM ${name} WHERE ${own} AND ${movable}${beyond} ORDER BY ${order} LIMIT ?`
    const values = last ?? []
    const sizes = store.all<{ bytes: number }>(`SELECT ${bytes} AS bytes ${from}`, ...values, MAX_ROWS)
    if (sizes.length === 0) return
    const sql = `SELECT ${columns.join(', ')} ${from}`
    const found = store.all<Record<string, SQLInputValue>>(sql, ...values, countFitting(sizes))
    const chunk = toChunk(found, table)
    yield chunk
    last = chunk.last
  }
}

function toChunk(found: readonly Record<string, SQLInputValue>[], { columns, key, integers }: MovedTable): Chunk {
  let changed = 0
  const rows = found.map((row) => {
    const values = columns.map((column) => toCommon(row[column]!, integers.has(column)))
    if (values.some((value, index) => value !== row[columns[index]!])) changed++
    return values
  })
  return { rows, changed, last: key.map((column) => found.at(-1)![column]!) }
}

/** PostgreSQL's text has no NUL character, and its columns of integers have no fractions. */
function toCommon(value: SQLInputValue, isInteger: boolean): SQLInputValue {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  return isInteger && typeof value === 'number' ? Math.round(value) : value
}

/** Number of rows that fit into a chunk; at least one. */
function countFitting(sizes: readonly { bytes: number }[]): number {
  let total = 0
  const end = sizes.findIndex(({ bytes }) => (total += bytes) > MAX_BYTES)
  return end === -1 ? sizes.length : Math.max(1, end)
}

/** Computes the checksum of a table. The order of the rows does not matter. */
export function computeChecksum(store: Store, table: MovedTable): Checksum {
  let rows = 0
  let sum = 0n
  for (const chunk of readChunks(store, table)) {
    rows += chunk.rows.length
    for (const row of chunk.rows) sum += BigInt(`0x${hashRow(row)}`)
  }
  return { rows, sum: BigInt.asUintN(256, sum).toString(16) }
}

const hashRow = (row: readonly SQLInputValue[]): string =>
  hash(
    'sha256',
    JSON.stringify(row.map((value) => (value instanceof Uint8Array ? { blob: hash('sha256', value) } : value)))
  )

/** Inserts rows that {@link readChunks} returned. */
export const insertChunk = (store: Store, { name, columns }: MovedTable, { rows }: Chunk): void =>
  store.insertRows(`INSERT INTO ${name} (${columns.join(', ')})`, rows)

/** Whether a table has any row of the inbox. */
export const hasRows = (store: Store, { name, own }: MovedTable): boolean =>
  store.get<Row>(`SELECT 1 AS found FROM ${name} WHERE ${own} LIMIT 1`) !== undefined

/** Number of rows that are left out. */
export const countUnmovable = (store: Store, { name, own, movable }: MovedTable): number =>
  store.get<{ rows: number }>(`SELECT count(*) AS rows FROM ${name} WHERE ${own} AND NOT (${movable})`)!.rows
