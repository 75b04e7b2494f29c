import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t from 'tap'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { createBuilder } from 'vite'
import { bundlePackages } from '../../../src/build/packages/bundle-packages.ts'

/** Server of an application, which prints facts about its modules. */
const SERVER = `
import { createRequire } from 'node:module'
import Fastify, { errorCodes } from 'fastify'
import fp from 'fastify-plugin'
import { createFastify } from '@hull/shell'

const require = createRequire(import.meta.url)
const settings = { logLevel: 'silent', environment: 'test', bodyLimit: 1_000, renderTimeout: 1_000, trustProxy: false }
const app = createFastify(settings)
app.register(fp(async function routes(app) {
  app.get('/', { schema: { querystring: { type: 'object', required: ['id'] } } }, async () => 'ok')
}))
const { statusCode } = await app.inject('/')
await app.close()
console.log(JSON.stringify({
  file: import.meta.url,
  statusCode,
  isOneFastify: Fastify === require('fastify') && errorCodes === require('fastify').errorCodes,
  isOneFastifyPlugin: fp === require('fastify-plugin'),
  loadsAjv: Object.keys(require.cache).some((file) => /\\/node_modules\\/ajv\\//.test(file)),
  stack: failIn(createFastify)
}))

function failIn(create: typeof createFastify) {
  try {
    create({ ...settings, trustProxy: ['nonsense'] })
  } catch (error) {
    return (error as Error).stack
  }
}
`

/** Server of an application that opens an inbox. The inbox's thread reports when its file is open. */
const INBOX_SERVER = `
import Fastify from 'fastify'
import { afterStart } from '@hull/shell'
import { inbox } from '@hull/inbox'

const settings = { file: 'data/inbox.db', maxBytes: 1e8, retentionDays: 1, release: 'one', environment: 'test' }
const app = Fastify()
app.register(afterStart)
app.register(inbox, { settings })
await app.ready()
await app.inbox.open()
console.log(JSON.stringify({ isAvailable: app.inbox.stats().available }))
await app.close()
`

interface Output {
  file: string
  statusCode: number
  isOneFastify: boolean
  isOneFastifyPlugin: boolean
  /** Whether the files of the package are loaded individually. */
  loadsAjv: boolean
  stack: string
}

t.test('@hull/shell/start loads the packages that the build has bundled', async (t) => {
  const root = createFolder(t, {
    'package.json': '{ "type": "module" }',
    'server.ts': SERVER,
    'inbox.ts': INBOX_SERVER,
    'index.html': '<p></p>'
  })
  const builder = await createBuilder({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [bundlePackages({ root })],
    builder: {
      async buildApp({ build, environments }) {
        await build(environments.client!)
      }
    }
  })
  await builder.buildApp()

  const { file, stack, ...facts } = run(root)
  t.ok(file.endsWith('/server.ts'), 'server.ts itself is not bundled')
  t.same(facts, { statusCode: 400, isOneFastify: true, isOneFastifyPlugin: true, loadsAjv: false })
  t.match(stack, /createFastify .*dist\/packages\/node_modules\/@hull\/shell\/index\.mjs/)

  t.test('whose files have only ASCII characters', async (t) => {
    for (const file of globSync('dist/packages/**/*.mjs', { cwd: root }))
      t.notMatch(readFileSync(join(root, file), 'utf8'), /[^\0-\x7f]/, file)
  })

  t.test('with their worker threads, which do not load the code of the server', async (t) => {
    const folder = join(root, 'dist/packages/node_modules/@hull')
    const threads = globSync('*/*.mjs', { cwd: folder }).flatMap((file) => {
      const code = readFileSync(join(folder, file), 'utf8')
      return [...code.matchAll(/new URL\("([^"]*worker\.\w+)", import\.meta\.url\)/g)].map(([, url]) =>
        relative(folder, join(folder, file, '..', url!))
      )
    })
    t.same(threads.sort(), [
      'inbox/connection-worker.mjs',
      'inbox/query-worker.mjs',
      'inbox/worker.mjs',
      'monitoring/spool-worker.mjs'
    ])
    for (const file of threads) t.notMatch(listImports(join(folder, file)), /index\.mjs$/m, file)
    t.same(JSON.parse(execute(root, 'inbox.ts')), { isAvailable: true })
  })

  t.test('but the packages themselves if the bundle has another version', async (t) => {
    const list = join(root, 'dist/packages/list.json')
    const text = readFileSync(list, 'utf8')
    writeFileSync(list, text.replace(/"version": "[^"]*"/, '"version": "0.0.0"'))
    t.match(run(root).stack, /createFastify .*packages\/shell\/src\/server\/create-fastify\.ts/)
    writeFileSync(list, text)
  })

  t.test('but the packages themselves if one of them has moved', async (t) => {
    const list = join(root, 'dist/packages/list.json')
    const text = readFileSync(list, 'utf8')
    writeFileSync(list, text.replace('fastify/fastify.js', 'moved/fastify.js'))
    t.match(run(root).stack, /createFastify .*packages\/shell\/src\/server\/create-fastify\.ts/)
    writeFileSync(list, text)
  })

  t.test('but the packages themselves without a bundle', async (t) => {
    rmSync(join(root, 'dist'), { recursive: true })
    const { stack, file: _file, ...facts } = run(root)
    t.match(stack, /createFastify .*packages\/shell\/src\/server\/create-fastify\.ts/)
    t.same(facts, { statusCode: 400, isOneFastify: true, isOneFastifyPlugin: true, loadsAjv: true })
  })
})

const run = (root: string) => JSON.parse(execute(root, 'server.ts')) as Output

/** Runs a server of the application with the command line of production. */
const execute = (root: string, file: string): string =>
  execFileSync('env', bareNode('--import=@hull/shell/start', file), { cwd: root, encoding: 'utf8' })

/** Returns the files that a module imports, directly and indirectly, one per line. */
function listImports(file: string, found = new Set<string>()): string {
  if (found.has(file)) return ''
  found.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(/^import (?:[^'"]* from )?["'](\.[^"']*)["']/gm)
  for (const [, path] of imports) listImports(join(file, '..', path!), found)
  return [...found].join('\n')
}
