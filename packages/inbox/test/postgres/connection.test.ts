import t, { type Test } from 'tap'
import { openCuttingProxy } from '@hull/test-helpers/cutting-proxy.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { getPostgres } from '@hull/test-helpers/services.ts'
import type { Grants } from '../../src/access/roles.ts'
import { Connection } from '../../src/store/postgres/connection.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { PostgresError } from '../../src/store/postgres/postgres-error.ts'
import { POSTGRES_MIGRATIONS } from '../../src/store/postgres/schema.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { QueryThread } from '../../src/store/query-thread.ts'
import { InboxWriter } from '../../src/store/writer.ts'
import { createDatabase } from '../helpers/database.ts'

t.setTimeout(120_000)

const { url } = await getPostgres(t)
const TABLE = 'CREATE TEMPORARY TABLE item (id BIGINT PRIMARY KEY, name TEXT)'

function connect(t: Test, answerTimeout?: number): Connection {
  const connection = new Connection({ url, answerTimeout })
  t.teardown(() => connection.close())
  return connection
}

t.test('deferred requests run in order, before the one whose result is taken', (t) => {
  const connection = connect(t)
  connection.query({ text: TABLE })
  const insert = { text: 'INSERT INTO item VALUES ($1, $2)', name: 'insert' }
  const inserted = connection.defer({ ...insert, values: [1, 'one'] })
  connection.defer({ ...insert, values: [2, null] })
  const all = connection.defer({ text: 'SELECT * FROM item ORDER BY id', values: [] })
  connection.defer({ text: 'DELETE FROM item WHERE id = 1; DELETE FROM item WHERE id = 2' })
  const { rows } = connection.query({ text: 'SELECT count(*) AS left FROM item', values: [] })
  t.same(rows, [{ left: 0 }], 'a script between statements runs in order')
  t.same(connection.take(all).rows, [
    { id: 1, name: 'one' },
    { id: 2, name: null }
  ])
  t.equal(connection.take(inserted).changes, 1)
  t.end()
})

t.test('after an error, no further request of the same message runs', (t) => {
  const connection = connect(t)
  connection.query({ text: TABLE })
  const insert = { text: 'INSERT INTO item VALUES ($1, $2)', name: 'insert' }
  connection.defer({ text: 'BEGIN', values: [] })
  connection.defer({ ...insert, values: [1, 'one'] })
  connection.defer({ ...insert, values: [1, 'again'] })
  const after = connection.defer({ text: 'SELECT 1 AS one', values: [], name: 'one' })
  t.throws(() => connection.query({ text: 'COMMIT', values: [] }), { name: 'PostgresError', code: '23505' })
  t.throws(() => connection.take(after), PostgresError, 'no result')
  connection.query({ text: 'ROLLBACK', values: [] })
  t.equal(connection.query({ ...insert, values: [1, 'one'] }).changes, 1, 'a statement of the failed message works')
  t.same(
    connection.query({ text: 'SELECT 1 AS one', values: [], name: 'one' }).rows,
    [{ one: 1 }],
    'a statement after the failed one works'
  )
  t.end()
})

t.test('a statement that failed works afterwards', (t) => {
  const connection = connect(t)
  const divide = { text: 'SELECT 6 / CAST($1 AS BIGINT) AS quotient', name: 'divide' }
  t.throws(() => connection.query({ ...divide, values: [0] }), { code: '22012' })
  t.same(connection.query({ ...divide, values: [2] }).rows, [{ quotient: 3 }])
  for (let attempt = 0; attempt < 2; attempt++)
    t.throws(() => connection.query({ text: 'SELECT nothing', values: [], name: 'one' }), { code: '42703' })
  t.same(connection.query({ text: 'SELECT 1 AS one', values: [], name: 'one' }).rows, [{ one: 1 }])
  t.end()
})

