import t from 'tap'
import { createLogger } from '../../../shell/src/server/logger.ts'
import { FIXTURE_DSN, toEnvelope, tunnelled } from '@hull/test-helpers/envelopes.ts'
import { openTunnel } from '@hull/test-helpers/monitoring.ts'

const EVENT = '{"type":"event"}\n{"message":"secret"}\n'

t.test('stores envelopes of real SDKs unchanged, and responds without a body', async (t) => {
  const { post, files, counted, lines } = await openTunnel(t)
  for (const { name, bytes } of tunnelled) {
    const response = await post(bytes, { 'content-type': 'text/plain;charset=UTF-8' })
    t.equal(response.status, 200, name)
    t.equal(response.headers.get('cache-control'), 'no-cache')
    t.equal(await response.text(), '')
  }
  t.equal(files.kept.length, tunnelled.length)
  for (const [i, { name, rest, header }] of tunnelled.entries()) {
    const { meta, rest: kept } = files.kept[i]!
    t.ok(kept.equals(rest), name)
    const { sent_at: sentAt, ...fields } = header
    t.same(meta.header, fields)
    t.equal(meta.sentAt, sentAt === undefined ? undefined : Date.parse(sentAt as string))
    t.match(meta, { dsn: FIXTURE_DSN, clientAddress: '127.0.0.1' })
    t.ok(Math.abs(Date.now() - meta.receivedAt) < 60_000)
    t.ok(Object.keys(meta.counts).length > 0)
  }
  t.equal(await counted('accepted'), tunnelled.length)
  t.same(lines(), [])
})

t.test('ignores the content type', async (t) => {
  const { post, files } = await openTunnel(t)
  const types = [
    'text/plain;charset=UTF-8',
    'application/x-sentry-envelope',
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'nonsense',
    ';;;',
    'a/b/c'
  ]
  for (const type of types) t.equal((await post(toEnvelope(EVENT), { 'content-type': type })).status, 200, type)
  t.equal((await post(toEnvelope(EVENT))).status, 200, 'without a content type')
  t.equal(files.kept.length, types.length + 1)
})

t.test('returns 403 for a request from a page of another site, also without a preflight', async (t) => {
  const { post, files, origin } = await openTunnel(t)
  const beacon = { 'content-type': 'text/plain', 'sec-fetch-mode': 'no-cors' }
  for (const headers of [
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example', ...beacon },
    { 'sec-fetch-site': 'same-site', origin: 'https://other.site.example', ...beacon },
    { 'sec-fetch-site': 'cross-site', origin, ...beacon },
    { 'sec-fetch-site': '', origin: 'null', ...beacon }
  ]) {
    const response = await post(toEnvelope(EVENT), headers)
    t.equal(response.status, 403)
    t.match(response.headers.get('x-sentry-error'), 'APP_MONITORING_CROSS_SITE: ')
    t.equal(response.headers.get('access-control-allow-origin'), null)
  }
  t.same(files.files, [])
  t.equal((await post(toEnvelope(EVENT), { ...beacon })).status, 200, 'a page of the application may send a beacon')
})

t.test('compares the origin of a browser without Sec-Fetch-Site with BASE_URL', async (t) => {
  const { app } = await openTunnel(t, { baseUrl: 'https://app.example' })
  const statusOf = async (headers: Record<string, string>) =>
    (await app.inject({ method: 'POST', url: '/monitoring', payload: toEnvelope(EVENT), headers })).statusCode
  t.equal(await statusOf({ origin: 'https://app.example' }), 200)
  t.equal(await statusOf({ origin: 'http://localhost:80', host: 'localhost:80' }), 403)
  t.equal(await statusOf({ origin: 'null' }), 403)
  t.equal(await statusOf({}), 200, 'a client that sends neither header is not a browser')
})

