import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { INBOX_DSN, OWN_TARGET } from '../src/addresses.ts'
import { createListeningApp, createTestApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { splitEnvelope } from '@hull/test-helpers/envelopes.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { openProvider } from '@hull/test-helpers/provider.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'
import { createTunnel, put } from '@hull/test-helpers/tunnel.ts'

const site = await buildFixtureSite()

const OWN = OWN_TARGET.dsn

const envelopeFor = (dsn: string, id: string) => {
  const payload = JSON.stringify({ event_id: id.repeat(32), message: `message ${id}`, level: 'error' })
  return `${JSON.stringify({ dsn, event_id: id.repeat(32) })}\n{"type":"event","length":${payload.length}}\n${payload}\n`
}

t.test('without further settings', async (t) => {
  const { app, logs, origin } = await createListeningApp(t, { site, env: { INBOX: 'on' } })

  t.test('an error on the server is stored, with a visitor but without an address', async (t) => {
    // The first request waits for the SDK, the second one does not.
    for (const count of [1, 2]) {
      await app.inject({ url: '/fail/data', headers: { accept: 'text/html' }, remoteAddress: '203.0.113.77' })
      logs.takeErrors()
      await stored(app, 'event', count)
    }
    const now = Date.now()
    const { issues } = await app.inbox!.queries.listIssues({ view: { since: 0, until: now + 1_000 } })
    t.equal(
      issues.reduce((sum, { events }) => sum + events, 0),
      2
    )
    for (const { visitors } of issues) t.equal(visitors, 1)
    const { row, detail } = await app.inbox!.queries.getEvent({ id: issues[0]!.id })
    t.match(row.visitor, /^[\w-]{20,}$/)
    t.notMatch(JSON.stringify(detail), '203.0.113.77')
  })

  t.test('an envelope of a page is stored', async (t) => {
    const response = await fetch(`${origin}/monitoring`, { method: 'POST', body: envelopeFor(OWN, 'a') })
    t.equal(response.status, 200)
    await stored(app, 'event', 3)
  })

  t.test('the document says where its browser reports, and which pages it ignores', async (t) => {
    const { body } = await app.inject('/')
    const [, settings] = /<script type="application\/json" id="hull-monitoring">(.*?)<\/script>/.exec(body) ?? []
    t.match(JSON.parse(settings!), { dsn: OWN, tunnel: '/monitoring', unwatched: '/inbox' })
  })

  t.test('metrics count stored items', async (t) => {
    const metrics = await (await fetch(`${origin}/metrics`)).text()
    t.match(metrics, /^inbox_stored_items_total\{type="event"\} 3$/m)
    t.match(metrics, /^inbox_available 1$/m)
    t.match(metrics, /^inbox_bytes \d+$/m)
    t.match(metrics, /^inbox_lag_seconds \d/m)
    t.match(metrics, /^inbox_waiting_envelopes 0$/m)
    t.notMatch(metrics, /^monitoring_spool_/m, 'no metrics of a spool')
  })

  t.test('clients receive rate limits for categories that no page shows', async (t) => {
    const { key } = app.inbox!.own
    const service = `${origin}/api/1/envelope/?sentry_key=${key}`
    for (const [url, dsn] of [
      [`${origin}/monitoring`, OWN],
      [service, `https://${key}@inbox.invalid/1`]
    ] as const) {
      const response = await fetch(url, { method: 'POST', body: envelopeFor(dsn, 'a') })
      const limits = response.headers.get('x-sentry-rate-limits')
      t.match(limits, /^3600:[a-z_;]+:organization$/, url)
      const categories = limits!.split(':')[1]!.split(';')
      for (const refused of ['replay', 'profile', 'metric']) t.ok(categories.includes(refused), `${refused} at ${url}`)
      for (const wanted of ['error', 'transaction', 'log_item', 'feedback', 'monitor'])
        t.notOk(categories.includes(wanted), `${wanted} at ${url}`)
    }
  })

  t.test(
    'an envelope with the DSN of the tunnel or of a project is refused, because pages have another DSN',
    async (t) => {
      for (const dsn of ['https://inbox@inbox.invalid/0', `https://${app.inbox!.own.key}@inbox.invalid/1`]) {
        const response = await fetch(`${origin}/monitoring`, { method: 'POST', body: envelopeFor(dsn, 'b') })
        t.equal(response.status, 403, dsn)
      }
    }
  )
})

t.test('no file is opened before it is needed', async (t) => {
  const DATA_DIR = createFolder(t)
  const { app } = await createTestApp(t, { site, env: { DATA_DIR, INBOX: 'on' } })
  await app.inject('/')
  t.notOk(existsSync(join(DATA_DIR, 'inbox.db')))
  t.notOk(existsSync(join(DATA_DIR, 'spool.db')))
  await app.inbox!.queries.listProjects()
  t.ok(existsSync(join(DATA_DIR, 'inbox.db')))
})

t.test('a page receives an error if the inbox cannot store its envelope', async (t) => {
  const { app, logs, origin } = await createListeningApp(t, { site, env: { INBOX: 'on' } })
  await app.inbox!.queries.listProjects()
  await app.inbox!.close()
  const response = await fetch(`${origin}/monitoring`, { method: 'POST', body: envelopeFor(OWN, 'd') })
  t.match([response.status, response.headers.get('retry-after')], [503, '5'])
  t.equal(logs.takeErrors().length, 1)
})

for (const { name, isBeside } of [
  { name: 'without TUNNEL_DSNS', isBeside: false },
  { name: 'with TUNNEL_DSNS', isBeside: true }
])
  t.test(`a spool of an earlier version is delivered to the inbox, ${name}`, async (t) => {
    const DATA_DIR = createFolder(t)
    const provider = await openProvider(t)
    const { tunnel, file } = createTunnel(t, { providers: [], file: join(DATA_DIR, 'spool.db') })
    await put(tunnel, provider.dsn)
    const { header, rest } = splitEnvelope(Buffer.from(envelopeFor(OWN, 'd')))
    await tunnel.accept({ meta: { dsn: INBOX_DSN, header, receivedAt: Date.now(), counts: { error: 1 } }, body: rest })
    await tunnel.close()

    const env = { DATA_DIR, INBOX: 'on', ...(isBeside && { TUNNEL_DSNS: provider.dsn }) }
    const { app } = await createListeningApp(t, { site, env })
    await stored(app, 'event')
    t.same(app.inbox!.stats().stored, { event: 1 })
    if (isBeside) await provider.has(1)
    else t.ok(existsSync(file), 'with an envelope for a provider that may be configured again')
  })

t.test('no spool is opened for the inbox', async (t) => {
  const DATA_DIR = createFolder(t)
  const { app, origin } = await createListeningApp(t, { site, env: { DATA_DIR, INBOX: 'on' } })
  await fetch(`${origin}/monitoring`, { method: 'POST', body: envelopeFor(OWN, 'd') })
  t.same(app.inbox!.stats().stored, { event: 1 }, 'stored before the response')
  t.equal(app.tunnel, null)
  t.notOk(existsSync(join(DATA_DIR, 'spool.db')))
})

t.test('TUNNEL_DSNS delivers to other providers in addition to the inbox', async (t) => {
  const provider = await openProvider(t)
  const { app, origin } = await createListeningApp(t, { site, env: { TUNNEL_DSNS: provider.dsn, INBOX: 'on' } })
  for (const [dsn, id] of [
    [provider.dsn, 'e'],
    [OWN, 'f']
  ] as const)
    t.equal((await fetch(`${origin}/monitoring`, { method: 'POST', body: envelopeFor(dsn, id) })).status, 200)
  await provider.has(1)
  await stored(app, 'event')
  t.match(provider.received, [{ header: { event_id: 'e'.repeat(32) } }])
})

t.test('an error because the inbox cannot store an envelope is not reported to the inbox', async (t) => {
  const { app, logs, origin } = await createListeningApp(t, { site, env: { INBOX: 'on' } })
  await app.inbox!.queries.listProjects()
  await app.inbox!.close()
  for (const id of ['1', '2', '3']) {
    const response = await fetch(`${origin}/monitoring`, { method: 'POST', body: envelopeFor(OWN, id) })
    t.equal(response.status, 503)
    t.equal(response.headers.get('retry-after'), '5')
  }
  await app.inject({ method: 'POST', url: `/api/1/envelope/?sentry_key=${app.inbox!.own.key}`, payload: 'nonsense' })
  await app.telemetry!.flush(60_000)
  t.match(
    logs.takeErrors(),
    Array(3).fill({ code: 'APP_MONITORING_SPOOL_UNAVAILABLE' }),
    'one log line for each envelope'
  )
})
