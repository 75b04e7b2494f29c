import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { startPostgres } from '@hull/test-helpers/services.ts'
import type { Inbox, News } from '../../src/store/inbox.ts'
import { openInbox, type InboxOptions } from '../../src/store/open.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { PostgresKeeper } from '../../src/store/postgres/postgres-keeper.ts'
import { PostgresStore, WRITE_LOCK } from '../../src/store/postgres/postgres-store.ts'
import { InboxWriter } from '../../src/store/writer.ts'
import { createDatabase } from '../helpers/database.ts'
import { createEnvelope, createRawEvent, createRawException } from '../helpers/writer.ts'

t.setTimeout(600_000)

const UNAVAILABLE = { code: 'APP_INBOX_UNAVAILABLE', statusCode: 503 }
const server = await startPostgres(t)
const view = { since: 0, until: Date.now() + 86_400_000 }

interface Replica {
  inbox: Inbox
  folder: string
  lines: { level: string; details: Record<string, unknown>; message: string }[]
}

/** Opens the inbox of a replica. */
async function openReplica(t: Test, database: string, options: Partial<InboxOptions> = {}): Promise<Replica> {
  const folder = createFolder(t)
  const lines: Replica['lines'] = []
  const logAs = (level: string) => (details: object, message: string) => {
    lines.push({ level, details: { ...details }, message })
  }
  const inbox = await openInbox({
    file: join(folder, 'inbox.db'),
    database,
    maxBytes: 2 ** 30,
    retentionDays: 30,
    release: '1.0.0',
    log: { info: logAs('info'), warn: logAs('warn'), error: logAs('error') },
    ...options
  })
  t.teardown(() => inbox.close())
  return { inbox, folder, lines }
}

/**
 * Creates an envelope with an error of the application and a log line, which has no id.
 * @param type type of the exception; errors of different types are different issues
 */
function createError(type = 'TypeError') {
  const envelope = createEnvelope([
    ['event', createRawEvent({ exception: { values: [createRawException({ type })] } })],
    ['log', { items: [{ body: 'paid', level: 'info' }] }]
  ])
  envelope.meta.counts = { error: 1, log_item: 1 }
  return envelope
}

const acceptMany = (inbox: Inbox, number: number, type?: string) =>
  Promise.all(Array.from({ length: number }, () => inbox.sink.accept(createError(type))))

