import { NewerStore } from '../newer-store.ts'
import { readSetting } from '../stored-settings.ts'
import type { ConnectionOptions } from './connection.ts'
import { DailyTables } from './daily-tables.ts'
import { PostgresStore } from './postgres-store.ts'
import { POSTGRES_MIGRATIONS, SCHEMA } from './schema.ts'

/** Oldest version of PostgreSQL that the tests run on, as `server_version_num`. */
const OLDEST_VERSION = 150_000

/** Advisory lock of migrations: replicas that start together migrate one after the other. */
export const MIGRATION_LOCK = 7_404_111_000

/**
 * Milliseconds for one statement of ingest, a change or maintenance, its wait for transactions of other replicas
 * included. A guess: a chunk of work takes a fraction of a second.
 */
const WRITE_TIMEOUT = 20_000

/** Part of the time of a query that one of its statements may take. */
const STATEMENT_SHARE = 0.9

/** Error thrown if the database cannot hold the inbox. Its message says what to do. */
export class UnusableDatabase extends Error {
  override name = 'UnusableDatabase'
}

/**
 * Connects to the database for writing, and migrates the inbox's tables to the newest schema.
 * @throws NewerStore if a Hull that is newer by more than one schema has migrated them
 * @throws UnusableDatabase if the server is too old, its encoding is not UTF-8, it is read-only, a table was changed, or
 * a move of an inbox to it is not finished
 * @throws PostgresError if there is no connection, or the user may not create tables
 */
export function openPostgres(options: ConnectionOptions, migrations = POSTGRES_MIGRATIONS): PostgresStore {
  return connect(options, (store) => {
    prepareForWriting(store, migrations)
    checkFinished(store)
  })
}

/** Does the same, and accepts a database to which an inbox is being moved. */
export function openUnfinishedPostgres(options: ConnectionOptions, migrations = POSTGRES_MIGRATIONS): PostgresStore {
  return connect(options, (store) => prepareForWriting(store, migrations))
}

/**
 * Connects to the database for reading.
 * @param deadline milliseconds for one query. A statement has a little less, so that a query of one statement ends by
 * itself, and its thread need not be restarted
 * @throws PostgresError
 * @throws UnusableDatabase if it has no tables yet, they are not migrated yet, or a move of an inbox to it is not finished
 */
export function openPostgresReader(options: ConnectionOptions, deadline: number): PostgresStore {
  return connect(options, (store) => {
    const { version } = readVersion(store)
    if (version === 0) throw new UnusableDatabase('the database has no tables of the inbox yet')
    if (version < POSTGRES_MIGRATIONS.length)
      throw new UnusableDatabase(`the database has schema ${version}, and is not migrated yet`)
    checkFinished(store)
    store.exec('SET default_transaction_read_only = on')
    store.limitStatements(Math.ceil(STATEMENT_SHARE * deadline))
  })
}

/** Connects to the database. Ends the connection if `prepare` throws. */
function connect(options: ConnectionOptions, prepare: (store: PostgresStore) => void): PostgresStore {
  const store = new PostgresStore(options)
  try {
    prepare(store)
    return store
  } catch (error) {
    store.close()
    throw error
  }
}

function prepareForWriting(store: PostgresStore, migrations: readonly string[]): void {
  checkServer(store)
  store.withoutTimeout(() => migrate(store, migrations))
  checkColumns(store)
  store.limitStatements(WRITE_TIMEOUT)
  // Writes look up keys. PostgreSQL keeps its plans for them, and a table may be much larger than when they were made.
  store.exec('SET enable_seqscan = off')
}

function checkServer(store: PostgresStore): void {
  const { version, number, encoding, isReadOnly } = store.get<{
    version: string
    number: string
    encoding: string
    isReadOnly: string
  }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
       current_setting('server_encoding') AS encoding, current_setting('transaction_read_only') AS isReadOnly`
  )!
  if (Number(number) < OLDEST_VERSION)
    throw new UnusableDatabase(`the inbox needs PostgreSQL 15 or newer; this is ${version}`)
  if (encoding !== 'UTF8')
    throw new UnusableDatabase(`the inbox needs a database with the encoding UTF8; this has ${encoding}`)
  if (isReadOnly === 'on')
    throw new UnusableDatabase(
      'the database is read-only: DATABASE_URL must name the primary server, not a replica of it'
    )
}

interface Version {
  /** Number of applied migrations; 0 for a database without the inbox's tables. */
  version: number
  /** Number of migrations of the oldest Hull that can use the tables. */
  oldest: number
}

function readVersion(store: PostgresStore): Version {
  const { isThere } = store.get<{ isThere: number }>(
    `SELECT to_regclass('${SCHEMA}.schema_version') IS NOT NULL AS isThere`
  )!
  const found = isThere === 1 ? store.get<Version>('SELECT version, oldest FROM schema_version') : undefined
  return found ?? { version: 0, oldest: 0 }
}

function migrate(store: PostgresStore, migrations: readonly string[]): void {
  const { version, oldest } = readVersion(store)
  if (oldest > migrations.length)
    throw new NewerStore(`the database has schema ${version}; this Hull knows ${migrations.length} and leaves it alone`)
  // While replicas are upgraded one by one, those of the version before are still started.
  if (version >= migrations.length) return
  store.exec(`BEGIN; SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
  try {
    store.exec(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
      CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL, oldest BIGINT NOT NULL, columns TEXT NOT NULL)`)
    // Another replica may have migrated the database in the meantime, also to a newer schema.
    const applied = readVersion(store).version
    if (applied < migrations.length) {
      for (const migration of migrations.slice(applied)) store.exec(migration)
      new DailyTables(store).extend()
      store.run('DELETE FROM schema_version')
      store.run(
        'INSERT INTO schema_version (version, oldest, columns) VALUES (?, ?, ?)',
        migrations.length,
        migrations.length - 1,
        readColumns(store)
      )
    }
    store.exec('COMMIT')
  } catch (error) {
    if (!store.isClosed) store.exec('ROLLBACK')
    throw error
  }
}

/** @throws UnusableDatabase if rows are missing */
function checkFinished(store: PostgresStore): void {
  const move = readSetting(store, 'move')
  if (move !== undefined && move.finished === undefined)
    throw new UnusableDatabase(
      'an inbox is being copied to the database: run hull-inbox move again, until it is finished'
    )
}

/** Names and types of the columns of all tables, a line each. Views of others do no harm. */
const readColumns = (store: PostgresStore): string =>
  store.get<{ columns: string }>(
    `SELECT string_agg(line, E'\\n' ORDER BY line) AS columns FROM (
       SELECT concat_ws(' ', table_name, column_name, data_type) AS line FROM information_schema.columns
       WHERE table_schema = '${SCHEMA}' AND table_name <> 'schema_version' AND EXISTS (
         SELECT 1 FROM pg_class WHERE oid = to_regclass(concat('${SCHEMA}.', table_name))
           AND relkind IN ('r', 'p') AND NOT relispartition)) AS lines`
  )!.columns

/** @throws UnusableDatabase if somebody has changed, added or removed a column */
function checkColumns(store: PostgresStore): void {
  const { columns } = store.get<{ columns: string }>('SELECT columns FROM schema_version')!
  const [known, found] = [columns, readColumns(store)].map((text) => new Set(text.split('\n'))) as [
    Set<string>,
    Set<string>
  ]
  const changed = [...known.symmetricDifference(found)].sort()
  if (changed.length > 0)
    throw new UnusableDatabase(`the tables of the inbox were changed by hand, at: ${changed.slice(0, 5).join(', ')}`)
}
