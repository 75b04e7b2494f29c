// Runs in a process of its own: it loads the SDK twice, and checks the modules of its process.
import { createRequire } from 'node:module'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bundleIn } from '../../src/server-sdk/sentry-bundle.ts'
import { SDK_VERSION } from '../../src/server-sdk/sentry-state.ts'
import { loadSentry, sentry } from '../../src/server-sdk/sentry.ts'

const require = createRequire(import.meta.url)
const DIST = join(import.meta.dirname, '../../../../dist')

t.test('the server loads the SDK as one file, and not as packages', async (t) => {
  const { NodeClient } = loadSentry(DIST)
  t.equal(sentry().SDK_VERSION, SDK_VERSION)
  t.equal(NodeClient, (require(bundleIn(DIST)) as ReturnType<typeof sentry>).NodeClient)
  t.same(
    Object.keys(require.cache).filter((file) => file.includes('node_modules/@sentry')),
    []
  )
  t.ok(statSync(bundleIn(DIST)).size < 300_000, 'the file contains only the used parts of the SDK')
})

t.test('the file has all exports that the server uses', async (t) => {
  t.strictSame(Object.keys(sentry()).sort(), Object.keys(await import('../../src/server-sdk/sentry-exports.ts')).sort())
})

t.test('the whole package shares the state of the file', async (t) => {
  const whole = await import('@sentry/node')
  t.not(whole.NodeClient, sentry().NodeClient)
  t.equal(whole.getGlobalScope(), sentry().getGlobalScope())
  t.equal(whole.getCurrentScope(), sentry().getCurrentScope())
})
