import { hash, randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { PATIENCE } from '@hull/test-helpers/patience.ts'
import { findFreePort } from '@hull/test-helpers/free-port.ts'
import { getPostgres } from '@hull/test-helpers/services.ts'
import { askIssueDetail } from '../../src/queries/issues/issue.ts'
import { listIssues } from '../../src/queries/issues/issues.ts'
import { askOverview } from '../../src/queries/overview/overview.ts'
import { askReleaseRows } from '../../src/queries/releases/releases.ts'
import { openSeedStore, seedShowcase } from '../../src/seed/index.ts'
import { openInboxReader } from '../../src/store/sqlite/file.ts'
import { MIGRATIONS } from '../../src/store/migrations/index.ts'
import { moveInbox } from '../../src/store/move/move.ts'
import { PostgresSide } from '../../src/store/move/postgres-side.ts'
import { computeChecksum, listTables, readChunks } from '../../src/store/move/tables.ts'
import { openPostgres, openPostgresReader } from '../../src/store/postgres/open.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { readSetting, type Move } from '../../src/store/stored-settings.ts'
import { createDatabase } from '../helpers/database.ts'
import { startCommand } from '../helpers/command.ts'

t.setTimeout(600_000)

const server = await getPostgres(t)
const admin = new PostgresStore({ url: server.url })
t.teardown(() => admin.close())

const TABLES = listTables()
const MIB = 1024 ** 2
const NOW = Date.UTC(2026, 9, 1, 12)

/** An inbox with sample data, with values of all kinds, and with ids of deleted rows. */
const sample = join(createFolder(t), 'inbox.db')
const seeded = openSeedStore(sample)
seedShowcase(seeded, NOW)
seeded.insertRows(
  'INSERT INTO raw_item (project, received, type, size, body)',
  Array.from({ length: 5 }, (_, index) => [1, NOW, 'large', 3 * MIB, new Uint8Array(3 * MIB).fill(index)])
)
seeded.insertRows('INSERT INTO raw_item (project, received, type, event_id, size, body)', [
  [1, NOW, 'empty', '', 0, new Uint8Array()],
  [1, NOW, 'without body', null, Number.MAX_SAFE_INTEGER, null]
])
seeded.insertRows('INSERT INTO vital (trace_id, name, value, at, page, received)', [
  ['t', 'CLS', 0.1 + 0.2, NOW, 'ä\u{1F600}', NOW],
  ['t', 'LCP', 1e300, NOW, '', NOW],
  ['t', 'INP', 5, NOW, '\'"\\', NOW]
])
seeded.insertRows('INSERT INTO issue_tag (issue, name, value, events, last_seen)', [[1, 'a\0b', 'c\0\0', 1, NOW]])
seeded.insertRows('INSERT INTO check_in (project, check_in_id, monitor, status, environment, received, finished)', [
  [1, 'fraction', 'backup', 'ok', '', NOW, 1.5]
])
const LAST_ISSUE = seeded.insert(
  `INSERT INTO issue (project, type, value, culprit, level, side, first_seen, last_seen) VALUES (1, 'E', '', '', '', '', 1, 1)`
)
seeded.run('DELETE FROM issue WHERE id = ?', LAST_ISSUE)
seeded.close()

/** Creates a folder with a copy of the sample, and an empty database. */
function createSample(t: Test) {
  const folder = createFolder(t)
  const file = join(folder, 'inbox.db')
  copyFileSync(sample, file)
  return { folder, file, database: createDatabase(server.url) }
}

/** Creates an inbox with one project. */
function createSmall(file: string, key = 'k'): void {
  const store = openSeedStore(file)
  store.run("INSERT INTO project (id, name, key, created) VALUES (1, 'Shop', ?, 1)", key)
  store.close()
}

/**
 * Moves the inbox in this process.
 * @returns all lines that the command prints
 */
function move(place: { file: string; database?: string }, back = false): string {
  const lines: string[] = []
  const result = moveInbox({ ...place, back, report: (line) => lines.push(line) })
  return [...lines, result].join('\n')
}

/** Runs the command in a separate process. */
function startMove(t: Test, folder: string, database: string, ...args: string[]) {
  return startCommand(t, folder, ['move', ...args], ['env', `DATABASE_URL=${database}`])
}

function read<T>(t: Test, store: Store, query: (store: Store) => T): T {
  t.teardown(() => store.close())
  return query(store)
}

const openFile = (file: string) => new SqliteStore(openInboxReader(file))

const checksumsOf = (store: Store) => TABLES.map((table) => [table.name, computeChecksum(store, table)])

/**
 * Returns a hash of the rows of each table, with NUL characters and fractions replaced as a move through PostgreSQL
 * does.
 */
const hashesOf = (store: Store) =>
  TABLES.map(({ name, columns, key, own }) => {
    const rows = store.all(`SELECT ${columns.join(', ')} FROM ${name} WHERE ${own} ORDER BY ${key.join(', ')}`)
    const text = JSON.stringify(rows, (_name, value: unknown) =>
      value instanceof Uint8Array ? hash('sha256', value) : value
    )
    return [
      name,
      hash('sha256', text.replaceAll(String.raw`\u0000`, '\uFFFD').replace('"finished":1.5', '"finished":2'))
    ]
  })

function answersOf(store: Store) {
  const view = { since: NOW - 14 * 86_400_000, until: NOW }
  const found = listIssues(store, { view, query: 'undefined reading' })
  return {
    found,
    all: listIssues(store, { view, query: '' }),
    issue: askIssueDetail(store, { id: found.issues[0]!.id })(),
    releases: askReleaseRows(store, { view })(),
    // The two databases differ in size.
    overview: { ...askOverview(store, { view })(), storage: undefined }
  }
}

/**
 * Waits until this number of rows is copied.
 * @param read reads the progress of the move from the target
 */
async function waitForRows(rows: number, read: () => Move | undefined): Promise<void> {
  const isReached = () => Object.values(read()?.tables ?? {}).reduce((total, table) => total + table.rows, 0) >= rows
  for (const end = performance.now() + PATIENCE; !isReached(); await sleep(2))
    if (performance.now() > end) throw new Error(`${rows} rows are not copied`)
}

/** Reads the progress of the move from the unfinished file; undefined while the file is created. */
function readDraft(file: string): Move | undefined {
  if (!existsSync(file)) return undefined
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return readSetting(new SqliteStore(db), 'move')
  } catch {
    return undefined
  } finally {
    db.close()
  }
}

