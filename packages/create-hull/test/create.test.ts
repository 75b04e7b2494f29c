import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'
import { leaveUncompressed } from '@hull/test-helpers/site.ts'
import { runChild } from '../../../scripts/child.js'
import { toNodeEnv } from '../../../scripts/node.js'
import { sendAndReadError } from '../../inbox/test/helpers/sdk-error.ts'
import { raiseVersion } from './raise-version.ts'
import { startCommand } from './start-command.ts'

const PROJECT = join(import.meta.dirname, '../../..')
const COMMAND = join(PROJECT, 'packages/create-hull/src/index.ts')

// Outside of the repository, so that Node cannot find its packages.
const folder = mkdtempSync(join(tmpdir(), 'create-hull-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
t.setTimeout(1_200_000)

// Keeps the configuration of npm, and removes the variables that npm and tap set for their child processes.
const inherited = Object.entries(process.env).filter(
  ([name]) => !/^(npm_(?!config)|TAP|_TAP|NODE_OPTIONS$|NODE_COMPILE_CACHE$)/.test(name)
)
const env = { ...toNodeEnv(process.execPath, Object.fromEntries(inherited)), HULL_CHROMIUM: process.env.HULL_CHROMIUM }
const run = (cwd: string, command: string, ...args: string[]) =>
  runChild('env', ['-u', 'NODE_OPTIONS', command, ...args], { cwd, env, capture: true })
const runNode = (cwd: string, ...args: string[]) => run(cwd, 'env', ...bareNode(...args))
const create = (...args: string[]) => runNode(folder, COMMAND, ...args)

/** The created application whose packages are installed. The variants link to them. */
const app = join(folder, 'my-app')
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund']

async function npm(t: Test, cwd: string, ...args: string[]) {
  const { code, output } = await run(cwd, 'npm', ...args)
  t.equal(code, 0, `npm ${args.join(' ')}\n${output}`)
  return output
}

t.test('a wrong argument gives one sentence and exit code 1', async (t) => {
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
    t.notMatch(output, /\n +at /, 'the output has no stack trace')
  }
  const { code, output } = await create('--help')
  t.equal(code, 0)
  t.match(output, /--no-inbox .*\n.*--lab /)
})

t.test('a created application is small, and installs', async (t) => {
  const { code, output } = await create('my-app')
  t.equal(code, 0, output)
  const own = globSync('**/{*,.*}', { cwd: app, exclude: ['vendor/**'], withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const lines = own.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0)
  t.ok(own.length <= 45, `${own.length} files`)
  t.ok(lines <= 1200, `${lines} lines`)
  t.notOk(existsSync(join(app, 'client/pages/lab')))
  await npm(t, app, ...INSTALL)
  t.same(globSync('node_modules/@hull/*/**/*.map', { cwd: app }), [], 'the packages have no source maps')
  checkDockerfile(t, app)
  leaveUncompressed(app)
})

t.test('created applications', { jobs: Math.min(2, availableParallelism()) }, async (t) => {
  void t.test('the application passes its tests and type check', async (t) => {
    t.notMatch(await npm(t, app, 'test'), /sign in/i, 'its tests print no sign-in link')
    const wrong = join(app, 'client/components/wrong.tsx')
    writeFileSync(
      wrong,
      'import { Link } from \'@hull/shell/client\'\nexport const wrong = <Link href="/nowhere">x</Link>\n'
    )
    const typed = join(app, 'client/components/typed.ts')
    writeFileSync(
      typed,
      `import { useRouteContext } from '@fastify/react/client'
import type { FastifyInstance } from 'fastify'
export const useId = () => useRouteContext<{ id: string }>().data.id
export const count = (app: FastifyInstance): string => app.metrics.counter({ name: 'orders_total', help: 'Orders.' })
`
    )
    // A fresh clone has no generated types.
    rmSync(join(app, '.hull/types'), { recursive: true })
    const checked = await run(app, 'npm', 'run', 'types')
    rmSync(wrong)
    rmSync(typed)
    const problems = checked.output.match(/^\S+\(\d+,\d+\): error .*/gm)
    const counter = /^client\/components\/typed\.ts\(4,\d+\).*Counter/
    t.match(
      problems,
      [counter, /^client\/components\/wrong\.tsx\(2,28\).*\/nowhere/],
      'also finds errors in the types of other packages'
    )
    t.equal(problems?.length, 2, 'only the wrong link and the wrong type are errors')
    const { code, output } = await run(app, 'npm', 'run', '--silent', 'routes', '--', '--json')
    t.equal(code, 0, output)
    const routes = JSON.parse(output.slice(output.indexOf('['))) as Array<{ pattern: string; file: string }>
    t.equal(routes.find(({ pattern }) => pattern === '/api/greeting')?.file, 'routes/api/greeting.ts')
    t.equal(routes.find(({ pattern }) => pattern === '/counter')?.file, 'client/pages/counter.tsx')
    const { scripts } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))
    t.equal(scripts.preexport, scripts.pretest)
    // `npm test` has built the application already.
    await npm(t, app, 'run', 'export', '--ignore-scripts')
    t.match(readFileSync(join(app, 'out/counter/index.html'), 'utf8'), '<!doctype html>')
  })

  void t.test(
    'the published command writes one application without the inbox and one with the lab, and both build and answer',
    async (t) => {
      const [file] = globSync('create-hull-*.tgz', { cwd: join(PROJECT, '.hull/packages') })
      const published = ['exec', '--yes', `--package=${join(PROJECT, '.hull/packages', file!)}`, '--', 'create-hull']
      await builds(t, 'no-inbox', [...published, 'no-inbox', '--no-inbox'])
      const manifest = readFileSync(join(folder, 'no-inbox/package.json'), 'utf8')
      t.match(manifest, /"@hull\/shell": "\d+\.\d+\.\d+"/, 'the packages come from the registry')
      t.notMatch(manifest, '@hull/inbox')
      t.notMatch(readFileSync(join(folder, 'no-inbox/README.md'), 'utf8'), 'vendor')
      await builds(t, 'lab', [...published, 'lab', '--lab'])
      // Without the second `--`, npm takes the flag.
      const taken = await run(folder, 'npm', ...published.filter((word) => word !== '--'), 'taken', '--no-inbox')
      t.equal(taken.code, 1)
      t.match(taken.output, /npm took --no-inbox .*: npm create hull my-app -- --no-inbox$/m)
      t.notOk(existsSync(join(folder, 'taken')))
      t.ok(existsSync(join(folder, 'lab/client/pages/lab/index.tsx')))
    }
  )
})

