import { join } from 'node:path'
import t from 'tap'
import { createListeningApp, createTestApp } from '@hull/test-helpers/app.ts'
import { countStored } from '@hull/test-helpers/inbox.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const site = await buildSite(join(import.meta.dirname, 'fixtures/unwatched'))

t.test('requests for pages of the inbox store no telemetry in the inbox', async (t) => {
  const { app, logs } = await createListeningApp(t, { site, env: { INBOX: 'on' } })
  await app.inbox!.queries.listProjects()
  while (!app.telemetry!.isReady) await new Promise((resolve) => setTimeout(resolve, 10))
  for (const url of ['/inbox', '/inbox/fail', '/-/data/inbox/fail', '/inbox/unknown', '/inbox/unknown/'])
    await app.inject({
      url,
      headers: { accept: 'text/html', 'sentry-trace': `${'a'.repeat(32)}-${'b'.repeat(16)}-1` }
    })
  t.match(logs.takeErrors(), [
    { msg: 'request failed', digest: /^[\dA-Z]{12}$/, err: { message: 'the inbox itself is broken' } },
    { msg: 'request failed' }
  ])
  t.equal(await countStored(app), 0)
  await app.inject('/')
  t.equal(await countStored(app), 1, 'the trace of another page is stored')
})

t.test('browsers that show pages of the inbox report nothing', async (t) => {
  const { app, logs } = await createTestApp(t, { site, env: { INBOX: 'on' } })
  for (const url of ['/inbox', '/inbox/fail', '/inbox/unknown']) {
    const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
    t.notMatch(body, 'id="hull-monitoring"', url)
    t.notMatch(body, '$errors', url)
    t.notMatch(body, 'sentry-trace', url)
  }
  logs.takeErrors()
  t.match((await app.inject('/')).body, 'id="hull-monitoring"')
})
