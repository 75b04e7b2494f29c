import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'
import { runChild } from '../../../scripts/child.js'
import { toNodeEnv } from '../../../scripts/node.js'
import { sendAndReadError } from '../../inbox/test/helpers/sdk-error.ts'
import { startCommand } from './start-command.ts'

const PROJECT = join(import.meta.dirname, '../../..')
const COMMAND = join(PROJECT, 'packages/create-hull/src/index.ts')

// Outside of the repository, where no package of its is found.
const folder = mkdtempSync(join(tmpdir(), 'create-hull-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
t.setTimeout(600_000)

// npm's own settings are needed; what npm and tap tell the processes that they start is not.
const inherited = Object.entries(process.env).filter(
  ([name]) => !/^(npm_(?!config)|TAP|_TAP|NODE_OPTIONS$|NODE_COMPILE_CACHE$)/.test(name)
)
const env = { ...toNodeEnv(process.execPath, Object.fromEntries(inherited)), CHROMIUM: process.env.HULL_CHROMIUM }
const run = (cwd: string, command: string, ...args: string[]) =>
  runChild('env', ['-u', 'NODE_OPTIONS', command, ...args], { cwd, env, capture: true })
const runNode = (cwd: string, ...args: string[]) => run(cwd, 'env', ...bareNode(...args))
const create = (...args: string[]) => runNode(folder, COMMAND, ...args)

t.test('a wrong argument is a sentence and exit code 1', async (t) => {
  writeFileSync(join(folder, 'file'), '')
  const cases: Array<[args: string[], message: RegExp]> = [
    [[], /name a folder for the application: npm run create -- \.\.\/my-app/],
    [['.'], /is not empty: name another folder, or empty this one\./],
    [['file'], /is a file: name a folder that is new or empty\./],
    [['a', 'b'], /name one folder, not 2: a, b/],
    [['a', '--inbox'], /there is no flag --inbox\. There are --no-inbox, --lab and --help\./]
  ]
  for (const [args, message] of cases) {
    const { code, output } = await create(...args)
    t.equal(code, 1, args.join(' '))
    t.match(output, message)
    t.notMatch(output, /\n +at /, 'no stack')
  }
  const { code, output } = await create('--help')
  t.equal(code, 0)
  t.match(output, /--no-inbox .*\n.*--lab /)
})

t.test('a created application installs, passes its tests and type check, starts and develops', async (t) => {
  const { code, output } = await create('my-app')
  t.equal(code, 0, output)
  const app = join(folder, 'my-app')
  const files = globSync('**/*.*', { cwd: app, exclude: ['vendor/**'] })
  const hidden = ['.npmrc', '.gitignore', '.dockerignore', '.env.example', 'Dockerfile']
  const own = [...new Set([...files, ...hidden])]
  const lines = own.reduce((sum, file) => sum + readFileSync(join(app, file), 'utf8').split('\n').length - 1, 0)
  t.ok(own.length <= 45, `${own.length} files`)
  t.ok(lines <= 1200, `${lines} lines`)
  t.notOk(existsSync(join(app, 'client/pages/lab')))

  for (const command of ['install --prefer-offline --no-audit', 'test', 'run types']) {
    const ended = await run(app, 'npm', ...command.split(' '))
    t.equal(ended.code, 0, `npm ${command}\n${ended.output}`)
  }
  t.same(globSync('node_modules/@hull/*/**/*.map', { cwd: app }), [], 'the packages have no source maps')
  for (const command of ['start', 'run dev']) {
    rmSync(join(app, '.hull/compile-cache'), { recursive: true, force: true })
    const origin = await startCommand(t, app, env, command.split(' '))
    const response = await fetch(`${origin}/counter?start=3`)
    t.match(await response.text(), />3<\/button>/, command)
    t.equal((await fetch(`${origin}/inbox/sign-in`)).status, 200, command)
    t.ok(existsSync(join(app, '.hull/compile-cache')), `${command} keeps what Node compiles`)
  }
})

t.test('hull-inbox of the packed package runs in an empty folder, with nothing to build', async (t) => {
  const empty = join(folder, 'inbox')
  mkdirSync(empty)
  const packages = globSync(join(folder, 'my-app/vendor/*.tgz'))
  const installed = await run(empty, 'npm', 'install', '--omit=dev', '--prefer-offline', '--no-audit', ...packages)
  t.equal(installed.code, 0, installed.output)
  t.same(globSync('node_modules/@hull/**/*.map', { cwd: empty }), [], 'the packages have no source maps')
  t.same(globSync('node_modules/@hull/*/{src,test}', { cwd: empty }), [])
  const own = { ...env, INBOX_PASSWORD, HOST: '127.0.0.1' }
  const origin = await startCommand(t, empty, own, ['exec', '--', 'hull-inbox'])
  await sendAndReadError(t, origin)
  const [style] = /\/assets\/[^"]+\.css/.exec(await (await fetch(`${origin}/inbox/sign-in`)).text())!
  t.equal((await fetch(`${origin}${style}`)).status, 200)
})

t.test('without the inbox an application builds and answers', async (t) => {
  await builds(t, 'no-inbox', '--no-inbox')
  t.notMatch(readFileSync(join(folder, 'no-inbox/package.json'), 'utf8'), 'inbox.tgz')
})

t.test('with the lab an application builds and answers', async (t) => {
  await builds(t, 'lab', '--lab')
  t.ok(existsSync(join(folder, 'lab/client/pages/lab/index.tsx')))
})

async function builds(t: Test, name: string, ...flags: string[]) {
  const app = join(folder, name)
  const created = await create(name, ...flags)
  t.equal(created.code, 0, created.output)
  symlinkSync(join(folder, 'my-app/node_modules'), join(app, 'node_modules'))
  for (const args of [
    ['run', 'build'],
    ['run', 'types']
  ]) {
    const ended = await run(app, 'npm', ...args)
    t.equal(ended.code, 0, ended.output)
  }
  const tested = await runNode(app, '--test', 'test/server.test.ts')
  t.equal(tested.code, 0, tested.output)
}