t.test('an inbox is copied to a database and back', async (t) => {
  const { folder, file, database } = createSample(t)
  const original = join(folder, 'original.db')
  t.match(move({ file, database }), /inbox\.db is copied to 127.*rows of \d+ tables, with equal checksums\. 2 of them/)
  renameSync(file, original)
  const back = move({ file, database }, true)
  t.match(back, /inbox\.db: [\d,]+ rows of \d+ tables, with equal checksums$/)
  const [first, middle, last] = [openFile(original), openPostgres({ url: database }), openFile(file)]
  for (const store of [first, middle, last]) t.teardown(() => store.close())

  t.test('all rows are equal', async (t) => {
    t.same(checksumsOf(middle), checksumsOf(first))
    t.same(hashesOf(last), hashesOf(first))
    t.match(middle.get("SELECT value FROM vital WHERE trace_id = 't' AND name = 'CLS'"), { value: 0.1 + 0.2 })
    t.match(middle.get("SELECT size, body FROM raw_item WHERE type = 'without body'"), {
      size: 2 ** 53 - 1,
      body: null
    })
    t.match(middle.get("SELECT name, value FROM issue_tag WHERE name LIKE 'a_b'"), {
      name: 'a\uFFFDb',
      value: 'c\uFFFD\uFFFD'
    })
    t.match(middle.get("SELECT finished FROM check_in WHERE check_in_id = 'fraction'"), { finished: 2 })
  })

  t.test('queries have the same results', async (t) => {
    const expected = answersOf(first)
    t.ok(expected.found.issues.length > 0 && expected.found.issues.length < expected.all.issues.length)
    t.same(answersOf(middle), expected)
    t.same(answersOf(last), expected)
  })

  t.test('the file has the schema of a new file', async (t) => {
    const schemaOf = (store: Store) =>
      store.all("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
    t.same(schemaOf(last), schemaOf(first))
    t.equal(statSync(file).mode & 0o777, 0o600, 'only the owner can read it')
  })

  for (const [place, open] of [
    ['the database', () => openPostgres({ url: database })],
    ['the file', () => new SqliteStore(new DatabaseSync(file))]
  ] as const)
    t.test(`${place} updates rollups and continues ids for new rows`, async (t) => {
      const store = open()
      t.teardown(() => store.close())
      store.run("INSERT INTO latency_hour VALUES (1, 0, 'server', '/new', '', 0, 3, 5, 1)")
      store.run("UPDATE latency_hour SET requests = 7 WHERE route = '/new'")
      t.match(store.all("SELECT requests, errors FROM latency_day WHERE route = '/new'"), [{ requests: 7, errors: 1 }])
      const issue = `INSERT INTO issue (project, type, value, culprit, level, side, first_seen, last_seen) VALUES (1, 'E', '', '', '', '', 1, 1)`
      const issues = [store.insert(issue), store.insert(issue)]
      t.same(issues, [LAST_ISSUE + 1, LAST_ISSUE + 2], 'the id of a deleted issue is not used again')
      store.run('INSERT INTO issue_follower (issue, person) VALUES (?, 1)', issues[0]!)
      for (const id of issues) store.run('DELETE FROM issue WHERE id = ?', id)
      t.same(store.all('SELECT person FROM issue_follower WHERE issue = ?', issues[0]!), [])
      t.equal(store.insert("INSERT INTO project (name, key, created) VALUES ('New', 'new', 1)"), 3)
      store.run("INSERT INTO issue_search (rowid, type, value) VALUES (9000, 'E', 'a very new word')")
      t.match(store.all('SELECT rowid FROM issue_search WHERE issue_search MATCH ?', '"new word"'), [{ rowid: 9000 }])
    })
})

t.test('rows that only the file can store are left out and counted', async (t) => {
  const file = join(createFolder(t), 'inbox.db')
  const database = createDatabase(server.url)
  createSmall(file)
  const source = new DatabaseSync(file)
  const addTag = source.prepare(
    "INSERT INTO issue_tag (issue, name, value, events, last_seen) VALUES (1, 'url', ?, 1, ?)"
  )
  for (const length of [1_200, 2_000]) addTag.run(randomBytes(length).toString('hex'), NOW)
  source.exec(`INSERT INTO check_in (project, check_in_id, monitor, status, environment, received, finished)
    VALUES (1, 'late', 'backup', 'ok', '', ${NOW}, ${2n ** 53n})`)
  source.close()
  t.match(move({ file, database }), /2 rows were left out: 127\.\S+ cannot store their numbers or their long tags$/)
  const target = openPostgres({ url: database })
  t.teardown(() => target.close())
  t.match(target.all('SELECT octet_length(value) AS bytes FROM issue_tag'), [{ bytes: 2_400 }])
  t.same(target.all('SELECT * FROM check_in'), [])
})

t.test('a finished move is not repeated', async (t) => {
  const folder = createFolder(t)
  const file = join(folder, 'inbox.db')
  const database = createDatabase(server.url)
  createSmall(file)
  move({ file, database })
  t.match(move({ file, database }), /^nothing to do: the inbox was copied to .* at 20\d\d-/)
  renameSync(file, join(folder, 'original.db'))
  move({ file, database }, true)
  t.match(move({ file, database }, true), /^nothing to do/)

  // The file now has another inbox: after a later move from it, it must not count as a copy of its own copy.
  const other = createDatabase(server.url)
  move({ file, database: other })
  t.throws(
    () => move({ file, database: other }, true),
    /inbox\.db.*two inboxes cannot become one: move .* to another folder/
  )
  t.throws(() => move({ file, database }), /two inboxes cannot become one: use another database/)
})

t.test('a move continues after its process was killed', async (t) => {
  const { folder, file, database } = createSample(t)
  const { child, ended } = startMove(t, folder, database)
  const readMove = () => readSetting(watching, 'move')
  const watching = new PostgresStore({ url: database })
  t.teardown(() => watching.close())
  await waitForRows(5_000, readMove)
  child.kill('SIGKILL')
  t.match(await ended, { signal: 'SIGKILL' })
  const { id } = readMove()!
  t.throws(() => openPostgres({ url: database }), /an inbox is being copied to the database: run hull-inbox move again/)
  t.throws(() => openPostgresReader({ url: database }, 5_000), /an inbox is being copied to the database/)
  t.throws(() => move({ file: join(folder, 'other.db'), database }, true), /is being copied to the database/)

  const next = await startMove(t, folder, database).ended
  t.match(next, {
    code: 0,
    said: /^hull: going on after [\d,]+ rows\n[^]*comparing checksums\n[^]*with equal checksums/
  })
  t.equal(readMove()!.id, id)
  const original = read(t, openFile(file), checksumsOf)
  t.same(read(t, openPostgres({ url: database }), checksumsOf), original)

  renameSync(file, join(folder, 'original.db'))
  const back = startMove(t, folder, database, '--back')
  const draft = join(folder, 'inbox.moving.db')
  await waitForRows(5_000, () => readDraft(draft))
  back.child.kill('SIGKILL')
  t.match(await back.ended, { signal: 'SIGKILL' })
  t.notOk(existsSync(file), 'no server can open an unfinished inbox')
  t.match(await startMove(t, folder, database, '--back').ended, { code: 0, said: /^hull: going on after/ })
  t.notOk(existsSync(draft))
  t.same(read(t, openFile(file), checksumsOf), original)
})

t.test('a move continues after its connection was lost', async (t) => {
  const { folder, file, database } = createSample(t)
  const { ended } = startMove(t, folder, database)
  const watching = new PostgresStore({ url: database })
  t.teardown(() => watching.close())
  await waitForRows(5_000, () => readSetting(watching, 'move'))
  admin.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${new URL(database).pathname.slice(1)}'
    AND pid NOT IN (SELECT pid FROM pg_stat_activity WHERE query LIKE '%FROM setting WHERE name%' AND state = 'idle')`)
  t.match(await ended, {
    code: 1,
    said: /hull: copying was interrupted: .*\. Run the command again: it goes on where it was \(APP_INBOX_COMMAND_INVALID\)\n$/
  })
  t.match(move({ file, database }), /^going on after/)
  t.same(read(t, openPostgres({ url: database }), checksumsOf), read(t, openFile(file), checksumsOf))
})

t.test('a source that was written during the move is noticed, and its tables are copied again', async (t) => {
  const { file, database } = createSample(t)
  // A slow machine also reports its progress before all rows are copied.
  const interrupt = (line: string) => {
    if (line.includes('comparing checksums')) throw new Error('interrupted')
  }
  t.throws(() => moveInbox({ file, database, report: interrupt }), /interrupted/)
  const db = new DatabaseSync(file)
  db.exec("UPDATE project SET name = 'Renamed' WHERE id = 2; DELETE FROM log WHERE id = (SELECT min(id) FROM log)")
  db.exec("UPDATE setting SET value = '77' WHERE name = 'retention_days'")
  db.exec("INSERT INTO setting (name, value) VALUES ('a', '1')")
  db.close()
  t.throws(() => move({ file, database }), {
    code: 'APP_INBOX_COMMAND_INVALID',
    message:
      /^log, project, setting: the rows differ, because a server wrote them.*Stop all servers and run the command again/
  })
  t.throws(() => openPostgres({ url: database }), /is being copied/)
  t.match(move({ file, database }), /with equal checksums/)
  t.match(
    read(t, openPostgres({ url: database }), (store) => store.all('SELECT name FROM project WHERE id = 2')),
    [{ name: 'Renamed' }]
  )
})

t.test('no process can write the source or the target during the move', async (t) => {
  const folder = createFolder(t)
  const file = join(folder, 'inbox.db')
  const database = createDatabase(server.url)
  createSmall(file)
  let tried = 0
  const tryToWrite = () => {
    tried++
    const db = new DatabaseSync(file)
    t.throws(() => db.exec("UPDATE project SET name = 'Written'"), /locked/)
    db.close()
    const other = new PostgresStore({ url: database })
    other.limitStatements(100)
    t.throws(() => other.transaction(() => {}), /statement timeout/)
    other.close()
  }
  moveInbox({ file, database, report: tryToWrite })
  renameSync(file, join(folder, 'original.db'))
  moveInbox({
    file,
    database,
    back: true,
    report() {
      tried++
      const other = openPostgres({ url: database })
      other.limitStatements(100)
      t.throws(() => other.transaction(() => {}), /statement timeout/)
      other.close()
    }
  })
  t.equal(tried, 2)
})

t.test('is refused with a message that says why, and changes nothing', async (t) => {
  const folder = createFolder(t)
  const file = join(folder, 'inbox.db')
  const database = createDatabase(server.url)
  createSmall(file)
  const write = (name: string, sql: string, content = file) => {
    const path = join(folder, name, 'inbox.db')
    mkdirSync(dirname(path))
    copyFileSync(content, path)
    const db = new DatabaseSync(path)
    db.exec(sql)
    return { path, db }
  }
  const writeClosed = (name: string, sql: string) => {
    const { path, db } = write(name, sql)
    db.close()
    return path
  }
  const fill = (sql: string) => {
    const url = createDatabase(server.url)
    const store = openPostgres({ url })
    store.exec(sql)
    store.close()
    return url
  }
  const text = join(folder, 'text.db')
  writeFileSync(text, 'not a database, but long enough to be looked at as one. '.repeat(20))
  const wrongPassword = Object.assign(new URL(database), { password: 'wrong' }).href
  const noServer = Object.assign(new URL(database), { port: String(await findFreePort()) }).href
  const newer = fill(`UPDATE schema_version SET version = ${MIGRATIONS.length + 1}`)
  const withPerson = fill("INSERT INTO person (name, role, created) VALUES ('Ada', 'admin', 1)")
  const withProject = fill("INSERT INTO project (name, key, created) VALUES ('Shop', 'a', 1)")
  const withLog = fill("INSERT INTO log (project, at, received, level, body, attributes) VALUES (1, 1, 1, '', '', '')")
  const used = write('used', 'PRAGMA journal_mode = WAL; UPDATE project SET created = 2')
  t.teardown(() => used.db.close())
  const usedDatabase = createDatabase(server.url)
  const usedBy = openPostgres({ url: usedDatabase })
  t.teardown(() => usedBy.close())
  usedBy.holdsMaintenance()
  const missing = join(folder, 'missing.db')

  const cases: [place: { file: string; database?: string }, back: boolean, sentence: RegExp][] = [
    [{ file }, false, /^set DATABASE_URL to the address/],
    [{ file }, true, /^set DATABASE_URL to the address/],
    [{ file: missing, database }, false, /^there is no inbox at .*missing\.db: DATA_DIR says where it is/],
    [{ file: text, database }, false, /text\.db is no inbox, or damaged/],
    [{ file: writeClosed('other', 'PRAGMA user_version = 0'), database }, false, /is no inbox$/],
    [
      { file: writeClosed('newer', 'PRAGMA user_version = 999'), database },
      false,
      /written by a newer Hull: its schema is 999/
    ],
    [
      { file: writeClosed('older', 'PRAGMA user_version = 3'), database },
      false,
      /written by an older Hull: start a server/
    ],
    [
      { file: writeClosed('empty', 'DELETE FROM project'), database },
      false,
      /there is no inbox in .*: it has no project/
    ],
    [{ file: used.path, database }, false, /a server has the inbox open: stop it first/],
    [{ file, database: wrongPassword }, false, /cannot be used: password authentication failed/],
    [{ file: missing, database: wrongPassword }, true, /cannot be used: password authentication failed/],
    [{ file, database: noServer }, false, /cannot be used: .*ECONNREFUSED/],
    [{ file, database: newer }, false, /database has schema \d+; this Hull knows/],
    [{ file, database: usedDatabase }, false, /a server or another move uses 127.*: stop it first/],
    [{ file: missing, database: usedDatabase }, true, /a server or another move uses 127.*: stop it first/],
    [
      { file, database: withPerson },
      false,
      /has an inbox already, and two inboxes cannot become one: use another database/
    ],
    [{ file, database: withProject }, false, /has an inbox already/],
    [{ file, database: withLog }, false, /has an inbox already/],
    [{ file: missing, database }, true, /there is no inbox in 127.*: it has no project/]
  ]
  for (const [place, back, sentence] of cases) {
    t.throws(() => move(place, back), { code: 'APP_INBOX_COMMAND_INVALID', message: sentence }, String(sentence))
  }
  t.notOk(existsSync(missing))
  t.match(
    read(t, openPostgres({ url: withPerson }), (store) => store.all('SELECT name FROM person')),
    [{ name: 'Ada' }]
  )

  await t.test('an existing file is not replaced', async (t) => {
    move({ file, database })
    t.throws(() => move({ file, database }, true), /inbox\.db exists: move it to another folder first/)
    t.throws(() => move({ file: text, database }, true), /text\.db exists/)
    writeFileSync(`${missing}-wal`, 'a log of another file')
    t.throws(() => move({ file: missing, database }, true), /missing\.db-wal exists: move it to another folder/)
    t.throws(() => move({ file: join(text, 'inbox.db'), database }, true), /inbox\.moving\.db cannot be opened/)
    t.match(
      read(t, openFile(file), (store) => store.all('SELECT key FROM project')),
      [{ key: 'k' }]
    )
  })

  await t.test('the unfinished move of another inbox is not continued', async (t) => {
    const interrupt = () => {
      throw new Error('interrupted')
    }
    const url = createDatabase(server.url)
    t.throws(() => moveInbox({ file, database: url, report: interrupt }), /interrupted/)
    const another = writeClosed('another', "UPDATE project SET key = 'l'")
    t.throws(
      () => move({ file: another, database: url }),
      /another inbox is being copied to .*two inboxes cannot become one/
    )
    t.match(move({ file, database: url }), /^going on/)
  })
})

t.test('a file that a server creates during the move is not replaced', async (t) => {
  const folder = createFolder(t)
  const [file, created] = [join(folder, 'inbox.db'), join(folder, 'created.db')]
  const database = createDatabase(server.url)
  createSmall(file)
  move({ file, database })
  renameSync(file, join(folder, 'original.db'))
  const report = () => createSmall(file, 'of a server')
  t.throws(
    () => moveInbox({ file, database, back: true, report }),
    /a server created .*inbox\.db in the meantime: stop it/
  )
  renameSync(file, created)
  t.match(move({ file, database }, true), /^nothing to do: the inbox was copied to .*inbox\.db/)
  for (const [path, key] of [
    [file, 'k'],
    [created, 'of a server']
  ] as const)
    t.match(
      read(t, openFile(path), (store) => store.all('SELECT key FROM project')),
      [{ key }]
    )
})

t.test('rows that a server writes when it starts are replaced', async (t) => {
  const file = join(createFolder(t), 'inbox.db')
  createSmall(file)
  const database = createDatabase(server.url)
  const started = openPostgres({ url: database })
  started.run("INSERT INTO project (id, name, key, created) VALUES (1, 'This application', 'new', 2)")
  started.run("INSERT INTO release (project, version, first_seen, last_seen) VALUES (1, '1', 1, 1)")
  started.run("INSERT INTO setting (name, value) VALUES ('retention_days', '3')")
  started.close()
  move({ file, database })
  const store = openPostgres({ url: database })
  t.teardown(() => store.close())
  t.match(store.all('SELECT key FROM project'), [{ key: 'k' }])
  t.same(store.all('SELECT * FROM release'), [])
  t.match(store.all('SELECT name FROM setting'), [{ name: 'move' }])
})

t.test('the move counts large tables without the statement timeout of a server', (t) => {
  const side = new PostgresSide(createDatabase(server.url), 'target')
  t.teardown(() => side.close())
  const read = (name: string) => Object.values(side.store.get(`SHOW ${name}`)!)[0]
  t.equal(read('statement_timeout'), '0')
  t.equal(read('lock_timeout'), '20s')
  t.end()
})

t.test('the command prints errors as one sentence', async (t) => {
  const folder = createFolder(t)
  const run = (...args: string[]) => startMove(t, folder, server.url, ...args).ended
  t.match(await run(), {
    code: 1,
    said: /^hull: there is no inbox at .*inbox\.db: DATA_DIR says where it is \(APP_INBOX_COMMAND_INVALID\)\n$/
  })
  t.match(await run('--bakc'), { code: 1, said: /^hull: Unknown option '--bakc'.*\nhull-inbox move copies/ })
  t.match(await startCommand(t, folder, ['move', '--back']).ended, {
    code: 1,
    said: /^hull: set DATABASE_URL to the address/
  })
})

t.test('all tables of the database are moved, in chunks of limited size', async (t) => {
  const store = openPostgres({ url: createDatabase(server.url) })
  t.teardown(() => store.close())
  const found = store.all<{ name: string; columns: string }>(
    `SELECT table_name AS name, string_agg(column_name, ',' ORDER BY column_name) AS columns FROM information_schema.columns
     WHERE table_schema = 'hull_inbox' AND table_name <> 'schema_version' AND table_name !~ '_(before|\\d{8})$' AND column_name <> 'words' GROUP BY table_name ORDER BY table_name`
  )
  t.same(
    TABLES.map(({ name, columns }) => ({ name, columns: columns.toSorted().join() })),
    found
  )
  const file = openFile(sample)
  t.teardown(() => file.close())
  const sizes = (name: string) =>
    [
      ...readChunks(
        file,
        TABLES.find((table) => table.name === name)!
      )
    ].map(({ rows }) => rows.length)
  t.same(sizes('raw_item').slice(0, 4), [1, 1, 1, 1])
  t.ok(sizes('span').every((size, index, all) => size === 1_000 || index === all.length - 1))
})
