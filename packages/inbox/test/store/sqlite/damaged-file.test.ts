import { execFile } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { lacksSmallDisks, onSmallDisk } from '@hull/test-helpers/small-disk.ts'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import { isDamaged, openInboxFile, putCorruptAside } from '../../../src/store/sqlite/file.ts'
import { SqliteKeeper } from '../../../src/store/sqlite/sqlite-keeper.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { writeMaps } from '@hull/test-helpers/source-maps.ts'
import { MIB, openFile, select } from '../../helpers/inbox-file.ts'
import { createRawEvent, createRawException } from '../../helpers/writer.ts'

const execute = promisify(execFile)

t.test('only the two newest damaged files are kept, each with its write-ahead log', async (t) => {
  const old = ['2026-01-01T00-00-00-000Z', '2026-02-01T00-00-00-000Z'].map((time) => `inbox.corrupt-${time}.db`)
  const newest = 'inbox.corrupt-2026-04-01T00-00-00-000Z.db'
  // Other files, and files that a person renamed.
  const others = ['inbox2.corrupt-2026-01-01T00-00-00-000Z.db', 'inbox.corrupt-keep.db', 'inbox.before-2.db']
  const names = [...old, `${old[0]}-wal`, newest, `${newest}-wal`, ...others, 'inbox.db']
  const folder = createFolder(t, Object.fromEntries(names.map((name) => [name, 'no database '.repeat(100)])))
  new SqliteKeeper({ file: join(folder, 'inbox.db'), maxBytes: 8 * MIB, report() {} }).open().close()
  const left = readdirSync(folder).filter((name) => !others.includes(name))
  t.match(left.sort(), [newest, `${newest}-wal`, /^inbox\.corrupt-(?!2026-0[1-4]-01)[\dTZ-]+\.db$/, 'inbox.db'])
  t.equal(left.length, 5, 'with the recovery copy')
  t.ok(others.every((name) => readdirSync(folder).includes(name)))
})

t.test('a file', async (t) => {
  t.test('that is no database is renamed and replaced, with one log line', async (t) => {
    const file = join(createFolder(t), 'inbox.db')
    writeFileSync(file, 'not a database at all, and long enough to be looked at'.repeat(100))
    const { inbox, lines, deliver } = await openFile(t, file)
    t.equal(inbox.stats().available, true)
    await deliver()
    await inbox.close()
    t.match(lines, [{ level: 'error', message: /was damaged/, details: { aside: /inbox\.corrupt-[\dTZ-]+\.db$/ } }])
    t.equal(lines.length, 1)
    const { aside } = lines[0]!.details as { aside: string }
    t.match(readFileSync(aside, 'latin1'), /^not a database/)
    t.match(select(file, `SELECT value FROM setting WHERE name = 'corrupt'`), [{ value: /"aside":.*corrupt-/ }])
    t.match(select(file, 'SELECT count(*) AS events FROM event'), [{ events: 1 }])
  })

  t.test('that is found to be damaged while it is used is replaced, and no envelope is lost', async (t) => {
    const file = join(createFolder(t), 'inbox.db')
    const first = await openFile(t, file)
    for (let i = 0; i < 50; i++) await first.deliver()
    await first.inbox.close()
    // Overwrites every page except the first, so also the root pages of the tables.
    const bytes = readFileSync(file)
    bytes.fill(0xff, 8_192)
    writeFileSync(file, bytes)
    t.equal(isDamaged(file), true)

    const { inbox, lines, deliver } = await openFile(t, file)
    await retry(deliver)
    await inbox.close()
    t.ok(lines.some(({ message }) => message.includes('was damaged')))
    t.ok(readdirSync(dirname(file)).some((name) => name.startsWith('inbox.corrupt-')))
    t.match(select(file, 'SELECT count(*) AS events FROM event'), [{ events: 1 }])
  })

  t.test('that was cut off is renamed and replaced', async (t) => {
    const file = join(createFolder(t), 'inbox.db')
    const first = await openFile(t, file)
    for (let i = 0; i < 20; i++) await first.deliver()
    await first.inbox.close()
    truncateSync(file, 40_000)
    const { inbox, deliver } = await openFile(t, file)
    await retry(deliver)
    await inbox.close()
    t.ok(readdirSync(dirname(file)).some((name) => name.startsWith('inbox.corrupt-')))
    t.match(select(file, 'SELECT count(*) AS events FROM event'), [{ events: 1 }])
  })
})

