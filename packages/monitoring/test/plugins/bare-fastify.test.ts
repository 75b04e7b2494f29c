import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { fixtures } from '@hull/test-helpers/envelopes.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const FIXTURES = join(import.meta.dirname, '../fixtures')

/** Files outside of packages/monitoring that the package may load in the main thread. */
const SHARED = [
  'packages/common/package.json',
  'packages/common/src/async-context.ts',
  'packages/common/src/attempt.ts',
  'packages/common/src/broadcast.ts',
  'packages/common/src/captured-mark.ts',
  'packages/common/src/channels.ts',
  'packages/common/src/client-gone.ts',
  'packages/common/src/completes-within.ts',
  'packages/common/src/constants.ts',
  'packages/common/src/create-error.ts',
  'packages/common/src/digest.ts',
  'packages/common/src/errors.ts',
  'packages/common/src/full-jitter.ts',
  'packages/common/src/header-members.ts',
  'packages/common/src/http/ended-status.ts',
  'packages/common/src/http/env-proxy.ts',
  'packages/common/src/http/gatherer.ts',
  'packages/common/src/http/network.ts',
  'packages/common/src/http/rate-limiter.ts',
  'packages/common/src/http/replicas.ts',
  'packages/common/src/http/request.ts',
  'packages/common/src/http/retry-after.ts',
  'packages/common/src/http/status-of.ts',
  'packages/common/src/http/visible-status.ts',
  'packages/common/src/is-thenable.ts',
  'packages/common/src/lazy-value.ts',
  'packages/common/src/optional-decorators.ts',
  'packages/common/src/outcomes.ts',
  'packages/common/src/read-property.ts',
  'packages/common/src/readable-error.ts',
  'packages/common/src/route-name.ts',
  'packages/common/src/safe-callback.ts',
  'packages/common/src/scrub-event.ts',
  'packages/common/src/secrets.ts',
  'packages/common/src/threads.ts',
  'packages/common/src/time.ts',
  'packages/common/src/trusted-clock.ts',
  'packages/common/src/version.ts',
  'packages/common/src/visible-error.ts',
  'packages/common/src/worker-rpc.ts'
]

t.test('monitoring works on Fastify without pages, and loads neither React nor the shell', async (t) => {
  const folder = createFolder(t)
  const modules = join(folder, 'modules')
  writeFileSync(modules, '')
  const { rest } = fixtures.find(({ name }) => name.includes('browser')) ?? fixtures[0]!
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['--import', join(FIXTURES, 'record-modules.js'), join(FIXTURES, 'bare-monitoring.ts'), join(folder, 'spool.db')],
      { env: { ...process.env, NODE_OPTIONS: '', MODULES: modules }, maxBuffer: 2 ** 26 },
      (error, stdout) => (error ? reject(error) : resolve(stdout))
    )
    child.stdin!.end(rest)
  })
  const { statuses, delivered, received } = JSON.parse(output) as {
    statuses: number[]
    delivered: string[]
    received: Array<Record<string, string>>
  }
  t.same(statuses, [200, 200, 500])
  t.ok(
    delivered.some((envelope) => envelope.endsWith(rest.toString())),
    'the envelope is delivered as it was sent'
  )
  const transactions = delivered.filter(
    (envelope) => envelope.includes('"type":"transaction"') && envelope.includes('0af7651916cd43dd8448eb211c80319c')
  )
  t.match(received[0], { 'sentry-trace': /^0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-1$/ })
  t.equal(transactions.length, 2, 'each request is a transaction of the trace')
  t.ok(
    delivered.some((envelope) => envelope.includes('broken on purpose')),
    'an error is captured'
  )

  const loaded = [...new Set(readFileSync(modules, 'utf8').split('\n'))]
  t.same(
    loaded.filter((url) => /node_modules\/(react|react-dom|@fastify\/(react|vite)|vite)\//.test(url)),
    []
  )
  const root = `${pathToFileURL(ROOT).href}/`
  const own = loaded
    .filter((url) => url.startsWith(root) && !/\/(node_modules|test|dist)\//.test(url))
    .map((url) => url.slice(root.length))
  const others = own.filter((path) => !path.startsWith('packages/monitoring/'))
  t.same(others.sort(), SHARED)
})

t.test('a server that uses only @hull/monitoring type-checks', async (t) => {
  const root = createFolder(t)
  const server = `import Fastify from 'fastify'
import { telemetry, tracing, tunnel } from '@hull/monitoring'

const app = Fastify()
await app.register(tunnel, { providers: [], file: ':memory:', maxBytes: 1, maxAge: 1 })
await app.register(telemetry, { environment: 'test', release: '1', sampleRate: 1 })
await app.register(tracing, { sampleRate: 1, targets: [] })
app.get('/', async (request) => request.trace?.traceId)
`
  writeFileSync(join(root, 'server.ts'), server)
  const { code, output } = await typeCheck({ root }, ['server.ts'])
  t.equal(code, 0, output)
})
