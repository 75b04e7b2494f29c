import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { eventually } from '@hull/test-helpers/patience.ts'
import { startPostgres } from '@hull/test-helpers/services.ts'
import { NewerStore } from '../../src/store/newer-store.ts'
import { isStorageError } from '../../src/store/store-errors.ts'
import { PostgresError } from '../../src/store/postgres/postgres-error.ts'
import { MIGRATION_LOCK, openPostgres, openPostgresReader, UnusableDatabase } from '../../src/store/postgres/open.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { POSTGRES_MIGRATIONS } from '../../src/store/postgres/schema.ts'

t.setTimeout(120_000)

const server = await startPostgres(t)
const admin = new PostgresStore({ url: server.url })
let databases = 0

/**
 * Creates an empty database.
 * @param options options of CREATE DATABASE
 * @returns its address
 */
function createDatabase(options = ''): string {
  const name = `database_${++databases}`
  admin.exec(`CREATE DATABASE ${name} ${options}`)
  return toUrl({ pathname: `/${name}` })
}

function openConnection(url: string): PostgresStore {
  const store = new PostgresStore({ url })
  t.teardown(() => store.close())
  return store
}

const toUrl = (over: Partial<URL>): string => Object.assign(new URL(server.url), over).href

t.test('an empty database gets the tables of the inbox, once', async (t) => {
  const url = createDatabase()
  t.throws(() => openPostgresReader({ url }, 5_000), UnusableDatabase, 'no tables exist before')
  openPostgres({ url }).close()
  const store = openPostgres({ url })
  t.teardown(() => store.close())
  t.equal(store.get<{ version: number }>('SELECT version FROM schema_version')!.version, POSTGRES_MIGRATIONS.length)
  store.run("INSERT INTO project (name, key, created) VALUES ('Shop', 'key', 1)")
  const reader = openPostgresReader({ url }, 5_000)
  t.teardown(() => reader.close())
  t.match(reader.all('SELECT id, name FROM project'), [{ id: 2, name: 'Shop' }])
  t.throws(() => reader.run('DELETE FROM project'), /read-only/)
})

t.test('a database of an earlier schema is migrated', async (t) => {
  const url = createDatabase()
  const first = openPostgres({ url }, POSTGRES_MIGRATIONS.slice(0, 5))
  first.run("INSERT INTO project (name, key, created) VALUES ('Shop', 'key', 1)")
  first.close()
  t.throws(() => openPostgresReader({ url }, 5_000), UnusableDatabase, 'no query fails because a table is missing')
  const store = openPostgres({ url })
  t.teardown(() => store.close())
  t.match(store.all('SELECT name, repository_url FROM project'), [{ name: 'Shop', repository_url: null }])
})

t.test('a replica of the previous version works, and can restart, while others are upgraded', async (t) => {
  const url = createDatabase()
  const old = openPostgres({ url })
  t.teardown(() => old.close())
  const write = (store: PostgresStore, name: string) =>
    store.run('INSERT INTO project (name, key, created) VALUES (?, ?, 1)', name, name)
  write(old, 'before')
  const countColumns = () => Object.keys(old.get('SELECT * FROM project')!).length
  const columns = countColumns()
  const next = [...POSTGRES_MIGRATIONS, "ALTER TABLE project ADD COLUMN color TEXT NOT NULL DEFAULT 'red'"]
  openPostgres({ url }, next).close()
  write(old, 'during')
  t.equal(countColumns(), columns + 1, 'a query of all columns does not fail')
  const restarted = openPostgres({ url })
  t.teardown(() => restarted.close())
  write(restarted, 'restarted')
  t.same(
    restarted.all('SELECT name, color FROM project ORDER BY id').map(({ name, color }) => [name, color]),
    ['before', 'during', 'restarted'].map((name) => [name, 'red'])
  )
  openPostgres({ url }, [...next, 'ALTER TABLE project ADD COLUMN size BIGINT']).close()
  t.throws(() => openPostgres({ url }), NewerStore, 'refused if the schema is two versions newer')
})

t.test('a monitor that has failed before the upgrade sends no second alert after it', (t) => {
  const url = createDatabase()
  const old = openPostgres({ url }, POSTGRES_MIGRATIONS.slice(0, 22))
  for (const status of ['ok', 'error'])
    old.run(
      `INSERT INTO monitor (project, slug, environment, status, last_received, zone, margin, max_runtime)
       VALUES (1, ?, '', ?, 1, 'UTC', 1, 1)`,
      status,
      status
    )
  old.close()
  const store = openPostgres({ url })
  t.teardown(() => store.close())
  t.same(
    store.all('SELECT slug, alerting FROM monitor ORDER BY slug').map(({ slug, alerting }) => [slug, alerting]),
    [
      ['error', 1],
      ['ok', 0]
    ]
  )
  t.end()
})