function count(database: string, table: string): number {
  const store = new PostgresStore({ url: database })
  try {
    return store.get<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`)!.rows
  } finally {
    store.close()
  }
}

const countEvents = (database: string): number => count(database, 'event')

const isReadOnly = (database: string): boolean =>
  count(database, "pg_settings WHERE name = 'default_transaction_read_only' AND setting = 'on'") === 1

/** Locks all writes, until `release` is called. */
function holdWriteLock(t: Test, database: string) {
  const store = new PostgresStore({ url: database })
  t.teardown(() => store.close())
  store.exec(`SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT pg_advisory_xact_lock(${WRITE_LOCK})`)
  const waiting = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return {
    countWaiting: () => store.get<{ waiting: number }>(`SELECT count(*) AS waiting ${waiting}`)!.waiting,
    /** Ends the connections that wait for the lock. */
    cut: () => store.exec(`SELECT pg_terminate_backend(pid) ${waiting}`),
    release: () => store.exec('COMMIT')
  }
}

t.test('the same new error on four replicas is one issue, with an exact count', async (t) => {
  const database = createDatabase(server.url)
  const replicas = await Promise.all(Array.from({ length: 4 }, () => openReplica(t, database)))
  await Promise.all(replicas.map(({ inbox }) => acceptMany(inbox, 50)))
  for (const { inbox, lines } of replicas) {
    const { issues } = await inbox.queries.listIssues({ view })
    t.match(issues, [{ type: 'TypeError', events: 200 }])
    t.equal(issues.length, 1)
    t.same(lines, [])
  }
})

t.test('a change by one replica is visible in the others, projects within seconds', async (t) => {
  const database = createDatabase(server.url)
  const [first, second] = [await openReplica(t, database), await openReplica(t, database)]
  const news: News[] = []
  first.inbox.onNews((arrived) => news.push(arrived))
  await first.inbox.sink.accept(createError())
  t.match(news, [{ issues: [Number] }])
  const [issue] = (await second.inbox.queries.listIssues({ view })).issues
  await second.inbox.changes.resolveIssues({ issues: [{ id: issue!.id }], who: 1 })
  t.match(await first.inbox.queries.getIssue({ id: issue!.id }), { state: 'resolved' })
  const { key } = await second.inbox.changes.createProject({ name: 'Shop' })
  t.ok(await eventually(() => first.inbox.findProject(key)))
})

t.test('while the database is down, envelopes wait on disk, and are stored once', async (t) => {
  const database = createDatabase(server.url)
  const { inbox, lines } = await openReplica(t, database)
  await acceptMany(inbox, 5)
  await server.kill()
  await acceptMany(inbox, 20, 'RangeError')
  t.notOk(inbox.stats().available)
  t.match(inbox.stats().spooled, { envelopes: 20 })
  await t.rejects(inbox.queries.listIssues({ view }), UNAVAILABLE)
  await t.rejects(inbox.queries.listProjects(), UNAVAILABLE)
  await t.rejects(inbox.changes.createProject({ name: 'Shop' }), UNAVAILABLE)
  await server.start()
  await eventually(() => inbox.stats().available && inbox.stats().spooled.envelopes === 0)
  const { issues } = await inbox.queries.listIssues({ view })
  t.same(issues.map(({ type, events }) => [type, events]).sort(), [
    ['RangeError', 20],
    ['TypeError', 5]
  ])
  t.match(inbox.stats().stored, { event: 25 }, 'the metrics continue')
  const errors = lines.filter(({ level }) => level === 'error')
  t.match(errors[0], { details: { database: /^127\.0\.0\.1:\d+\/test_/ }, message: 'the inbox cannot be opened' })
  // While the server starts, it reports another reason.
  t.ok(errors.length <= 2, 'each reason is logged once')
  t.notMatch(JSON.stringify(lines), 'secret', 'the log does not contain the password')
})

t.test('a replica whose database does not exist yet waits for it', async (t) => {
  const database = createDatabase(server.url)
  await server.kill()
  const { inbox } = await openReplica(t, database)
  t.throws(() => inbox.findProject('0123'), UNAVAILABLE, 'no key is refused before the projects are known')
  await inbox.sink.accept(createError())
  await server.start()
  await eventually(() => inbox.stats().spooled.envelopes === 0 && inbox.stats().available)
  t.equal(countEvents(database), 1)
})

/**
 * Writes ten envelopes to the spool of a process that has ended. The database is up again.
 * @returns the database and the file of the process
 */
async function leaveWaiting(t: Test) {
  const database = createDatabase(server.url)
  const { inbox, folder } = await openReplica(t, database)
  await server.kill()
  await acceptMany(inbox, 10)
  await inbox.close()
  await server.start()
  return { database, file: join(folder, 'inbox.db') }
}

t.test('envelopes that wait when their process ends are stored after the next start', async (t) => {
  const { database, file } = await leaveWaiting(t)
  const second = await openReplica(t, database, { file })
  await eventually(() => second.inbox.stats().available && countEvents(database) >= 10)
  t.equal(countEvents(database), 10)
})

t.test('envelopes that wait for the database are stored in the file that replaces it', async (t) => {
  const { database, file } = await leaveWaiting(t)
  const { inbox } = await openReplica(t, database, { file, database: undefined })
  t.ok(await eventually(() => inbox.stats().stored['event'] === 10))
  t.ok(await eventually(() => !existsSync(join(dirname(file), 'inbox-spool.db'))))
})

t.test('while the disk of the database is full, envelopes wait, and the reason is reported', async (t) => {
  const database = createDatabase(server.url)
  const { inbox, lines } = await openReplica(t, database)
  await acceptMany(inbox, 5)
  const admin = new PostgresStore({ url: database })
  t.teardown(() => admin.close())
  admin.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
    END $$;
    CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON issue FOR EACH ROW EXECUTE FUNCTION refuse()`)
  await acceptMany(inbox, 20, 'RangeError')
  t.match(inbox.stats(), { available: true, spooled: { envelopes: 20 }, failure: { reason: /No space left/ } })
  t.match(lines, [{ level: 'error', details: { reason: /No space left/ } }])
  t.match((await inbox.queries.listIssues({ view })).issues, [{ type: 'TypeError', events: 5 }], 'pages are shown')
  admin.exec('DROP TRIGGER full_disk ON issue')
  await eventually(() => inbox.stats().spooled.envelopes === 0)
  t.equal(countEvents(database), 25)
  t.same(inbox.stats().drops, [])
})