t.test('values are transferred unchanged', (t) => {
  const connection = connect(t)
  const text = 'SELECT CAST($1 AS TEXT[]) AS texts, CAST($2 AS BIGINT[]) AS numbers, CAST($3 AS BYTEA) AS bytes'
  const texts = ['', 'a,b', '"{}"', '\\', 'NULL', null, ' ', 'a\0b', '\u{1F4A9}']
  const bytes = new Uint8Array([0, 1, 0x5c, 255])
  const { rows } = connection.query({ text, values: [texts, [-1, 2 ** 53 - 1], bytes] })
  t.same(rows[0]!['texts'], texts.with(7, 'a\uFFFDb'), 'text has no NUL character')
  t.same(rows[0]!['numbers'], [-1, 2 ** 53 - 1])
  t.same([...(rows[0]!['bytes'] as Uint8Array)], [...bytes])
  const numbers = [0.1, 1e300, -5e-324]
  const back = connection.query({
    text: 'SELECT CAST($1 AS FLOAT8) AS a, $2::FLOAT8 AS b, $3::FLOAT8 AS c',
    values: numbers
  })
  t.same(Object.values(back.rows[0]!), numbers)
  t.end()
})

t.test('requests and results that are larger than the network buffer are sent together', (t) => {
  const connection = connect(t)
  const large = 'x'.repeat(2 ** 20)
  const asked = Array.from({ length: 30 }, () => connection.defer({ text: 'SELECT $1::TEXT AS text', values: [large] }))
  for (const deferred of asked) t.equal((connection.take(deferred).rows[0]!['text'] as string).length, large.length)
  t.end()
})