t.test('if two versions start at once on an empty database, the schema is that of the newer one', async (t) => {
  const url = createDatabase()
  const database = openConnection(url)
  database.exec(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`)
  const countWaiting = () =>
    database.get<{ waiting: number }>(
      "SELECT count(*) AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    )!.waiting
  const ended: Promise<unknown>[] = []
  for (const versions of [0, 1]) {
    const source = new URL('../../src/store/postgres/', import.meta.url)
    const worker = new Worker(
      `import { openPostgres } from '${new URL('open.ts', source).href}'
       import { POSTGRES_MIGRATIONS } from '${new URL('schema.ts', source).href}'
       openPostgres({ url: '${url}' }, POSTGRES_MIGRATIONS.slice(0, POSTGRES_MIGRATIONS.length - ${versions})).close()`,
      { eval: true, execArgv: ['--input-type=module'] }
    )
    ended.push(once(worker, 'exit'))
    await eventually(() => countWaiting() === ended.length)
  }
  database.exec(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`)
  t.same(await Promise.all(ended), [[0], [0]])
  t.same(database.all('SELECT version FROM schema_version'), [{ version: POSTGRES_MIGRATIONS.length }])
})

t.test('is refused with a message that says why', async (t) => {
  await t.test('if a newer Hull has migrated it', async (t) => {
    const url = createDatabase()
    openPostgres({ url }).close()
    t.throws(() => openPostgres({ url }, POSTGRES_MIGRATIONS.slice(0, 3)), NewerStore)
  })

  await t.test('if its encoding is not UTF-8', async (t) => {
    const url = createDatabase("ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    t.throws(() => openPostgres({ url }), /encoding UTF8; this has SQL_ASCII/)
  })

  await t.test('if it is read-only', async (t) => {
    const url = createDatabase()
    admin.exec(`ALTER DATABASE database_${databases} SET default_transaction_read_only = on`)
    t.throws(() => openPostgres({ url }), /read-only: DATABASE_URL must name the primary server/)
  })

  await t.test('if a table was changed by hand', async (t) => {
    const url = createDatabase()
    let store = openPostgres({ url })
    store.exec('CREATE VIEW loud AS SELECT id FROM issue WHERE events > 100')
    store.close()
    openPostgres({ url }).close()
    store = openPostgres({ url })
    store.exec('ALTER TABLE issue DROP COLUMN culprit')
    store.close()
    t.throws(() => openPostgres({ url }), /changed by hand, at: issue culprit text/)
  })

  await t.test('if user, password, database or server is wrong', async (t) => {
    t.throws(() => openPostgres({ url: toUrl({ password: 'wrong' }) }), /password authentication failed/)
    t.throws(() => openPostgres({ url: toUrl({ username: 'nobody' }) }), /authentication failed/)
    t.throws(() => openPostgres({ url: toUrl({ pathname: '/missing' }) }), /database "missing" does not exist/)
    t.throws(() => openPostgres({ url: toUrl({ port: '1' }) }), /ECONNREFUSED/)
  })
})

t.test('text of any kind is stored', async (t) => {
  const store = openPostgres({ url: createDatabase() })
  t.teardown(() => store.close())
  const id = store.insert("INSERT INTO project (name, key, created) VALUES (?, 'key', 1)", 'a\0b \u{1F600} \uD800')
  t.match(store.get('SELECT name FROM project WHERE id = ?', id), { name: 'a\uFFFDb \u{1F600} \uFFFD' })
})

t.test('a wrong statement keeps the connection open, and is not an error of the database', async (t) => {
  const store = openPostgres({ url: createDatabase() })
  t.teardown(() => store.close())
  const refused = caught(() => store.transaction(() => store.run('INSERT INTO project (name) VALUES (?)', 'Shop')))
  t.type(refused, PostgresError)
  t.equal(isStorageError(refused), false)
  t.match(store.all('SELECT * FROM project'), [])
})

t.test('a connection that the server ends rolls back, and stays closed', async (t) => {
  const url = createDatabase()
  const store = openPostgres({ url })
  const cut = caught(() =>
    store.transaction(() => {
      store.run("INSERT INTO project (name, key, created) VALUES ('Shop', 'key', 1)")
      admin.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'database_${databases}'`)
      store.all('SELECT * FROM project')
    })
  )
  t.type(cut, PostgresError)
  t.equal(isStorageError(cut), true)
  t.equal(store.isClosed, true)
  t.throws(() => store.all('SELECT 1 AS one'), PostgresError)
  const next = openPostgres({ url })
  t.teardown(() => next.close())
  t.match(next.all('SELECT * FROM project'), [])
})

function caught(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

t.test('a transaction that reads first lets others write until it locks', (t) => {
  const url = createDatabase()
  const [one, two] = [openPostgres({ url }), openPostgres({ url })]
  t.teardown(() => [one, two].forEach((store) => store.close()))
  const add = (store: PostgresStore, name: string) =>
    store.write('INSERT INTO project (name, key, created) VALUES (?, ?, 1)', name, name)
  const names = (store: PostgresStore) => store.all<{ name: string }>('SELECT name FROM project ORDER BY id')
  one.transaction(
    () => {
      t.same(names(one), [])
      two.transaction(() => add(two, 'second'))
      one.lock()
      t.same(names(one), [{ name: 'second' }], 'it reads rows that were stored in the meantime')
      add(one, 'third')
    },
    { readsFirst: true }
  )
  t.same(names(two), [{ name: 'second' }, { name: 'third' }])
  t.throws(
    () => one.transaction(() => add(one, 'fourth'), { readsFirst: true }),
    /lock/,
    'a write without the lock is refused'
  )
  t.equal(names(one).length, 2)
  t.end()
})
