import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { listen } from '@hull/test-helpers/listen.ts'
import { runChild } from '../../../../scripts/child.js'

const PROJECT = join(import.meta.dirname, '../../../..')

const { app } = await createTestApp(t)
const routes = await app.pages.listRoutes()
const find = (pattern: string) => routes.find((route) => route.pattern === pattern)

t.test('lists a page with its guards, layouts, cache, flags and sizes', async (t) => {
  const { firstScript, ownChunk, ...forbidden } = find('/lab/forbidden')!
  t.same(forbidden, {
    methods: ['GET'],
    pattern: '/lab/forbidden',
    file: 'client/pages/lab/forbidden.tsx',
    isPage: true,
    guards: ['layout lab', 'page'],
    layouts: ['default', 'lab'],
    flags: []
  })
  t.ok(ownChunk! > 100 && ownChunk! < 5_000, String(ownChunk))
  t.ok(firstScript! > 50_000 && firstScript! > ownChunk!, String(firstScript))
  t.match(find('/lab/cached'), { methods: ['GET', 'POST'], cache: '5 s, then stale for 30 s', guards: [] })
  t.same(find('/lab/stream')!.flags, ['streaming'])
  t.same(find('/lab/client')!.flags, ['clientOnly'])
  t.match(find('/lab/document'), { flags: ['serverOnly'], firstScript: undefined, ownChunk: undefined })
})

t.test('lists a route with the file that adds it', async (t) => {
  t.match(find('/lab-api/flaky'), { methods: ['GET'], isPage: false, file: 'routes/lab/index.ts', layouts: [] })
  t.match(find('/healthz'), { file: 'packages/shell/src/plugins/health.ts' })
  t.equal(routes.filter(({ pattern }) => pattern === '/healthz').length, 1, 'HEAD is not listed')
  const patterns = routes.map(({ pattern }) => pattern)
  t.same(patterns, patterns.toSorted(), 'the list is sorted by pattern')
})

t.test('a page of the lab shows the list', async (t) => {
  const { body } = await app.inject('/lab/routes')
  for (const { pattern } of routes) t.match(body, `>${pattern.replace(/&/g, '&amp;')}</`)
  t.match(body, 'layout lab, page')
})

t.test('npm run routes prints the same list, the application first, and does not create the data folder', async (t) => {
  const data = join(createFolder(t), 'data')
  const run = async (...args: string[]) => {
    const { code, output } = await runChild('env', bareNode('packages/shell/src/commands/routes.ts', ...args), {
      cwd: PROJECT,
      env: { PATH: process.env.PATH, INBOX: 'off', DATA_DIR: data },
      capture: true
    })
    t.equal(code, 0, output)
    return output
  }
  const [json, table] = await Promise.all([run('--json'), run()])
  t.same(JSON.parse(json), JSON.parse(JSON.stringify(routes)))
  const line = table.split('\n').find((row) => row.includes('client/pages/lab/cached.tsx'))
  t.match(
    line,
    /^GET, POST +\/lab\/cached +client\/pages\/lab\/cached\.tsx +- +default +5 s, then stale for 30 s +- +[\d.]+ kB +[\d.]+ kB$/
  )
  const [own, ofPackages] = table.trimEnd().split('\n\n')
  const filesOf = (rows: string[]) => rows.map((row) => /\S+\.tsx?/.exec(row)?.[0])
  for (const file of filesOf(own!.split('\n').slice(1))) t.match(file, /^(client|routes|plugins)\//)
  for (const file of filesOf(ofPackages!.split('\n'))) t.match(file, /^packages\//)
  t.notOk(existsSync(data), 'it wrote no data')
})

t.test('npm run routes connects to no service of the application', async (t) => {
  let connections = 0
  const service = createServer((socket) => {
    connections++
    socket.destroy()
  })
  const { port } = await listen(t, service)
  const { code, output } = await runChild('env', bareNode('packages/shell/src/commands/routes.ts'), {
    cwd: PROJECT,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: `postgresql://hull:secret@127.0.0.1:${port}/hull`,
      REDIS_URL: `redis://127.0.0.1:${port}`
    },
    capture: true
  })
  t.equal(code, 0, output)
  t.match(output, '/inbox/issues/[id]')
  t.equal(connections, 0)
})

t.test('npm run routes names an invalid setting in one sentence', async (t) => {
  const { code, output } = await runChild('env', bareNode('packages/shell/src/commands/routes.ts'), {
    cwd: PROJECT,
    env: { PATH: process.env.PATH, PORT: 'first' },
    capture: true
  })
  t.match({ code, output }, { code: 1, output: /^PORT=first: expected a whole number from 0 to 65535\n$/ })
})

t.test('npm run routes names an invalid option in one sentence', async (t) => {
  const run = (env: object, ...args: string[]) =>
    runChild('env', bareNode('packages/shell/src/commands/routes.ts', ...args), {
      cwd: PROJECT,
      env: { PATH: process.env.PATH, ...env },
      capture: true
    })
  t.match(await run({}, '--yaml'), { code: 1, output: /^Unknown option '--yaml'.*\nhull-routes \[--json\]: .*\n$/ })
  t.match(await run({}, '--help'), { code: 0, output: /^hull-routes \[--json\]: .*\n$/ })
  t.match(await run({ npm_config_json: 'true' }), {
    code: 1,
    output: /^npm took --json for an option of its own\. .*: npm run routes -- --json\nhull-routes \[--json\]: .*\n$/
  })
})
