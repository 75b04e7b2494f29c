import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { openProvider } from '@hull/test-helpers/provider.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()

const envelopeFor = (dsn: string, payload: string) =>
  `${JSON.stringify({ dsn, event_id: 'a'.repeat(32) })}\n{"type":"feedback","length":${Buffer.byteLength(payload)}}\n${payload}\n`

t.test('with SENTRY_DSN', async (t) => {
  const provider = await openProvider(t)
  const { app, logs, origin } = await createListeningApp(t, { site, env: { SENTRY_DSN: provider.dsn } })

  t.test('an envelope of a page reaches the provider unchanged', async (t) => {
    const response = await fetch(`${origin}/monitoring`, {
      method: 'POST',
      body: envelopeFor(provider.dsn, '{"é":1}x')
    })
    t.equal(response.status, 200)
    await provider.has(1)
    t.match(provider.received, [{ items: [{ header: { type: 'feedback' }, payload: Buffer.from('{"é":1}x') }] }])
  })

  t.test('an error on the server reaches the provider with the digest of its log line', async (t) => {
    await app.inject({ url: '/fail/data', headers: { accept: 'text/html' } })
    const [line] = logs.takeErrors()
    await eventually(() => eventsOf(provider.received).length > 0)
    const [event] = eventsOf(provider.received)
    t.match(event, {
      tags: { digest: line?.digest },
      transaction: '/fail/data',
      contexts: { trace: { trace_id: line?.trace_id } }
    })
  })

  t.test('metrics count waiting and delivered envelopes', async (t) => {
    const metrics = await (await fetch(`${origin}/metrics`)).text()
    t.match(metrics, /^monitoring_spool_envelopes \d+$/m)
    t.match(metrics, /^monitoring_attempts_total\{provider="127\.0\.0\.1:\d+\/\d+",outcome="delivered"\} [1-9]/m)
    t.match(metrics, /^monitoring_provider_failing\{provider="[^"]+"\} 0$/m)
    t.match(metrics, /^monitoring_envelopes_total\{outcome="accepted",code="none"\} 1$/m)
  })

  t.test('an envelope for another project is refused, and logged with its trace', async (t) => {
    const trace = 'c'.repeat(32)
    const response = await fetch(`${origin}/monitoring`, {
      method: 'POST',
      headers: { 'sentry-trace': `${trace}-${'d'.repeat(16)}` },
      body: envelopeFor('https://key@elsewhere.example/1', '{}')
    })
    t.equal(response.status, 403)
    t.match(response.headers.get('x-sentry-error'), 'APP_MONITORING_FOREIGN_DSN: ')
    const line = logs.lines.find(({ msg }) => msg === 'envelope refused')
    t.match(line, { code: 'APP_MONITORING_FOREIGN_DSN', trace_id: trace })
  })
})

t.test('the secret of an old DSN is not sent to browsers', async (t) => {
  const provider = await openProvider(t)
  const dsn = provider.dsn.replace('@', ':s3cr3t@')
  const { origin } = await createListeningApp(t, { site, env: { SENTRY_DSN: dsn } })
  const document = await (await fetch(origin)).text()
  t.match(document, provider.dsn)
  t.notMatch(document, 's3cr3t')
  const response = await fetch(`${origin}/monitoring`, { method: 'POST', body: envelopeFor(provider.dsn, '{}') })
  t.equal(response.status, 200)
  await provider.has(1)
})

t.test('envelopes accepted while the provider was down are delivered after a restart', async (t) => {
  const provider = await openProvider(t)
  const env = { SENTRY_DSN: provider.dsn, DATA_DIR: createFolder(t) }
  await provider.goDown()
  const first = await createListeningApp(t, { site, env })
  const response = await fetch(`${first.origin}/monitoring`, { method: 'POST', body: envelopeFor(provider.dsn, '{}') })
  t.equal(response.status, 200, 'the response does not reveal the outage')
  await first.app.close()
  await provider.comeBack()
  await createListeningApp(t, { site, env })
  await provider.has(1)
  t.match(provider.received, [{ header: { event_id: 'a'.repeat(32) } }])
})

t.test('without a provider and without the inbox there is no tunnel', async (t) => {
  const { app } = await createListeningApp(t, { site, env: { INBOX: 'off' } })
  const { statusCode } = await app.inject({ method: 'POST', url: '/monitoring', payload: '{}' })
  t.equal(statusCode, 404)
  t.equal((await app.inject('/inbox')).statusCode, 404)
  t.same([app.tunnel, app.telemetry, app.inbox], [null, null, null])
})

t.test('TUNNEL_ALIAS is a second path of the tunnel', async (t) => {
  const provider = await openProvider(t)
  const { origin } = await createListeningApp(t, {
    site,
    env: { SENTRY_DSN: provider.dsn, TUNNEL_ALIAS: '/news' }
  })
  const response = await fetch(`${origin}/news`, { method: 'POST', body: envelopeFor(provider.dsn, '{}') })
  t.equal(response.status, 200)
  await provider.has(1)
})

type Envelopes = Awaited<ReturnType<typeof openProvider>>['received']

const eventsOf = (envelopes: Envelopes) =>
  envelopes.flatMap(({ items }) =>
    items
      .filter(({ header }) => header.type === 'event')
      .map(({ payload }) => JSON.parse(payload.toString()) as Record<string, unknown>)
  )
