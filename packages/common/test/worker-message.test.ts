import { join } from 'node:path'
import t from 'tap'
import { openInbox } from '../../inbox/src/store/open.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { openProvider } from '@hull/test-helpers/provider.ts'
import { createTunnel, put } from '@hull/test-helpers/tunnel.ts'

// Set by `node --watch`: the worker reports every module that it loads to its parent thread.
process.env.WATCH_REPORT_DEPENDENCIES = '1'

t.test('with node --watch', async (t) => {
  t.test('both workers of the inbox answer', async (t) => {
    const inbox = await openInbox({
      file: join(createFolder(t), 'inbox.db'),
      maxBytes: 1024 ** 3,
      retentionDays: 1,
      release: 'test',
      log: { info() {}, warn() {}, error: (details, message) => t.fail(message, details) }
    })
    t.teardown(() => inbox.close())
    t.match(await inbox.queries.listIssues({ view: { since: 0, until: Date.now() }, query: 'cart' }), Object)
    t.ok(inbox.stats().available)
  })

  t.test('the spool accepts and delivers', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider] })
    await put(tunnel, provider.dsn)
    await provider.has(1)
  })
})