t.test('returns 403 for a foreign DSN, and 400 for a missing DSN', async (t) => {
  const { post, files, counted } = await openTunnel(t)
  const codeOf = async (dsn: unknown) => {
    const response = await post(toEnvelope(EVENT, { dsn }))
    return [response.status, response.headers.get('x-sentry-error')?.split(':')[0]]
  }
  for (const dsn of [
    FIXTURE_DSN.replace('https', 'http'),
    `${FIXTURE_DSN}0`,
    FIXTURE_DSN.replace('o1.', ''),
    'nonsense',
    ''
  ])
    t.same(await codeOf(dsn), [403, 'APP_MONITORING_FOREIGN_DSN'], dsn)
  for (const dsn of [undefined, null, 5, [FIXTURE_DSN]])
    t.same(await codeOf(dsn), [400, 'APP_MONITORING_MALFORMED'], String(dsn))
  t.same(files.files, [], 'no file was created')
  t.equal(await counted('refused', 'APP_MONITORING_FOREIGN_DSN'), 5)
})

t.test('accepts every DSN of the list, and passes it to the sink as configured', async (t) => {
  const dsns = [FIXTURE_DSN, 'https://other@sentry.example:443/app/7/']
  const { post, files } = await openTunnel(t, { dsns })
  for (const dsn of [FIXTURE_DSN, 'https://other@SENTRY.example/app/7'])
    t.equal((await post(toEnvelope(EVENT, { dsn }))).status, 200)
  t.same(
    files.kept.map(({ meta }) => [meta.dsn, meta.header.dsn]),
    dsns.map((dsn) => [dsn, dsn])
  )
})

t.test('returns 400 for a malformed envelope, stores nothing, and logs it once without its content', async (t) => {
  const { post, files, lines, counted } = await openTunnel(t)
  const bodies = [
    'secret',
    '',
    '\n',
    '{"secret":',
    toEnvelope('{"type":"event","length":99}\nsecret'),
    toEnvelope('secret')
  ]
  for (const body of bodies) {
    const response = await post(body)
    t.equal(response.status, 400)
    t.equal(response.headers.get('cache-control'), 'no-cache')
    t.match(response.headers.get('x-sentry-error'), /^APP_MONITORING_MALFORMED: The envelope cannot be read: /)
    t.equal(await response.text(), '')
  }
  t.same(files.kept, [])
  t.equal(files.open, 0)
  t.equal(await counted('refused', 'APP_MONITORING_MALFORMED'), bodies.length)
  t.equal(lines().length, bodies.length)
  for (const line of lines()) t.match(line, { level: 40, code: 'APP_MONITORING_MALFORMED', reason: /cannot be read/ })
  t.notMatch(JSON.stringify(lines()), 'secret')
})

t.test('returns 405 with Allow for other methods', async (t) => {
  const { app, origin } = await openTunnel(t)
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const response = await fetch(`${origin}/monitoring`, { method, body: method === 'PUT' ? '{' : undefined })
    t.equal(response.status, 405, method)
    t.equal(response.headers.get('allow'), 'POST')
    t.match(response.headers.get('x-sentry-error'), 'APP_MONITORING_METHOD: ')
    t.equal(await response.text(), '')
  }
  const head = await app.inject({ method: 'HEAD', url: '/monitoring' })
  t.match([head.statusCode, head.headers.allow], [405, 'POST'])
})

t.test('an alias is a second path of the tunnel', async (t) => {
  const { post, files, origin } = await openTunnel(t, { alias: '/news' })
  t.equal((await post(toEnvelope(EVENT), {}, '/news')).status, 200)
  t.equal((await post(toEnvelope(EVENT))).status, 200)
  t.equal((await fetch(`${origin}/news`)).status, 405)
  t.equal(files.kept.length, 2)
  const { origin: other } = await openTunnel(t)
  t.equal((await fetch(`${other}/news`, { method: 'POST' })).status, 404)
})