t.test('replicas whose clocks differ by minutes store all events, and delete none', async (t) => {
  const url = createDatabase(server.url)
  const writers = [-10 * 60_000, 0, 10 * 60_000].map((shift) => {
    const store = openPostgres({ url })
    t.teardown(() => store.close())
    const settings = { maxBytes: 0, retentionDays: 1, release: '1.0.0' }
    return { shift, writer: new InboxWriter(store, settings, () => Date.now() + shift) }
  })
  for (let turn = 0; turn < 3; turn++)
    for (const { shift, writer } of writers) {
      const envelope = createError()
      envelope.meta.receivedAt = Date.now() + shift
      t.same(writer.ingest([envelope], `${turn} ${shift}`), ['stored'])
      for (let left = 50; left > 0 && writer.tidy();) left--
    }
  const reader = openPostgres({ url })
  t.teardown(() => reader.close())
  t.match(reader.all('SELECT events FROM issue'), [{ events: 9 }])
  t.equal(countEvents(url), 9)
})

t.test('while the server is read-only, as after a failover, envelopes wait', async (t) => {
  const database = createDatabase(server.url)
  const { inbox, lines } = await openReplica(t, database)
  await acceptMany(inbox, 5)
  const admin = new PostgresStore({ url: server.url })
  t.teardown(() => admin.close())
  admin.exec('SET default_transaction_read_only = off')
  admin.exec('ALTER SYSTEM SET default_transaction_read_only = on')
  admin.exec('SELECT pg_reload_conf()')
  // The server informs the open connections before it opens one with the new setting.
  await eventually(() => isReadOnly(database))
  await acceptMany(inbox, 20)
  t.match(inbox.stats(), { available: false, spooled: { envelopes: 20 } })
  t.match(lines.at(-1), { level: 'error', details: { reason: /DATABASE_URL must name the primary/ } })
  admin.exec('ALTER SYSTEM RESET default_transaction_read_only')
  admin.exec('SELECT pg_reload_conf()')
  await eventually(() => countEvents(database) >= 25)
  t.equal(countEvents(database), 25)
})

t.test('a change whose connection is lost is refused as unavailable', async (t) => {
  const database = createDatabase(server.url)
  await openReplica(t, database)
  // The first replica does the maintenance, so that the second one waits only for its change.
  await eventually(() => count(database, 'pg_locks WHERE locktype = $$advisory$$') > 0)
  const { inbox } = await openReplica(t, database)
  const lock = holdWriteLock(t, database)
  const change = inbox.changes.createProject({ name: 'Shop' }).catch((error: unknown) => error)
  await eventually(() => lock.countWaiting() === 2)
  lock.cut()
  t.match(await change, UNAVAILABLE)
  lock.release()
  await eventually(() => inbox.stats().available)
  t.match(await inbox.changes.createProject({ name: 'Blog' }), { name: 'Blog' })
})

t.test(
  'a change on a screen that waits too long for another writer is refused with 503, and is not made',
  async (t) => {
    const database = createDatabase(server.url)
    const env = { DATABASE_URL: database, INBOX_PASSWORD, RENDER_TIMEOUT: '10s' }
    const { app, logs } = await createTestApp(t, { env })
    const admin = await signIn(app)
    const lock = holdWriteLock(t, database)
    const answer = await admin.post('/inbox/settings', { name: 'Shop' }, { accept: 'application/json' })
    t.equal(answer.statusCode, 503)
    t.match(answer.json(), { code: 'APP_INBOX_UNAVAILABLE', detail: /try again/ })
    t.match(logs.takeErrors(), [{ msg: 'request failed' }])
    lock.release()
    await eventually(() => app.inbox!.changes.createProject({ name: 'Blog' }).catch(() => undefined))
    const names = (await app.inbox!.queries.listProjects()).map(({ name }) => name)
    t.ok(names.includes('Blog'))
    t.notOk(names.includes('Shop'))
  }
)

t.test(
  'another process does the maintenance when the one that did is stopped, and asks nothing any more',
  async (t) => {
    const database = createDatabase(server.url)
    const [stopped, other] = [new PostgresKeeper(database), new PostgresKeeper(database)]
    const [first, second] = [stopped.open(), other.open()]
    t.ok(first.holdsMaintenance())
    t.notOk(second.holdsMaintenance())
    await eventually(() => second.holdsMaintenance())
    t.throws(() => first.get('SELECT 1'))
    t.ok(stopped.check(), 'the first one connects again when it goes on')
    second.close()
    const again = stopped.open()
    t.ok(await eventually(() => again.holdsMaintenance()))
    again.close()
  }
)

t.test('a query that runs when a slow store has opened is answered', async (t) => {
  const database = createDatabase(server.url)
  const before = await openReplica(t, database)
  await acceptMany(before.inbox, 1)
  await before.inbox.close()
  const lock = holdWriteLock(t, database)
  const other = new PostgresStore({ url: database })
  t.teardown(() => other.close())
  other.exec(`CREATE OR REPLACE FUNCTION to_search(query text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
    PERFORM pg_advisory_lock_shared(1); RETURN 'cart'::tsquery; END $$; SELECT pg_advisory_lock(1)`)
  const { inbox } = await openReplica(t, database)
  t.notOk(inbox.stats().available)
  const search = inbox.queries.listIssues({ view, query: 'cart' })
  await eventually(() => count(database, "pg_stat_activity WHERE wait_event = 'advisory'") === 2)
  lock.release()
  await eventually(() => inbox.stats().available)
  other.exec('SELECT pg_advisory_unlock(1)')
  t.match(await search, { issues: Array })
})

