import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { addProject, countProjects } from '../helpers/projects.ts'
import { runCommand, startCommand } from '../helpers/command.ts'
import { startWriter } from '../helpers/writer-process.ts'

t.test('a backup is made while another process stores events, and restored after it has exited', async (t) => {
  const folder = createFolder(t)
  const inbox = join(folder, 'inbox.db')
  const copy = join(folder, 'copies', 'monday.db')
  const writer = startWriter(t, inbox)
  await writer.stores(20)

  const made = await runCommand(t, folder, 'backup', copy)
  t.equal(made.code, 0, made.said)
  t.match(made.said, copy)
  t.equal(statSync(copy).mode & 0o777, 0o600, 'only the owner can read it')
  t.equal(countProjects(copy), 1)
  await writer.stores(20)

  const refused = await runCommand(t, folder, 'restore', copy)
  t.equal(refused.code, 1)
  t.match(refused.said, 'a server has the inbox open')
  await writer.stores(20)
  t.equal(await writer.stop(), 0)

  addProject(inbox)
  const restored = await runCommand(t, folder, 'restore', copy)
  t.equal(restored.code, 0, restored.said)
  t.equal(countProjects(inbox), 1)
  const [aside] = globSync('inbox.replaced-*.db', { cwd: folder })
  t.equal(countProjects(join(folder, aside!)), 2, 'the replaced file is kept')
  t.match(restored.said, aside)

  const next = startWriter(t, inbox)
  await next.stores(3)
  t.equal(await next.stop(), 0)
})

t.test('without the package pg, a move prints the command to install it', async (t) => {
  const folder = t.testdir({
    'hide-pg.mjs': `import { registerHooks } from 'node:module'
      registerHooks({
        resolve(name, context, next) {
          if (name === 'pg') throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })
          return next(name, context)
        }
      })`
  })
  const database = ['DATABASE_URL=postgresql://hull@127.0.0.1/hull', `NODE_OPTIONS=--import=${folder}/hide-pg.mjs`]
  t.match(await startCommand(t, folder, ['move', '--back'], ['env', ...database]).ended, {
    code: 1,
    said: 'DATABASE_URL needs the package pg: npm install pg'
  })
})

t.test('without a file, a command says that it needs one', async (t) => {
  t.match(await runCommand(t, createFolder(t), 'restore'), { code: 1, said: /name a file, such as inbox-copy\.db/ })
})

t.test('an error is printed on stderr, so that cron mails it even if stdout is discarded', async (t) => {
  const { code, output, said } = await runCommand(t, createFolder(t), 'backup', 'copy.db')
  t.match(
    { code, output, said },
    { code: 1, output: /^$/, said: /^hull: there is no inbox at [^\n]* \(APP_INBOX_COMMAND_INVALID\)\n$/ }
  )
})

t.test('an option is not taken as the name of a file', async (t) => {
  const folder = createFolder(t)
  t.match(await runCommand(t, folder, 'sample', '--large'), { code: 1, said: /takes no arguments/ })
  for (const args of [
    ['backup', '--force'],
    ['restore', 'copy.db', 'other.db']
  ])
    t.match(await runCommand(t, folder, ...args), {
      code: 1,
      said: /name a file, such as inbox-copy\.db, and nothing else/
    })
  t.same(globSync('*', { cwd: folder }), [])
})

t.test('--help prints the commands, and does nothing else', async (t) => {
  const folder = createFolder(t)
  for (const args of [['-h'], ['sample', '--help']]) {
    const { code, output } = await runCommand(t, folder, ...args)
    t.match({ code, output }, { code: 0, output: /hull-inbox backup FILE .*\n/ }, args.join(' '))
  }
  t.same(globSync('*', { cwd: folder }), [])
})

t.test('a new inbox is filled with sample data, and an existing one is not changed', async (t) => {
  const folder = createFolder(t)
  const inbox = join(folder, 'inbox.db')
  t.match(await runCommand(t, folder, 'sample'), { code: 0, said: 'two weeks of sample data' })
  t.ok(countProjects(inbox) > 0)
  t.equal(statSync(inbox).mode & 0o777, 0o600, 'only the owner can read it')
  t.match(await runCommand(t, folder, 'sample'), { code: 1, said: /inbox\.db exists: set DATA_DIR to a new folder/ })
  t.match(await runCommand(t, folder, 'smaple'), {
    code: 1,
    said: /no command smaple\. There are: backup, restore, move, sample, export, replay/
  })
})

t.test('interrupted sample data can be created again', async (t) => {
  const folder = createFolder(t)
  const { child, ended } = startCommand(t, folder, ['sample'])
  while (globSync('*', { cwd: folder }).length === 0) await sleep(5)
  child.kill('SIGKILL')
  await ended
  t.match(await runCommand(t, folder, 'sample'), { code: 0, said: 'two weeks of sample data' })
  t.same(globSync('*', { cwd: folder }), ['inbox.db'])
})

t.test('a folder that cannot be created is named in one line, without a stack', async (t) => {
  const folder = createFolder(t)
  await runCommand(t, folder, 'sample')
  const { code, said } = await startCommand(t, folder, ['sample'], ['env', `DATA_DIR=${folder}/inbox.db/new`]).ended
  t.match(
    { code, said },
    { code: 1, said: /^hull: the folder [^\n]*inbox\.db\/new cannot be written: ENOTDIR: [^\n]*\n$/ }
  )
})

t.test('commands for a file name the commands for a database, if DATABASE_URL is set', async (t) => {
  const database = ['env', 'DATABASE_URL=postgresql://hull:secret@127.0.0.1/hull']
  for (const command of ['backup', 'restore', 'export', 'sample']) {
    const { code, said } = await startCommand(t, createFolder(t), [command, 'copy.db'], database).ended
    t.match({ code, said }, { code: 1, said: /pg_dump --schema=hull_inbox, or copy it to a file/ }, command)
    t.notMatch(said, 'secret')
  }
})

t.test('commands run with the settings of an application with a lab', async (t) => {
  const { code, said } = await startCommand(t, createFolder(t), ['sample'], ['env', 'LAB=on']).ended
  t.equal(code, 0, said)
})

t.test('an invalid setting is refused with one sentence', async (t) => {
  t.match(await startCommand(t, createFolder(t), [], ['env', 'BASE_PATH=/team']).ended, {
    code: 1,
    said: /^BASE_PATH: expected no value, because an inbox that runs alone is at the root of its origin\n$/
  })
  t.match(await startCommand(t, createFolder(t), ['sample'], ['env', 'INBOX_PASSWORD=short']).ended, {
    code: 1,
    said: /^INBOX_PASSWORD: expected at least 12 characters\n$/
  })
})

t.test('an older Node is refused before the command loads anything', async (t) => {
  for (const version of ['22.18.0', '24.3.0']) {
    const code = `Object.defineProperty(process.versions,'node',{value:'${version}'})`
    const options = `NODE_OPTIONS=--import=data:text/javascript,${code}`
    t.match(await startCommand(t, createFolder(t), ['sample'], ['env', options]).ended, {
      code: 1,
      said: `hull-inbox: Node 24.21 or newer is needed, and this is Node ${version}.\n`
    })
  }
})
