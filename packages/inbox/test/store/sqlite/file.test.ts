import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { openInboxFile, openInboxReader } from '../../../src/store/sqlite/file.ts'
import { MIGRATIONS } from '../../../src/store/migrations/index.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { MIB, openFile, select } from '../../helpers/inbox-file.ts'

t.test('a file', async (t) => {
  t.test('is readable only by its owner, and has a maximum size', async (t) => {
    const file = join(createFolder(t), 'data', 'inbox.db')
    openInboxFile(file, 8 * MIB).close()
    t.equal(statSync(file).mode & 0o777, 0o600)
    const db = openInboxFile(file, 8 * MIB)
    t.match(db.prepare('PRAGMA max_page_count').get(), { max_page_count: 1_024 })
    t.match(db.prepare('PRAGMA journal_mode').get(), { journal_mode: 'wal' })
    db.close()
  })

  t.test('of an earlier schema is migrated, and one copy of the previous version is kept', async (t) => {
    const file = join(createFolder(t), 'inbox.db')
    const db = openInboxFile(file, 8 * MIB, MIGRATIONS)
    db.exec(`INSERT INTO project (name, key, created) VALUES ('shop', 'k', 0)`)
    db.close()
    const second = [...MIGRATIONS, 'ALTER TABLE project ADD COLUMN colour TEXT']
    openInboxFile(file, 8 * MIB, second).close()
    const third = [...second, 'ALTER TABLE project ADD COLUMN size TEXT']
    openInboxFile(file, 8 * MIB, third).close()

    t.match(select(file, 'SELECT name, colour, size FROM project'), [{ name: 'shop', colour: null, size: null }])
    t.match(select(file, 'PRAGMA user_version'), [{ user_version: third.length }])
    const copies = readdirSync(dirname(file)).filter((name) => name.includes('before'))
    t.same(copies, [`inbox.before-${third.length}.db`])
    const copy = join(dirname(file), copies[0]!)
    t.match(select(copy, 'PRAGMA user_version'), [{ user_version: second.length }])
    t.match(select(copy, 'SELECT name, colour FROM project'), [{ name: 'shop' }])
    t.equal(statSync(copy).mode & 0o777, 0o600)
  })

  t.test('of schema 2 keeps its people and their sessions', async (t) => {
    const file = join(createFolder(t), 'inbox.db')
    const db = openInboxFile(file, 8 * MIB, MIGRATIONS.slice(0, 2))
    const now = Date.now()
    db.exec(`INSERT INTO person (id, name, role, created) VALUES (1, 'Ada', 'admin', ${now});
      INSERT INTO person_session (hash, person, created, last_seen) VALUES ('${'a'.repeat(64)}', 1, ${now}, ${now})`)
    db.close()
    const { inbox } = await openFile(t, file)
    const input = { hash: 'a'.repeat(64), passwordFingerprints: ['any'] }
    t.match(await inbox.queries.findPersonSession(input), { name: 'Ada', role: 'admin' })
    await inbox.close()
    t.match(select(file, 'PRAGMA user_version'), [{ user_version: MIGRATIONS.length }])
  })

  t.test('that cannot be migrated does not change', async (t) => {
    const file = join(createFolder(t), 'inbox.db')
    openInboxFile(file, 8 * MIB).close()
    const broken = [...MIGRATIONS, 'CREATE TABLE one (a); CREATE TABLE one (a)']
    t.throws(() => openInboxFile(file, 8 * MIB, broken), /already exists/)
    t.match(select(file, 'PRAGMA user_version'), [{ user_version: MIGRATIONS.length }])
    t.same(select(file, `SELECT name FROM sqlite_schema WHERE name = 'one'`), [])
  })
})

t.test('an inbox', async (t) => {
  t.test('does not change a file that a newer Hull has written, logs that, and refuses envelopes', async (t) => {
    const file = join(createFolder(t), 'inbox.db')
    const db = openInboxFile(file, 8 * MIB)
    db.exec('PRAGMA user_version = 99')
    db.close()
    const { inbox, lines, deliver } = await openFile(t, file)
    t.equal(inbox.stats().available, false)
    t.match(lines, [{ level: 'error', message: /newer Hull/, details: { reason: /schema 99/ } }])
    t.match(inbox.own, { id: 1, key: /^[\da-f]{32}$/ })
    await t.rejects(deliver(), { code: 'APP_MONITORING_SPOOL_UNAVAILABLE' })
    await inbox.close()
    t.match(select(file, 'PRAGMA user_version'), [{ user_version: 99 }])
    t.notOk(readdirSync(dirname(file)).some((name) => name.includes('corrupt')))
  })

  t.test('cannot be read while its file has no tables, so that no query fails because of that', async (t) => {
    const file = join(createFolder(t), 'inbox.db')
    writeFileSync(file, '')
    t.throws(() => openInboxReader(file), /no tables yet/)
  })

  t.test('is unavailable if its file cannot be migrated, so that no query fails for a missing table', async (t) => {
    const file = join(createFolder(t), 'inbox.db')
    openInboxFile(file, 8 * MIB, MIGRATIONS.slice(0, 3)).close()
    // The folder has the name of the copy that is made before a migration.
    mkdirSync(join(dirname(file), `inbox.before-4.db`))
    const { inbox, lines } = await openFile(t, file)
    t.match(lines, [{ level: 'error', message: 'the inbox cannot be opened' }])
    const unavailable = { code: 'APP_INBOX_UNAVAILABLE', statusCode: 503 }
    await t.rejects(inbox.queries.listChannels(), unavailable, 'a query on the main thread')
    await t.rejects(inbox.queries.listThresholds({ now: Date.now() }), unavailable, 'a scan')
  })

  t.test('opens a file that cannot be created as soon as that is possible', async (t) => {
    const folder = createFolder(t, { data: 'a file, where a folder should be' })
    const file = join(folder, 'data', 'inbox.db')
    const { inbox, lines, deliver } = await openFile(t, file)
    t.equal(inbox.stats().available, false)
    t.match(lines, [{ level: 'error', message: 'the inbox cannot be opened' }])
    await t.rejects(deliver(), { code: 'APP_MONITORING_SPOOL_UNAVAILABLE' })
    rmSync(join(folder, 'data'))
    for (let waited = 0; !inbox.stats().available && waited < 100; waited++)
      await new Promise((resolve) => setTimeout(resolve, 100))
    await deliver()
    t.equal(inbox.findProject(inbox.own.key)?.id, 1)
    t.equal(lines.length, 1)
    await inbox.close()
    t.ok(existsSync(file))
    t.match(select(file, 'SELECT count(*) AS events FROM event'), [{ events: 1 }])
  })
})
