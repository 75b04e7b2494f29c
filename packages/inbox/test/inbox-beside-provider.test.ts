import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { createListeningApp, createTestApp } from '@hull/test-helpers/app.ts'
import { fixtures, toEnvelope } from '@hull/test-helpers/envelopes.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { readProvider } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { accept, openProvider, reply } from '@hull/test-helpers/provider.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'
import { OWN_TARGET } from '../src/addresses.ts'

const site = await buildFixtureSite()

async function openBoth(t: Test, env: Record<string, string> = {}) {
  const provider = await openProvider(t)
  const opened = await createListeningApp(t, {
    site,
    env: { SENTRY_DSN: provider.dsn, INBOX: 'on', TRACES_SAMPLE_RATE: '0', ...env }
  })
  await opened.app.inbox!.open!()
  const post = (body: Uint8Array | string, path = '/monitoring') =>
    fetch(opened.origin + path, { method: 'POST', body: body as BodyInit })
  /** Ids of the events in the inbox. */
  const inInbox = async () => {
    const { queries } = opened.app.inbox!
    const { issues } = await queries.listIssues({ view: { since: 0, until: Date.now() + 60_000 } })
    const lists = await Promise.all(issues.map(({ id }) => queries.listEvents({ id })))
    return lists.flatMap(({ events }) => events.map(({ eventId }) => eventId)).toSorted()
  }
  /** Ids of the events at the provider. */
  const atProvider = () => eventIds(provider.received)
  /** Values of a metric, with labels. */
  const readMetrics = async (name: string) =>
    (await (await fetch(`${opened.origin}/metrics`)).text())
      .split('\n')
      .filter((line) => line.startsWith(name))
      .map((line) => line.slice(name.length))
  return { ...opened, readMetrics, provider, post, inInbox, atProvider, read: readProvider(provider) }
}

const eventIds = (envelopes: Awaited<ReturnType<typeof openProvider>>['received']) =>
  envelopes
    .flatMap(({ items }) => items.filter(({ header }) => header.type === 'event'))
    .map(({ payload }) => (JSON.parse(payload.toString()) as { event_id: string }).event_id)
    .toSorted()

const eventFor = (dsn: string, { id = randomBytes(16).toString('hex'), padding = 0 } = {}) => {
  const payload = JSON.stringify({ event_id: id, message: `message ${id}`, level: 'error', extra: 'x'.repeat(padding) })
  return {
    id,
    body: toEnvelope(`{"type":"event","length":${payload.length}}\n${payload}\n`, { dsn, event_id: id })
  }
}

t.test('SENTRY_DSN without INBOX opens no inbox, and INBOX=on opens it', async (t) => {
  const SENTRY_DSN = 'http://key@127.0.0.1:9/1'
  const alone = await createTestApp(t, { site, env: { SENTRY_DSN, INBOX: '' } })
  t.equal(alone.app.inbox, null)
  t.equal((await alone.app.inject('/inbox')).statusCode, 404)
  const both = await createTestApp(t, { env: { SENTRY_DSN, INBOX: 'on', INBOX_PASSWORD } })
  t.equal((await both.app.inject('/inbox')).statusCode, 401)
  both.app.tunnel!.rateLimits(SENTRY_DSN)
  const admin = await signIn(both.app)
  t.match((await admin.get('/inbox/doctor')).body, /The spool delivers[^]*127\.0\.0\.1:9\/1/)
})

