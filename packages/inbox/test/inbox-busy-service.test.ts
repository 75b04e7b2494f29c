import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const TRANSACTIONS = 60
const ERRORS = 10

const site = await buildFixtureSite()

/**
 * Runs a service that sends 20 transactions a second, and errors, with @sentry/node.
 * @returns number of stored items by type
 */
async function serve(t: Test, env: Record<string, string>) {
  const { app, origin } = await createListeningApp(t, { site, env: { INBOX: 'on', ...env } })
  const { key, id } = await app.inbox!.changes.createProject({ name: 'Jobs' })
  const dsn = `${origin.replace('//', `//${key}@`)}/${id}`
  const args = bareNode('packages/monitoring/test/fixtures/sdks/node.mjs', dsn, String(TRANSACTIONS))
  const child = spawn('env', args, { stdio: 'inherit' })
  t.equal((await once(child, 'exit'))[0], 0)
  return app.inbox!.stats().stored
}

t.test('stores everything from a service below the limit of its key, even above that of an address', async (t) => {
  t.match(await serve(t, { TUNNEL_RATE: '30' }), { transaction: TRANSACTIONS, event: ERRORS })
})

t.test('above the limit of a key, every error is stored, and fewer transactions', async (t) => {
  const { transaction = 0, event } = await serve(t, { INBOX_KEY_RATE: '60' })
  t.equal(event, ERRORS)
  t.ok(transaction >= 10 && transaction < TRANSACTIONS, `${transaction} transactions`)
})
