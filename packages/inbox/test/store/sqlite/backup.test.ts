import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { backUpInbox, restoreInbox } from '../../../src/store/sqlite/backup.ts'
import { openInbox } from '../../../src/store/open.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { addProject, countProjects } from '../../helpers/projects.ts'

const log = { info() {}, warn() {}, error() {} }

const INVALID = 'APP_INBOX_COMMAND_INVALID'

/** Creates a folder with an inbox that no process has open. */
async function createInbox(t: Test) {
  const folder = createFolder(t)
  const inbox = join(folder, 'inbox.db')
  const open = () => openInbox({ file: inbox, maxBytes: 2 ** 30, retentionDays: 30, release: '1', log })
  await (await open()).close()
  return { folder, inbox, open }
}

t.test('a closed inbox is one file', async (t) => {
  const { folder } = await createInbox(t)
  t.same(globSync('inbox*.db*', { cwd: folder }), ['inbox.db'])
})

t.test('refuses a file that is not a backup, and changes nothing', async (t) => {
  const { folder, inbox } = await createInbox(t)
  const bytes = readFileSync(inbox)
  const write = (name: string, content: string | Buffer, sql = '') => {
    const file = join(folder, name)
    writeFileSync(file, content)
    if (sql === '') return file
    const db = new DatabaseSync(file)
    db.exec(sql)
    db.close()
    return file
  }
  const cases: Array<[file: string, sentence: RegExp]> = [
    [write('text.db', 'not a database, but long enough to be looked at as one. '.repeat(20)), /no inbox, or damaged/],
    [write('other.db', '', 'CREATE TABLE x (y); PRAGMA user_version = 1'), /it is no inbox/],
    [write('newer.db', bytes, 'PRAGMA user_version = 999'), /written by a newer Hull/],
    [
      write('damaged.db', Buffer.concat([bytes.subarray(0, 24_576), Buffer.alloc(bytes.length - 24_576, 7)])),
      /damaged/
    ],
    [join(folder, 'missing.db'), /there is no file/],
    [inbox, /is the inbox itself/]
  ]
  for (const [file, sentence] of cases) {
    await t.rejects(restoreInbox(file, inbox), { code: INVALID, message: sentence }, file)
  }
  t.ok(readFileSync(inbox).equals(bytes))
  t.same(globSync('inbox*.db*', { cwd: folder }), ['inbox.db'])
})

t.test('a backup does not replace a file, and needs an inbox', async (t) => {
  const { folder, inbox } = await createInbox(t)
  const copy = join(folder, 'copy.db')
  await backUpInbox(inbox, copy)
  await t.rejects(backUpInbox(inbox, copy), { message: /is there already/ })
  await t.rejects(backUpInbox(join(folder, 'missing.db'), join(folder, 'b.db')), { message: /there is no inbox at/ })
  t.same(globSync('*.db', { cwd: folder }).sort(), ['copy.db', 'inbox.db'])
  const unwritable = { code: INVALID, message: `the folder ${copy} cannot be written: ` }
  await t.rejects(backUpInbox(inbox, join(copy, 'b.db')), unwritable)
  await t.rejects(restoreInbox(copy, join(copy, 'inbox.db')), unwritable)
})

t.test('restoring does not replace an inbox that is open', async (t) => {
  const { folder, inbox, open } = await createInbox(t)
  const copy = join(folder, 'copy.db')
  await backUpInbox(inbox, copy)
  addProject(inbox)
  const opened = await open()
  await t.rejects(restoreInbox(copy, inbox), { message: /a server has the inbox open/ })
  t.same(globSync('*restoring*', { cwd: folder }), [], 'no copy of the data is left')
  t.equal((await opened.queries.listProjects()).length, 2)
  await opened.close()
  await restoreInbox(copy, inbox)
  const again = await open()
  t.equal((await again.queries.listProjects()).length, 1)
  await again.close()
})

t.test('restoring does not replace a file that cannot be opened, because a server may have it open', async (t) => {
  const { folder, inbox } = await createInbox(t)
  const copy = join(folder, 'copy.db')
  await backUpInbox(inbox, copy)
  rmSync(inbox)
  mkdirSync(inbox)
  await t.rejects(restoreInbox(copy, inbox), { code: INVALID, message: /inbox\.db cannot be opened: / })
  t.same(globSync('inbox*.db*', { cwd: folder }), ['inbox.db'])
})

t.test('a backup is restored where there is no inbox, or a damaged one', async (t) => {
  const { folder, inbox } = await createInbox(t)
  const copy = join(folder, 'copy.db')
  await backUpInbox(inbox, copy)
  const fresh = join(folder, 'elsewhere', 'inbox.db')
  t.equal(await restoreInbox(copy, fresh), undefined)
  t.equal(countProjects(fresh), 1)
  await t.test('where only the write-ahead log is left', async (t) => {
    const opened = new DatabaseSync(inbox)
    opened.exec("PRAGMA journal_mode = wal; INSERT INTO project (name, key, created) VALUES ('Lost', 'lost', 0)")
    copyFileSync(`${inbox}-wal`, join(folder, 'kept'))
    opened.close()
    rmSync(inbox)
    copyFileSync(join(folder, 'kept'), `${inbox}-wal`)
    t.equal(await restoreInbox(copy, inbox), undefined)
    t.equal(countProjects(inbox), 1)
  })
  writeFileSync(inbox, 'nothing of use')
  const aside = await restoreInbox(copy, inbox)
  t.equal(readFileSync(aside!, 'utf8'), 'nothing of use')
  t.equal(countProjects(inbox), 1)
})