t.test('the inbox and the provider receive everything once', async (t) => {
  const { app, origin, logs, post, provider, inInbox, atProvider, read, readMetrics } = await openBoth(t, {
    TRACES_SAMPLE_RATE: '1'
  })

  t.test('the document has the DSN of the provider, and pages of the inbox report nothing', async (t) => {
    const [, settings] =
      /<script type="application\/json" id="hull-monitoring">(.*?)<\/script>/.exec((await app.inject('/')).body) ?? []
    t.match(JSON.parse(settings!), { dsn: provider.dsn, tunnel: '/monitoring', unwatched: '/inbox' })
  })

  t.test('an error on the server, and its transaction', async (t) => {
    await eventually(() => app.telemetry!.isReady)
    await app.inject({ url: '/fail/data', headers: { accept: 'text/html' }, remoteAddress: '203.0.113.77' })
    t.equal(logs.takeErrors().length, 1)
    await stored(app, 'event')
    await eventually(() => atProvider().length > 0)
    t.same(await inInbox(), atProvider())
    await app.telemetry!.flush(60_000)
    await stored(app, 'transaction')
    const sent = await read.transaction('http.server', '/fail/data')
    const traces = await app.inbox!.queries.listTraces({ view: { since: 0, until: Date.now() + 60_000 } })
    t.ok(JSON.stringify(traces).includes(sent.contexts!.trace!.trace_id))
    const all = provider.received.map(({ header, body }) => JSON.stringify(header) + body.toString()).join()
    t.notMatch(all, '203.0.113.77', 'the provider does not receive the address')
  })

  t.test('envelopes of real SDKs in pages, byte for byte', async (t) => {
    for (const { header, rest } of fixtures) {
      const response = await post(toEnvelope(rest, { ...header, dsn: provider.dsn }))
      t.equal(response.status, 200)
    }
    for (const { rest } of fixtures) await eventually(() => provider.received.some(({ body }) => body.equals(rest)))
    t.same(await inInbox(), [...new Set(atProvider())])
    t.ok(provider.received.every(({ header }) => header.dsn === undefined || header.dsn === provider.dsn))
  })

  t.test('an envelope of a page that was opened before SENTRY_DSN was set', async (t) => {
    const { id, body } = eventFor(OWN_TARGET.dsn)
    t.equal((await post(body)).status, 200)
    await eventually(() => atProvider().includes(id))
    t.ok((await inInbox()).includes(id))
    t.equal(provider.received.find(({ header }) => header.event_id === id)!.header.dsn, provider.dsn)
  })

  t.test('a body that is too large for memory', async (t) => {
    const { id, body } = eventFor(provider.dsn, { padding: 900_000 })
    t.equal((await post(body)).status, 200)
    await eventually(() => atProvider().includes(id))
    t.ok((await inInbox()).includes(id))
  })

  t.test('neither receives an envelope whose client disconnects', async (t) => {
    const { id: left, body } = eventFor(provider.dsn, { padding: 600_000 })
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    socket.write(`POST /monitoring HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-length: ${body.length}\r\n\r\n`)
    socket.write(body.subarray(0, 500_000), () => socket.resetAndDestroy())
    while (!(await readMetrics('monitoring_envelopes_total')).some((line) => line.includes('outcome="gone"')))
      await new Promise(setImmediate)
    const { id, body: next } = eventFor(provider.dsn)
    t.equal((await post(next)).status, 200)
    await eventually(() => atProvider().includes(id))
    t.ok((await inInbox()).includes(id))
    for (const ids of [await inInbox(), eventIds(provider.seen)]) t.notOk(ids.includes(left))
  })

  t.test('an envelope of a service with a key of the inbox is stored only in the inbox', async (t) => {
    const { id, body } = eventFor(`https://${app.inbox!.own.key}@inbox.invalid/1`)
    t.equal((await post(body, `/api/1/envelope/?sentry_key=${app.inbox!.own.key}`)).status, 200)
    t.ok((await inInbox()).includes(id))
    t.notOk(provider.seen.some(({ header }) => header.event_id === id))
  })

  t.test('metrics show both', async (t) => {
    for (const metric of ['inbox_available', 'monitoring_spool_available']) t.same(await readMetrics(metric), [' 1'])
  })
})

t.test('a provider that fails, limits and recovers does not affect the inbox', async (t) => {
  const { app, post, provider, inInbox, atProvider } = await openBoth(t)
  const ids: string[] = []
  const send = async () => {
    const { id, body } = eventFor(provider.dsn)
    ids.push(id)
    const response = await post(body)
    t.equal(response.status, 200)
    return response
  }
  provider.conduct(reply(503))
  await send()
  await provider.saw(1)
  await provider.goDown()
  await send()
  t.same(await inInbox(), ids.toSorted())
  await provider.comeBack()
  provider.conduct(reply(429, { 'x-sentry-rate-limits': '5:error:key' }))
  const seen = provider.seen.length
  await send()
  await provider.saw(seen + 1)
  await eventually(() => app.tunnel!.rateLimits(provider.dsn))
  const limited = await send()
  t.equal(limited.headers.get('x-sentry-rate-limits'), null, 'pages continue, because the inbox has no limit')
  t.same(await inInbox(), ids.toSorted())
  provider.conduct(accept)
  await provider.has(ids.length)
  t.same(atProvider(), ids.toSorted(), 'the spool has delivered each envelope once')
  t.equal(await app.tunnel!.flush(60_000), true)
  t.equal(provider.received.length, ids.length)
})

t.test('the provider receives envelopes that the inbox cannot store', async (t) => {
  const { app, logs, post, provider, atProvider, readMetrics } = await openBoth(t)
  await eventually(() => app.telemetry!.isReady)
  await app.inbox!.close()
  const small = eventFor(provider.dsn)
  const large = eventFor(provider.dsn, { padding: 900_000 })
  for (const { body } of [small, large]) t.equal((await post(body)).status, 200)
  await app.inject({ url: '/fail/data', headers: { accept: 'text/html' } })
  await provider.has(3)
  t.ok([small.id, large.id].every((id) => atProvider().includes(id)))
  t.equal(new Set(atProvider()).size, 3)
  const missed = logs.takeErrors().filter(({ msg }) => msg === 'envelope not stored by one receiver')
  t.equal(missed.length, 3)
  t.match(missed[0], { code: 'APP_MONITORING_SPOOL_UNAVAILABLE', receiver: 'inbox' })
  t.same(await readMetrics('monitoring_missed_envelopes_total'), ['{receiver="inbox"} 3'])
})

t.test('the inbox stores envelopes that the spool cannot, and 503 means that neither has stored it', async (t) => {
  const { app, logs, post, provider, inInbox } = await openBoth(t)
  // Opens the tunnel.
  app.tunnel!.rateLimits(provider.dsn)
  await app.tunnel!.close()
  const { id, body } = eventFor(provider.dsn)
  t.equal((await post(body)).status, 200)
  t.same(await inInbox(), [id])
  t.match(logs.takeErrors(), [{ receiver: 'provider', code: 'APP_MONITORING_SPOOL_UNAVAILABLE' }])
  await app.inbox!.close()
  const refused = await post(eventFor(provider.dsn).body)
  t.match([refused.status, refused.headers.get('retry-after')], [503, '5'])
  t.match(logs.takeErrors(), [{ msg: 'envelope not stored' }])
})