t.test('replacing the packages by another version is an upgrade; `start` and `dev` run', async (t) => {
  raiseVersion(app, '0.1.999')
  await npm(t, app, ...INSTALL)
  for (const command of ['start', 'run dev']) {
    rmSync(join(app, '.hull/compile-cache'), { recursive: true, force: true })
    const origin = await startCommand(t, app, { ...env, INBOX_PASSWORD }, command.split(' '))
    const counter = await (await fetch(`${origin}/counter?start=3`)).text()
    t.match(counter, />3<\/button>/, command)
    t.match(counter, 'Hull 0.1.999', command)
    const greeted = await fetch(`${origin}/api/greeting?name=Ada`)
    t.same(await greeted.json(), { greeting: 'Hello, Ada' }, command)
    await sendAndReadError(t, origin)
    t.ok(existsSync(join(app, '.hull/compile-cache')), `${command} keeps the compile cache of Node`)
  }
  t.ok(existsSync(join(app, 'dist/packages/list.json')), 'the build bundles the packages')
})

t.test('hull-inbox of the packed package runs in an empty folder without a build', async (t) => {
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

async function builds(t: Test, name: string, command: string[]) {
  const variant = join(folder, name)
  await npm(t, folder, ...command)
  checkDockerfile(t, variant)
  symlinkSync(join(app, 'node_modules'), join(variant, 'node_modules'))
  leaveUncompressed(variant)
  t.notMatch(await npm(t, variant, 'run', 'build'), 'dist/client/assets', 'it lists no files of the inbox')
  await npm(t, variant, 'run', 'types')
  const tested = await runNode(variant, '--test', 'test/server.test.ts')
  t.equal(tested.code, 0, tested.output)
}

/**
 * Checks that the files that the Dockerfile copies exist (`docker build` fails at a `COPY` of a missing file), and that
 * its command is that of `npm start`.
 */
function checkDockerfile(t: Test, folder: string) {
  const text = readFileSync(join(folder, 'Dockerfile'), 'utf8')
  const [, command] = /^CMD (\[.*\])\s*$/m.exec(text)!
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { start: string } }
  t.equal((JSON.parse(command!) as string[]).join(' '), scripts.start)
  t.notMatch(text, '--omit=optional', 'packages such as sharp have their binaries in optional packages')
  const lines = text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)
  const copied = new Set(Array.from(lines, ([, sources]) => sources!.split(' ')).flat())
  copied.delete('package-lock.json')
  t.ok(copied.has('server.ts'))
  const context = readFileSync(join(folder, '.dockerignore'), 'utf8')
  for (const path of copied) t.ok(existsSync(join(folder, path)), `${path} exists`)
  for (const path of copied) t.ok(path === '.' || context.includes(`!${path}\n`), `${path} is not ignored`)
}