t.test('returns 429 with Retry-After for too many requests of one address, and serves other addresses', async (t) => {
  const { app, lines } = await openTunnel(t, { rate: 6 })
  const send = (remoteAddress: string) =>
    app.inject({ method: 'POST', url: '/monitoring', payload: toEnvelope(EVENT), remoteAddress })
  t.same([(await send('192.0.2.1')).statusCode, (await send('192.0.2.1')).statusCode], [200, 200])
  const refused = await send('192.0.2.1')
  t.equal(refused.statusCode, 429)
  t.equal(refused.headers['retry-after'], '10')
  t.match(refused.headers['x-sentry-error'], 'APP_MONITORING_TOO_MANY: ')
  t.equal(refused.body, '')
  t.match(lines(), [{ level: 40, code: 'APP_MONITORING_TOO_MANY' }])

  for (const remoteAddress of ['192.0.2.2', '::ffff:192.0.2.2', '2001:db8:0:7::1', '2001:db8:0:7:ffff::2'])
    t.equal((await send(remoteAddress)).statusCode, 200, remoteAddress)
  for (const remoteAddress of ['192.0.2.2', '2001:db8:0:7:1::3']) t.equal((await send(remoteAddress)).statusCode, 429)
})

t.test('the default rate limit allows 200 requests at once', async (t) => {
  const { app } = await openTunnel(t, { rate: undefined })
  const send = () => app.inject({ method: 'POST', url: '/monitoring', payload: toEnvelope(EVENT) })
  // The requests are sent in parallel, because the limit allows one more every tenth of a second.
  const statuses = (await Promise.all(Array.from({ length: 250 }, send))).map(({ statusCode }) => statusCode)
  const count = (status: number) => statuses.filter((one) => one === status).length
  t.ok(count(200) >= 200 && count(429) >= 1, `${count(200)} and ${count(429)}`)
})

t.test('takes the address of the visitor from a trusted proxy', async (t) => {
  const { app, files } = await openTunnel(t, { rate: 3, server: { trustProxy: '10.0.0.1' } })
  const send = async (visitor: string) => {
    const headers = { 'x-forwarded-for': `6.6.6.6, ${visitor}` }
    const remoteAddress = '10.0.0.1'
    return (
      await app.inject({ method: 'POST', url: '/monitoring', payload: toEnvelope(EVENT), headers, remoteAddress })
    ).statusCode
  }
  t.same([await send('192.0.2.1'), await send('192.0.2.1'), await send('192.0.2.2')], [200, 429, 200])
  t.same([await send('192.0.2.3:49152'), await send('192.0.2.3:49153'), await send('192.0.2.4:49152')], [200, 429, 200])
  t.same(
    files.kept.map(({ meta }) => meta.clientAddress),
    ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']
  )
})

t.test('normalises or omits an invalid client address', async (t) => {
  const { app, files } = await openTunnel(t, { server: { trustProxy: true } })
  for (const visitor of ['::ffff:192.0.2.1', 'unknown', 'x\u0000y'])
    await app.inject({
      method: 'POST',
      url: '/monitoring',
      payload: toEnvelope(EVENT),
      headers: { 'x-forwarded-for': visitor }
    })
  t.same(
    files.kept.map(({ meta }) => meta.clientAddress),
    ['192.0.2.1', undefined, undefined]
  )
})

t.test('logs refused envelopes unless the log level is higher, and does not log accepted envelopes', async (t) => {
  const lines: string[] = []
  for (const logLevel of ['info', 'error'] as const) {
    const loggerInstance = createLogger(
      { logLevel, release: 'x', environment: 'test' },
      { write: (line) => void lines.push(line) }
    )
    const { post } = await openTunnel(t, { server: { logger: undefined, loggerInstance } })
    await post(toEnvelope(EVENT))
    await post('secret')
  }
  const requests = lines.filter((line) => !line.includes('listening'))
  t.equal(requests.length, 1)
  t.match(JSON.parse(requests[0]!), { msg: 'envelope refused', path: '/monitoring', reqId: /./ })
})

t.test('does not start with an invalid DSN, or with an alias that is the path of another route', async (t) => {
  await t.rejects(openTunnel(t, { dsns: ['nonsense'] }), /a DSN is/)
  const refused = (alias: string) => ({
    code: 'APP_MONITORING_ALIAS',
    message: `, ${alias}, is the address of another route`
  })
  await t.rejects(openTunnel(t, { alias: '/monitoring' }), refused('/monitoring'))
  await t.rejects(openTunnel(t, { alias: '/healthz' }), refused('/healthz'))
})