t.test(
  'envelopes that the database has not confirmed when the process ends are stored after the next start',
  async (t) => {
    const database = createDatabase(server.url)
    const first = await openReplica(t, database)
    const lock = holdWriteLock(t, database)
    const accepted = acceptMany(first.inbox, 3)
    await eventually(() => lock.countWaiting() > 0)
    await first.inbox.close()
    await accepted
    lock.release()
    await openReplica(t, database, { file: join(first.folder, 'inbox.db') })
    await eventually(() => countEvents(database) >= 3)
    t.equal(countEvents(database), 3)
  }
)

t.test('if no file can be written, envelopes wait in memory, and their metadata says so', async (t) => {
  const database = createDatabase(server.url)
  // The folder cannot be created, because a file has its name.
  const blocked = join(createFolder(t), 'blocked')
  writeFileSync(blocked, '')
  const { inbox } = await openReplica(t, database, { file: join(blocked, 'inbox.db') })
  await server.kill()
  const kept = createError()
  await inbox.sink.accept(kept)
  t.equal(kept.meta.isInMemory, true)
  t.match(inbox.stats().spooled, { envelopes: 1 })
  const large = { meta: createError().meta, body: new Uint8Array(17 * 1024 ** 2) }
  await t.rejects(inbox.sink.accept(large), { code: 'APP_MONITORING_SPOOL_UNAVAILABLE' }, 'above the limit')
  await server.start()
  await eventually(() => countEvents(database) === 1)
})

t.test('envelopes in memory are written to disk as soon as possible, and otherwise reported as lost', async (t) => {
  const database = createDatabase(server.url)
  const blocked = join(createFolder(t), 'blocked')
  writeFileSync(blocked, '')
  const file = join(blocked, 'inbox.db')
  const [first, second] = await Promise.all([openReplica(t, database, { file }), openReplica(t, database, { file })])
  await server.kill()
  await acceptMany(first.inbox, 3)
  await acceptMany(second.inbox, 2)
  await first.inbox.close()
  t.match(first.lines.at(-1), { level: 'error', details: { envelopes: 3 }, message: /are lost/ })
  rmSync(blocked)
  await eventually(() => second.lines.some(({ message }) => message === 'no envelopes wait in memory any more'))
  t.match(second.inbox.stats().spooled, { envelopes: 2 })
  await second.inbox.close()
  await server.start()
  await openReplica(t, database, { file })
  await eventually(() => countEvents(database) > 0)
  t.equal(countEvents(database), 2)
})

t.test('one replica does the maintenance, and another takes over when its connection ends', async (t) => {
  const database = createDatabase(server.url)
  const [one, two] = [1, 2].map(() => new PostgresStore({ url: database })) as [PostgresStore, PostgresStore]
  t.teardown(() => two.close())
  t.ok(one.holdsMaintenance())
  t.notOk(two.holdsMaintenance())
  t.ok(one.holdsMaintenance(), 'for any time')
  one.close()
  t.ok(await eventually(() => two.holdsMaintenance()))
})

t.test('a server that is killed under load loses no event, and stores none twice', async (t) => {
  const database = createDatabase(server.url)
  const replicas = await Promise.all([openReplica(t, database), openReplica(t, database)])
  let accepted = 0
  let isDone = false
  const load = replicas.flatMap(({ inbox }) =>
    Array.from({ length: 8 }, async () => {
      while (!isDone) {
        await inbox.sink.accept(createError())
        accepted++
      }
    })
  )
  for (let outage = 0; outage < 2; outage++) {
    const before = accepted
    await eventually(() => accepted > before + 300)
    await server.kill()
    const during = accepted
    await eventually(() => accepted > during + 100)
    await server.start()
  }
  isDone = true
  await Promise.all(load)
  await eventually(() => replicas.every(({ inbox }) => inbox.stats().spooled.envelopes === 0))
  await eventually(() => countEvents(database) >= accepted)
  t.equal(countEvents(database), accepted)
  t.equal(count(database, 'log'), accepted)
  const messages = replicas.flatMap(({ lines }) => lines.map(({ message }) => message))
  t.notOk(messages.includes("the inbox's thread failed"), 'the thread connects again')
})