t.test('damage', async (t) => {
  /** Fills an inbox with a project, a signed-in person and a resolved issue. */
  async function fill(t: Test, checkInterval?: number) {
    const file = join(createFolder(t), 'inbox.db')
    const opened = await openFile(t, file, checkInterval)
    const { inbox, deliver } = opened
    const shop = await inbox.changes.createProject({ name: 'Shop' })
    const session = { hash: 'a'.repeat(64), at: Date.now(), passwordFingerprints: ['f'] }
    const who = await inbox.changes.signInAdmin({ name: 'Ada', session })
    await inbox.changes.createToken({ hash: 'b'.repeat(64), name: 'Bot', scope: 'read', person: who, at: Date.now() })
    await inbox.changes.setRoles({ id: who, projects: { [shop.id]: 'viewer' } })
    for (let i = 0; i < 20; i++) await deliver()
    const view = { since: 0, until: Date.now() + 1_000 }
    const { issues } = await inbox.queries.listIssues({ view })
    await inbox.changes.resolveIssues({ issues, who })
    return { ...opened, file, key: shop.key, view }
  }

  async function check(
    t: Test,
    { inbox, key, view }: Pick<Awaited<ReturnType<typeof fill>>, 'inbox' | 'key' | 'view'>
  ) {
    t.equal(inbox.findProject(key)?.name, 'Shop', 'the project has the same key')
    const session = { hash: 'a'.repeat(64), passwordFingerprints: ['f'] }
    t.match(await inbox.queries.findPersonSession(session), { name: 'Ada', role: 'admin', projects: { 2: 'viewer' } })
    const { hash } = session
    t.equal(
      await inbox.queries.findPersonSession({ hash }),
      undefined,
      'the session still ends when its password changes'
    )
    t.match(await inbox.queries.findToken({ hash: 'b'.repeat(64) }), { name: 'Bot', scope: 'read' })
    return inbox.queries.listIssues({ view: { ...view, until: Date.now() + 1_000 } })
  }

  t.test('of one table keeps projects, people, states and events', async (t) => {
    const { file, inbox: first, ...rest } = await fill(t)
    await first.close()
    damageTable(file, 'issue_tag')
    const { inbox, deliver, lines } = await openFile(t, file)
    await retry(deliver)
    const { issues } = await check(t, { ...rest, inbox })
    t.match(issues, [{ state: 'regressed', events: 21 }])
    t.match(lines, [{ message: /was damaged/, details: { salvaged: { project: 2, issue: 1, event: 20 } } }])
    t.equal((await inbox.queries.getEvent({ id: issues[0]!.id })).row.release, '1.0.0')
  })

  t.test('of one table counts no visitor of an issue twice', async (t) => {
    const file = join(createFolder(t), 'inbox.db')
    const first = await openFile(t, file)
    const event = () => createRawEvent({ user: { id: 'ada' } })
    await first.deliver(event())
    await first.inbox.close()
    damageTable(file, 'issue_tag')
    const { inbox, deliver, lines } = await openFile(t, file)
    await retry(() => deliver(event()))
    await inbox.close()
    t.match(lines, [{ message: /was damaged/ }])
    t.match(select(file, 'SELECT events, visitors FROM issue'), [{ events: 2, visitors: 1 }])
  })

  t.test('is repaired by the next start if a restart interrupted the repair', async (t) => {
    /** Starts an inbox, and returns the numbers of rows that it copied. */
    async function start(t: Test, filled: Pick<Awaited<ReturnType<typeof fill>>, 'file' | 'key' | 'view'>) {
      const { inbox, lines } = await openFile(t, filled.file)
      await eventually(() => inbox.stats().available)
      await check(t, { ...filled, inbox })
      await inbox.close()
      t.match(select(filled.file, 'SELECT state, events FROM issue'), [{ state: 'resolved', events: 20 }])
      t.match(select(filled.file, 'SELECT count(*) AS events FROM event'), [{ events: 20 }])
      return lines.map(({ details }) => (details as { salvaged: Record<string, number> }).salvaged)
    }

    await t.test('after the file was renamed', async (t) => {
      const { inbox, ...filled } = await fill(t)
      await inbox.close()
      putCorruptAside(filled.file)
      t.match(await start(t, filled), [{ issue: 1, event: 20 }])
      t.same(await start(t, filled), [], 'copied only once')
    })

    await t.test('while rows were copied', async (t) => {
      const { inbox, ...filled } = await fill(t)
      await inbox.close()
      copyFileSync(filled.file, `${filled.file}.part`)
      putCorruptAside(filled.file)
      renameSync(`${filled.file}.part`, filled.file)
      const db = new DatabaseSync(filled.file)
      db.exec('DELETE FROM event WHERE id > 10')
      db.close()
      const [salvaged] = await start(t, filled)
      t.match(salvaged, { event: 10 })
      t.equal(salvaged!['issue'], undefined, 'no row is copied twice')
    })
  })

  t.test('of one number keeps the rows around it', async (t) => {
    const { file, inbox: first } = await fill(t)
    await first.close()
    const db = new DatabaseSync(file)
    db.exec(`UPDATE event SET received = ${2n ** 62n} WHERE id = 10`)
    db.close()
    putCorruptAside(file)
    const { lines } = await openFile(t, file)
    await eventually(() => lines.length > 0)
    t.match(lines, [{ message: /was damaged/, details: { salvaged: { event: 19 } } }])
  })

  t.test('of the newest events does not prevent the next events from being stored', async (t) => {
    const { file, inbox: first } = await fill(t)
    await first.close()
    const db = new DatabaseSync(file)
    db.exec(`UPDATE event SET received = ${2n ** 62n} WHERE id > 10`)
    db.close()
    putCorruptAside(file)
    const { inbox, deliver, lines } = await openFile(t, file)
    await retry(deliver)
    t.match(lines, [{ message: /was damaged/, details: { salvaged: { event: 10 } } }])
    t.same(inbox.stats().drops, [])
    t.match(select(file, 'SELECT count(*) AS events FROM event'), [{ events: 11 }])
    const details = 'SELECT count(*) AS payloads FROM event_payload WHERE event IN (SELECT id FROM event)'
    t.match(select(file, details), [{ payloads: 11 }])
  })

  t.test('of an issue makes the next event of its error create a new issue', async (t) => {
    const { file, inbox: first, view } = await fill(t)
    await first.close()
    const db = new DatabaseSync(file)
    db.exec(`UPDATE issue SET events = ${2n ** 62n}`)
    db.close()
    putCorruptAside(file)
    const { inbox, deliver, lines } = await openFile(t, file)
    await retry(deliver)
    t.match(lines, [{ message: /was damaged/, details: { salvaged: { issue_key: 1, event: 20 } } }])
    const { issues } = await inbox.queries.listIssues({ view: { ...view, until: Date.now() + 1_000 } })
    t.match(issues, [{ id: 2, state: 'unresolved', events: 1 }])
    t.same(inbox.stats().drops, [])
  })

  t.test('of all pages except the first keeps projects and people', async (t) => {
    const { file, inbox: first, ...rest } = await fill(t)
    await first.close()
    const bytes = readFileSync(file)
    bytes.fill(0xff, 8_192)
    writeFileSync(file, bytes)
    const { inbox, deliver } = await openFile(t, file)
    await retry(deliver)
    const { issues } = await check(t, { ...rest, inbox })
    t.match(issues, [{ state: 'unresolved', events: 1 }])
  })

  t.test('of an open file is noticed even if no envelopes arrive', async (t) => {
    const opened = await fill(t, 50)
    damageTable(opened.file, 'span')
    await eventually(() => opened.lines.some(({ message }) => message.includes('was damaged')))
    await retry(opened.deliver)
    const { issues } = await check(t, opened)
    t.match(issues, [{ state: 'regressed', events: 21 }])
  })

  t.test('removing the file while it is open is noticed and logged', async (t) => {
    const { file, lines, inbox, deliver } = await fill(t, 50)
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
    await eventually(() => lines.some(({ message }) => message.includes('removed or replaced')))
    await retry(deliver)
    await inbox.close()
    t.match(select(file, 'SELECT count(*) AS events FROM event'), [{ events: 1 }])
  })
})

