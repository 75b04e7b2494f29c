import type { Test } from 'tap'
import { openSeedStore } from '../../src/seed/index.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { serverUrl, takePostgresStore } from './database.ts'

/** Creates an empty inbox, which is closed with the test: in memory, or on PostgreSQL if the test runs there. */
export function createStore(t: Test): Store {
  if (serverUrl !== undefined) return takePostgresStore(t)
  const store = openSeedStore()
  t.teardown(() => store.close())
  return store
}

/** @returns its id; later ones have higher ids */
export const addRelease = (store: Store, version: string, project = 1): number =>
  store.insert('INSERT INTO release (project, version, first_seen, last_seen) VALUES (?, ?, 1, 1)', project, version)

/** @returns its id */
export const addPerson = (store: Store, name: string): number =>
  store.insert("INSERT INTO person (name, role, created) VALUES (?, 'admin', 1)", name)

/**
 * Adds an issue as its first event would create it, with one grouping key.
 * @returns its id
 */
export function addIssue(store: Store, over: Record<string, string | number | null> = {}): number {
  const row = {
    project: 1,
    type: 'TypeError',
    value: 'cart is undefined',
    culprit: 'client/cart.tsx:submit',
    level: 'error',
    side: 'browser',
    first_seen: 1_000,
    last_seen: 1_000,
    ...over
  }
  const names = Object.keys(row)
  const id = store.insert(
    `INSERT INTO issue (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    ...Object.values(row)
  )
  addKey(store, id, `key of ${id}`, row.project)
  store.run(
    'INSERT INTO issue_search (rowid, type, value, culprit, url) VALUES (?, ?, ?, ?, ?)',
    id,
    row.type,
    row.value,
    row.culprit,
    ''
  )
  return id
}

/** @returns the id of the key */
export const addKey = (store: Store, issue: number, key: string, project = 1): number =>
  store.insert(
    `INSERT INTO issue_key (project, key, issue, algorithm, why, created) VALUES (?, ?, ?, 1, '{}', 1)`,
    project,
    key,
    issue
  )

/** Returns the activity of an issue, oldest first. */
export const listActivity = (store: Store, issue: number) =>
  store
    .all<{ who: number | null; kind: string; data: string }>(
      'SELECT who, kind, data FROM activity WHERE issue = ? ORDER BY id',
      issue
    )
    .map(({ who, kind, data }) => ({ who, kind, data: JSON.parse(data) as Record<string, unknown> }))

export const findRow = (store: Store, table: string, id: number): Record<string, unknown> | undefined => {
  const row = store.get(`SELECT * FROM ${table} WHERE id = ?`, id)
  return row && { ...row }
}

/** Makes the database refuse rows with this value, until the end of the test. */
export function refuseRows(t: Test, store: Store, table: string, column: string, value: string): void {
  if (store instanceof PostgresStore) {
    store.exec(`ALTER TABLE ${table} ADD CONSTRAINT refused CHECK (${column} <> '${value}')`)
    t.teardown(() => store.exec(`ALTER TABLE ${table} DROP CONSTRAINT refused`))
  } else
    store.run(
      `CREATE TRIGGER refuse BEFORE INSERT ON ${table} WHEN new.${column} = '${value}' BEGIN SELECT raise(ABORT, 'refused'); END`
    )
}
