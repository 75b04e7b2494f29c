import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { fixtures } from '../helpers/envelopes.ts'
import { createFolder } from '../helpers/folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const FIXTURES = join(ROOT, 'test/fixtures')

/** Files outside of monitoring's own rooms that it loads in the main thread: they belong to no room. */
const SHARED = [
  'lib/asked-thread.ts',
  'lib/async-context.ts',
  'lib/client-gone.ts',
  'lib/common/constants.ts',
  'lib/common/data-collection.ts',
  'lib/common/digest.ts',
  'lib/common/header-members.ts',
  'lib/common/outcomes.ts',
  'lib/common/route-name.ts',
  'lib/common/scrub-event.ts',
  'lib/common/secrets.ts',
  'lib/common/visible-error.ts',
  'lib/errors.ts',
  'lib/full-jitter.ts',
  'lib/http/cross-site.ts',
  'lib/http/network.ts',
  'lib/http/origin.ts',
  'lib/http/path.ts',
  'lib/http/rate-limiter.ts',
  'lib/http/retry-after.ts',
  'lib/http/status-of.ts',
  'lib/http/visible-status.ts',
  'lib/is-thenable.ts',
  'lib/readable-error.ts',
  'lib/run-after-start.ts',
  'lib/safe-callback.ts',
  'lib/settles-within.ts',
  'lib/threads.ts',
  'lib/trusted-clock.ts',
  'lib/version.ts',
  'lib/worker-message.ts',
  'package.json'
]

t.test('monitoring works on a Fastify without pages, and loads nothing of React or of the shell', async (t) => {
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
  const { statuses, delivered, asked } = JSON.parse(output) as {
    statuses: number[]
    delivered: string[]
    asked: Array<Record<string, string>>
  }
  t.same(statuses, [200, 200, 500])
  t.ok(
    delivered.some((envelope) => envelope.endsWith(rest.toString())),
    'the envelope is delivered as it was sent'
  )
  const transactions = delivered.filter(
    (envelope) => envelope.includes('"type":"transaction"') && envelope.includes('0af7651916cd43dd8448eb211c80319c')
  )
  t.match(asked[0], { 'sentry-trace': /^0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-1$/ })
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
  const others = own.filter(
    (path) =>
      !/^(lib\/(tunnel|envelope|telemetry|tracing)\/|plugins\/(tunnel|telemetry|tracing|monitoring)\.ts$)/.test(path)
  )
  t.same(others.sort(), SHARED)
})
