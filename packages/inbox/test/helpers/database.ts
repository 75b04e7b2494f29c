import { hash, randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { POSTGRES_MIGRATIONS } from '../../src/store/postgres/schema.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'

/** Server on which the tests of this process create their databases; undefined for tests on SQLite. */
export const serverUrl: string | undefined = process.env['HULL_TEST_POSTGRES']

/**
 * Name of the database from which new ones are copied, with partitions of today, and the advisory lock for its
 * creation.
 */
const TODAY = new Date().toISOString().slice(0, 10)
const TEMPLATE = `hull_template_${hash('sha256', [TODAY, ...POSTGRES_MIGRATIONS].join('')).slice(0, 16)}`
const TEMPLATE_LOCK = 7

/** Empties all tables, which takes a tenth of the time of a new database. */
const EMPTY = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'hull_inbox'::regnamespace AND relkind IN ('r', 'p')
    AND NOT relispartition AND relname <> 'schema_version' LOOP
    EXECUTE format('DELETE FROM %I', name);
  END LOOP;
  PERFORM setval(format('%I', sequencename), start_value, false) FROM pg_sequences WHERE schemaname = 'hull_inbox';
END $$`

const unused: PostgresStore[] = []
let emptied = 0

/** Returns an empty store of this process, which is emptied after the test. */
export function takePostgresStore(test: Test): PostgresStore {
  const store = unused.pop() ?? openPostgres({ url: createDatabase(serverUrl!) })
  test.teardown(() => {
    // Readers cache figures of past hours until this number changes.
    store.exec(`${EMPTY}; INSERT INTO setting (name, value) VALUES ('late_changes', '${++emptied}')`)
    unused.push(store)
  })
  return store
}

/**
 * Creates a database with empty tables of the inbox. It is not dropped, but exists as long as its server.
 * @returns its address
 */
export function createDatabase(server: string): string {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const admin = new PostgresStore({ url: server })
  ensureTemplate(admin, server)
  admin.exec(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`)
  admin.close()
  return toDatabase(server, name)
}

function ensureTemplate(admin: PostgresStore, server: string): void {
  admin.exec(`SELECT pg_advisory_lock(${TEMPLATE_LOCK})`)
  if (!admin.get('SELECT 1 FROM pg_database WHERE datname = ?', TEMPLATE)) {
    const draft = `${TEMPLATE}_draft`
    admin.exec(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`)
    admin.exec(`CREATE DATABASE ${draft}`)
    openPostgres({ url: toDatabase(server, draft) }).close()
    while (admin.get('SELECT 1 FROM pg_stat_activity WHERE datname = ?', draft)) admin.exec('SELECT pg_sleep(0.02)')
    admin.exec(`ALTER DATABASE ${draft} RENAME TO ${TEMPLATE}`)
  }
  admin.exec(`SELECT pg_advisory_unlock(${TEMPLATE_LOCK})`)
}

function toDatabase(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