t.test('a new file gets the source maps of the build', async (t) => {
  const folder = createFolder(t)
  writeMaps(folder, { 'client/assets/cart.js': { version: 3, names: [], sources: [], mappings: '' } })
  const file = join(createFolder(t), 'inbox.db')
  const { lines, deliver } = await openFile(t, file, 50, 64 * MIB, folder)
  const hasMaps = () => select(file, 'SELECT * FROM source_map_file').length === 1
  await eventually(hasMaps)
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
  await eventually(() => lines.some(({ message }) => message.includes('removed or replaced')))
  await retry(deliver)
  await eventually(hasMaps)
})

t.test('rows of a damaged file that do not fit into the new one are left out', async (t) => {
  /**
   * Damages an inbox, and opens it with less space for the new file.
   * @param room MiB for rows
   */
  async function replace(
    t: Test,
    room: number,
    fill: (opened: Awaited<ReturnType<typeof openFile>>) => Promise<unknown>
  ) {
    const file = join(createFolder(t), 'inbox.db')
    const first = await openFile(t, file)
    await fill(first)
    await first.inbox.close()
    damageTable(file, 'issue_tag')
    const bytes = bytesOfEmpty(t) + room * MIB
    const { inbox, lines, deliver } = await openFile(t, file, undefined, bytes)
    await retry(deliver)
    await inbox.close()
    t.equal(lines.filter(({ message }) => message.includes('was damaged')).length, 1, 'one log line')
    t.notOk(lines.some(({ message }) => message.includes('cannot be opened')))
    t.match(select(file, `SELECT value FROM setting WHERE name = 'corrupt'`), [{ value: /"aside":.*corrupt-/ }])
    t.match(select(file, 'SELECT count(*) AS events FROM event'), [{ events: 1 }], 'the new event')
    return { file, salvaged: (lines[0]!.details as { salvaged: Record<string, number> }).salvaged }
  }

  t.test('events are left out', async (t) => {
    const { file, salvaged } = await replace(t, 1.2, async ({ deliver }) => {
      const words = (issue: number) => Array.from({ length: 100 }, (_, index) => `word${issue * 100 + index}`)
      const values = Array.from({ length: 400 }, (_, issue) => words(issue).join(' '))
      await Promise.all(
        values.map((value, issue) =>
          deliver(createRawEvent({ fingerprint: [`${issue}`], exception: { values: [createRawException({ value })] } }))
        )
      )
    })
    const [{ issues }] = select(file, 'SELECT count(*) AS issues FROM issue') as [{ issues: number }]
    t.equal(salvaged['issue'], 400)
    t.match(select(file, 'SELECT count(*) AS found FROM issue_search'), [{ found: issues }], 'all issues can be found')
  })

  t.test('the rows of the recovery copy are not left out', async (t) => {
    const { salvaged } = await replace(t, 0, async ({ inbox }) => {
      const names = Array.from({ length: 500 }, (_, number) => `Shop ${number} ${'x'.repeat(60)}`)
      await Promise.all(names.map((name) => inbox.changes.createProject({ name })))
    })
    t.equal(salvaged['project'], 501)
  })
})