t.test('a query that sends several statements before it reads gets each result', (t) => {
  const store = new PostgresStore({ url })
  t.teardown(() => store.close())
  const asked = [1, 2, 3].map((number) => store.ask<{ n: number }>('SELECT CAST(? AS BIGINT) AS n', number))
  t.same(store.all('SELECT 4 AS n'), [{ n: 4 }])
  t.same(
    asked.map((rows) => rows()),
    [[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]
  )
  t.same(asked[0]!(), [{ n: 1 }], 'the result can be read again')
  let late: (() => unknown) | undefined
  store.runFor(undefined, () => void (late = store.ask('SELECT nothing')))
  t.same(store.all('SELECT 5 AS n'), [{ n: 5 }], 'a statement whose result is not read is not sent')
  t.throws(late!, PostgresError)
  t.end()
})

t.test('queries that run together', async (t) => {
  const store = new PostgresStore({ url })
  t.teardown(() => store.close())
  const askNow = () => store.ask('SELECT CAST(now() AS TEXT) AS now')
  const grants: Grants = { role: 'none', projects: { 1: 'member' } }
  const readGrants = () => {
    const rows = askNow()
    return () => [rows(), store.grants]
  }

  t.test('are one message, which the server runs in one transaction, each with the grants of its person', async (t) => {
    const [first, second] = store.runAll([
      { grants, query: readGrants },
      { grants: undefined, query: readGrants }
    ]) as { value: [{ now: string }[], Grants?] }[]
    t.same(first!.value, [second!.value[0], grants])
    t.equal(second!.value[1], undefined)
    t.equal(store.grants, undefined)
  })

  t.test('fail separately', async (t) => {
    const outcomes = store.runAll([
      { grants: undefined, query: () => store.ask('SELECT 1 AS n') },
      { grants: undefined, query: () => store.ask('SELECT nothing') },
      { grants: undefined, query: () => store.all('SELECT 2 AS n') },
      {
        grants: undefined,
        query: () => {
          throw new Error('no statement')
        }
      }
    ])
    t.match(outcomes, [
      { value: [{ n: 1 }] },
      { error: { code: '42703' } },
      { value: [{ n: 2 }] },
      { error: { message: 'no statement' } }
    ])
  })
})

t.test('a query reuses rows of an earlier run, and runs again if they have changed', async (t) => {
  const database = createDatabase(url)
  const [store, other] = [new PostgresStore({ url: database }), new PostgresStore({ url: database })]
  t.teardown(() => {
    for (const each of [store, other]) each.close()
  })
  other.exec('CREATE TABLE hull_inbox.place (n BIGINT); INSERT INTO hull_inbox.place VALUES (1)')
  let runs = 0
  const double = () => {
    runs++
    const rows = store.ask(
      'SELECT CAST(? AS BIGINT) AS n',
      2 * store.recall<{ n: number }>('SELECT n FROM place')[0]!.n
    )
    return () => rows()
  }
  const countRuns = (expected: number) => {
    runs = 0
    const [{ n }] = store.runFor(undefined, double) as [{ n: number }]
    t.equal(n, expected)
    return runs
  }
  t.equal(countRuns(2), 1)
  t.equal(countRuns(2), 1)
  other.exec('UPDATE hull_inbox.place SET n = 5')
  t.equal(countRuns(10), 2)
  t.equal(countRuns(10), 1)
  other.exec('UPDATE hull_inbox.place SET n = 6')
  t.same(
    store.runFor(undefined, () => store.recall('SELECT n FROM place')),
    [{ n: 6 }],
    'also if the query has no other statement'
  )
})

t.test('a connection that does not answer in time is closed, except during a migration of the tables', (t) => {
  const connection = connect(t, 300)
  // The first result includes the start of the thread, which may take longer.
  connection.withoutTimeout(() => t.equal(connection.query({ text: 'SELECT pg_sleep(0.8)' }).changes, 1))
  t.throws(() => connection.query({ text: 'SELECT pg_sleep(5)' }), {
    code: '08006',
    message: 'the database does not answer'
  })
  t.ok(connection.isClosed)

  const database = createDatabase(url)
  const migrations = [...POSTGRES_MIGRATIONS, 'SELECT pg_sleep(7)']
  const migrated = openPostgres({ url: database, answerTimeout: 6_000 }, migrations)
  t.equal(migrated.get<{ version: number }>('SELECT version FROM schema_version')!.version, migrations.length)
  migrated.close()
  t.end()
})

t.test('queries that wait for a server that does not answer all fail, and further ones fail immediately', async (t) => {
  const database = createDatabase(url)
  openPostgres({ url: database }).close()
  const proxy = await openCuttingProxy(t, database)
  const { port } = new URL(proxy.origin)
  const through = new URL(database)
  through.port = port
  const unavailable = { code: 'APP_INBOX_UNAVAILABLE', statusCode: 503 }
  const reads = new QueryThread({ file: '', database: through.href }, { deadline: 2_000, runsTogether: true })
  t.teardown(() => reads.close())
  const ask = () => reads.run('listProjects', {})
  t.same(await ask(), [])

  proxy.silence(true)
  const asked = [ask()]
  await new Promise(setImmediate)
  // These queries wait for the first one.
  asked.push(ask(), ask())
  const failed = { status: 'rejected', reason: unavailable }
  t.match(await Promise.allSettled(asked), [failed, failed, failed])
  await t.rejects(ask(), unavailable, 'while it connects again')

  proxy.silence(false)
  t.same(await eventually(() => ask().catch(() => {})), [])
})

t.test('a connection that the server ends is closed immediately', async (t) => {
  const [store, other] = [new PostgresStore({ url }), new PostgresStore({ url })]
  t.teardown(() => other.close())
  t.throws(() => store.all('SELECT pg_terminate_backend(pg_backend_pid())'), { code: '57P01' })
  t.ok(store.isClosed)
  store.close()

  const idle = new PostgresStore({ url })
  const { id } = idle.get<{ id: number }>('SELECT CAST(pg_backend_pid() AS BIGINT) AS id')!
  other.all('SELECT pg_terminate_backend(CAST(? AS INT), 5000)', id)
  idle.close()
  t.ok(idle.isClosed)
})

t.test('a writer whose connection is lost can still report its statistics', (t) => {
  const database = createDatabase(url)
  const store = openPostgres({ url: database })
  const writer = new InboxWriter(store, { maxBytes: 0, retentionDays: 1, release: '1.0.0' })
  t.throws(() => store.all('SELECT pg_terminate_backend(pg_backend_pid())'), { code: '57P01' })
  t.match(writer.stats, { stored: {}, lag: 0 })
  t.ok(writer.stats.bytes > 0)
  t.end()
})
