// Runs in a process of its own: it looks at the modules that its process has loaded.
import { readFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { startChildServerBy } from '@hull/test-helpers/child-server.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  }
})

/** Modules that must not be loaded at the start. Each needs 50 ms or more, or a thread. */
const LATER = [
  '/@sentry/',
  '/ajv/',
  '/prom-client/lib/defaultMetrics',
  '/undici/',
  // Imports node:http, and so loads Node's own fetch.
  '/packages/inbox/src/alerts/http-target.ts',
  '/packages/inbox/src/store/open.ts',
  '/packages/inbox/src/store/worker.ts'
]

t.test('serves a page before it loads modules that the page does not need', async (t) => {
  const site = await buildFixtureSite()
  const { app } = await createTestApp(t, { site, env: { LAB: 'off', INBOX: 'on' } })
  t.equal((await app.inject('/')).statusCode, 200)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const isLoaded = (part: string) =>
    loaded.some((url) => url.includes(part)) ||
    Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes(part))
  t.same(LATER.filter(isLoaded), [])
  await app.inbox!.queries.listProjects()
  t.ok(isLoaded('/packages/inbox/src/store/open.ts'), 'the hook sees modules that are loaded later')
})

const RECORDER = join(import.meta.dirname, '../packages/monitoring/test/fixtures/record-modules.js')

/** Starts the application in a process that records the modules it loads. */
async function startRecorded(t: Test) {
  const file = join(createFolder(t), 'modules')
  const env = [`MODULES=${file}`, 'HOST=127.0.0.1', 'PORT=0', `DATA_DIR=${createFolder(t)}`, 'LAB=on']
  const command = ['env', '-u', 'NODE_OPTIONS', ...env]
  const { origin } = await startChildServerBy(t, command, `--import=${RECORDER}`, 'server.ts')
  return { origin, readModules: () => readFileSync(file, 'utf8') }
}

/** Modules that a server loads for the first asset, for a schema, or in development. */
const ON_DEMAND = ['/@fastify/send/', '/@fastify/static/', '/@fastify/vite/', '/ajv/', '/fs-extra/', '/glob/']

t.test('serves a page without the modules for assets, schemas and development', async (t) => {
  const { origin, readModules } = await startRecorded(t)
  const loaded = () => ON_DEMAND.filter((part) => readModules().includes(part))
  const page = await (await fetch(origin)).text()
  t.same(loaded(), [])
  const asset = await fetch(origin + /href="(\/assets\/[^"]+\.css)"/.exec(page)![1])
  t.equal(asset.status, 200)
  t.same(loaded(), ['/@fastify/send/'], 'the recorder sees modules that are loaded later')
})

t.test('loads a page of the inbox with its first request, and those of the application before', async (t) => {
  const { origin, readModules } = await startRecorded(t)
  while ((await fetch(`${origin}/readyz`)).status !== 200) await sleep(10)
  const isLoaded = (page: string) => readModules().includes(`/dist/server/assets/${page}-`)
  t.same(['slow', 'unsubscribe'].map(isLoaded), [true, false])
  await fetch(`${origin}/inbox/unsubscribe`)
  t.ok(isLoaded('unsubscribe'))
})

t.test('loads the SDK from the build that is served, in any folder', async (t) => {
  const site = await buildFixtureSite()
  const { app } = await createTestApp(t, { site, env: { LAB: 'off', INBOX: 'on' } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  while (!app.telemetry!.isReady) await sleep(10)
  const files = Object.keys(createRequire(import.meta.url).cache)
  t.same(
    files.filter((file) => file.endsWith('/sentry.cjs')),
    [join(site.dist, 'sdk/sentry.cjs')]
  )
  t.same(
    files.filter((file) => file.includes('/@sentry/')),
    []
  )
})