t.test('a damaged file is replaced when the full disk has free space again', { skip: lacksSmallDisks() }, async (t) => {
  t.match(await runOnSmallDisk(t, 'replace-on-full-disk.ts', 16), {
    failure: /full/,
    lines: [{ message: /was damaged/, details: { salvaged: { project: 1 } } }],
    projects: [{ name: 'Shop' }],
    settings: [{ name: 'corrupt' }]
  })
})

t.test('a migration on a full disk leaves no part of a copy', { skip: lacksSmallDisks() }, async (t) => {
  t.match(await runOnSmallDisk(t, 'migrate-on-full-disk.ts', 24), {
    failure: /^a copy of .*inbox\.db is made before its schema changes: free \d+ MiB of the disk$/,
    before: [],
    after: [/^inbox\.before-\d+\.db$/]
  })
})

/**
 * Runs a fixture on a disk of this size.
 * @returns the JSON that it prints
 */
async function runOnSmallDisk(t: Test, fixture: string, mebibytes: number): Promise<unknown> {
  const folder = createFolder(t)
  const [program = '', ...args] = onSmallDisk(folder, mebibytes)
  const { stdout } = await execute(program, [
    ...args,
    process.execPath,
    `packages/inbox/test/fixtures/${fixture}`,
    folder
  ])
  return JSON.parse(stdout)
}

/** Overwrites the first page of a table, after its write-ahead log is written to the file. */
function damageTable(file: string, table: string): void {
  const db = new DatabaseSync(file)
  const { rootpage } = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table) as {
    rootpage: number
  }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const page = Buffer.alloc(8_192, 0xff)
  const handle = openSync(file, 'r+')
  writeSync(handle, page, 0, page.length, (rootpage - 1) * page.length)
  closeSync(handle)
}

/** Returns the size in bytes of an inbox without rows. */
function bytesOfEmpty(t: Test): number {
  const file = join(createFolder(t), 'inbox.db')
  openInboxFile(file, 8 * MIB).close()
  return statSync(file).size
}

/** Sends an envelope again until it is accepted: while the file is replaced, envelopes are refused. */
async function retry(deliver: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await deliver()
    } catch (error) {
      if (!isErrorCode(error, 'APP_MONITORING_SPOOL_UNAVAILABLE')) throw error
      await sleep(20)
    }
  }
}
