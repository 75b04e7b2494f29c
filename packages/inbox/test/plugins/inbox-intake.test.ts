// Runs in a process of its own: it measures the memory of its process.
import { randomUUID } from 'node:crypto'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { constants, deflateSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import type { Project } from '../../src/store/model.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { collectGarbage } from '@hull/test-helpers/garbage.ts'
import { RawClient } from '@hull/test-helpers/raw-client.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()

const EVENT = { message: 'from elsewhere', level: 'error', platform: 'python' }

interface Post {
  key?: string
  path?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Creates an application with two projects, and a function that posts to it as another service does. */
async function openInbox(t: Test, env: Record<string, string> = {}) {
  const { app, logs } = await createTestApp(t, { site, env: { TUNNEL_RATE: '0', INBOX: 'on', ...env } })
  const shop = await app.inbox!.changes.createProject({ name: 'Shop' })
  const post = (project: Project, { key = project.key, path, headers = {}, body = toEnvelope(EVENT) }: Post = {}) =>
    app.inject({
      method: 'POST',
      url: path ?? `/api/${project.id}/envelope/?sentry_version=7&sentry_key=${key}`,
      headers: { 'content-type': 'application/x-sentry-envelope', ...headers },
      payload: body
    })
  return { app, logs, shop, own: app.inbox!.own, post }
}

function toEnvelope(payload: object, header: object = {}, type = 'event'): string {
  const text = JSON.stringify(payload)
  return `${JSON.stringify(header)}\n{"type":"${type}","length":${Buffer.byteLength(text)}}\n${text}\n`
}

const auth = (key: string) => ({ 'x-sentry-auth': `Sentry sentry_version=7, sentry_client=x/1, sentry_key=${key}` })

t.test('a key is accepted in each of its places', async (t) => {
  const { app, shop, post } = await openInbox(t)
  const path = `/api/${shop.id}/envelope/`
  const dsn = `https://${shop.key}@hull.example/${shop.id}`
  const ways: Record<string, Post> = {
    address: {},
    'X-Sentry-Auth': { path, headers: auth(shop.key) },
    Authorization: { path, headers: { authorization: `Sentry sentry_key=${shop.key}` } },
    envelope: { path, body: toEnvelope(EVENT, { dsn }) },
    'address without a slash at its end': { path: `/api/${shop.id}/envelope?sentry_key=${shop.key}` },
    'address, and the same in the envelope': { body: toEnvelope(EVENT, { dsn }) }
  }
  for (const [way, request] of Object.entries(ways)) {
    const response = await post(shop, request)
    t.equal(response.statusCode, 200, way)
    t.equal(response.headers['access-control-allow-origin'], '*')
  }
  await stored(app, 'event', Object.keys(ways).length)
})

t.test('an application that forwards envelopes of its visitors sends their addresses', async (t) => {
  const { app, shop, post } = await openInbox(t)
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2', '2001:db8::7, 192.0.2.3', 'nobody']) {
    const body = toEnvelope({ ...EVENT, platform: 'javascript', event_id: randomUUID() })
    t.equal((await post(shop, { body, headers: { 'x-sentry-forwarded-for': address } })).statusCode, 200)
  }
  const view = { since: 0, until: Date.now() + 1_000, project: shop.id }
  const { issues } = await app.inbox!.queries.listIssues({ view })
  t.equal(issues[0]?.visitors, 4, 'one address is invalid, and is replaced with the address of the sender')
})

t.test('refuses requests without a key, with two keys, or with a wrong one', async (t) => {
  const { app, own, shop, post } = await openInbox(t)
  const path = `/api/${shop.id}/envelope/`
  const other = `https://${own.key}@hull.example/${own.id}`
  const cases: Array<[what: string, request: Post, status: number, code: string]> = [
    ['none', { path }, 401, 'APP_INBOX_AUTH_MISSING'],
    ['one that is empty', { path: `${path}?sentry_key=` }, 401, 'APP_INBOX_AUTH_MISSING'],
    ['named twice', { path: `${path}?sentry_key=${shop.key}&sentry_key=a` }, 401, 'APP_INBOX_AUTH_MISSING'],
    ['another kind of authorization', { path, headers: { authorization: 'Bearer x' } }, 401, 'APP_INBOX_AUTH_MISSING'],
    ['two kinds', { headers: auth(shop.key) }, 401, 'APP_INBOX_AUTH_TWICE'],
    ['two kinds that differ', { headers: auth(own.key) }, 401, 'APP_INBOX_AUTH_TWICE'],
    [
      'a version beside a header',
      { path: `${path}?sentry_version=7`, headers: auth(shop.key) },
      401,
      'APP_INBOX_AUTH_TWICE'
    ],
    ['an envelope for another project', { body: toEnvelope(EVENT, { dsn: other }) }, 401, 'APP_INBOX_AUTH_MISMATCH'],
    [
      'an envelope for another project alone',
      { path, body: toEnvelope(EVENT, { dsn: other }) },
      401,
      'APP_INBOX_AUTH_MISMATCH'
    ],
    ['unknown', { key: 'f'.repeat(32) }, 403, 'APP_INBOX_KEY_UNKNOWN'],
    ['of another project', { key: own.key }, 403, 'APP_INBOX_KEY_UNKNOWN'],
    ["of the application's own SDKs", { path: '/api/1/envelope/?sentry_key=hull' }, 403, 'APP_INBOX_KEY_UNKNOWN'],
    ['of a project that never was', { path: `/api/99/envelope/?sentry_key=${shop.key}` }, 403, 'APP_INBOX_KEY_UNKNOWN']
  ]
  for (const [what, request, status, code] of cases) {
    const response = await post(shop, request)
    t.equal(response.statusCode, status, what)
    t.match(response.headers['x-sentry-error'], `${code}: `)
    t.equal(response.body, '', 'empty for every status')
    t.equal(response.headers['access-control-allow-origin'], '*', 'the SDK can read the reason')
  }
  t.same(app.inbox!.stats().stored, {})
  t.match(app.inboxRefusals.list(Date.now()), [
    { project: 99, code: 'APP_INBOX_KEY_UNKNOWN', message: /^The key of the DSN/, quantity: 1 },
    { project: 1, code: 'APP_INBOX_KEY_UNKNOWN', quantity: 1 },
    { project: shop.id, code: 'APP_INBOX_KEY_UNKNOWN', quantity: 2 },
    { project: shop.id, code: 'APP_INBOX_AUTH_MISMATCH', quantity: 2 },
    { project: shop.id, code: 'APP_INBOX_AUTH_TWICE', quantity: 3 },
    { project: shop.id, code: 'APP_INBOX_AUTH_MISSING', quantity: 4 }
  ])
})

t.test('refuses renewed keys and keys of removed projects', async (t) => {
  const { app, shop, post } = await openInbox(t)
  const renewed = await app.inbox!.changes.renewKey({ id: shop.id })
  t.equal((await post(shop)).statusCode, 403)
  t.equal((await post(renewed)).statusCode, 200)
  await app.inbox!.changes.removeProject({ id: shop.id })
  t.equal((await post(renewed)).statusCode, 403)
})

t.test('allows browsers of other origins to send', async (t) => {
  const { app, shop } = await openInbox(t)
  const { statusCode, headers } = await app.inject({
    method: 'OPTIONS',
    url: `/api/${shop.id}/envelope/?sentry_key=${shop.key}`,
    headers: {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'baggage,content-type,sentry-trace,x-sentry-auth'
    }
  })
  t.equal(statusCode, 204)
  t.match(headers, {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': /POST/,
    'access-control-allow-headers': /X-Sentry-Auth.*Content-Type.*sentry-trace.*baggage/
  })
  t.equal(headers['access-control-allow-credentials'], undefined)
})

t.test('the response has no body, and lets a browser read the limits', async (t) => {
  const { shop, post } = await openInbox(t)
  const response = await post(shop, {
    headers: { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' },
    body: toEnvelope(EVENT, { event_id: 'a'.repeat(32) })
  })
  t.match([response.body, response.headers['cache-control']], ['', 'no-cache'])
  t.match(response.headers['access-control-expose-headers'], /X-Sentry-Error, X-Sentry-Rate-Limits, Retry-After/)
})

t.test('accepts a single event at the older address, in any content coding', async (t) => {
  const { app, shop, post } = await openInbox(t)
  const path = `/api/${shop.id}/store/?sentry_key=${shop.key}`
  const text = JSON.stringify({ ...EVENT, event_id: 'B'.repeat(32) }, null, 2)
  const bodies: Array<[coding: string, body: string | Buffer]> = [
    ['identity', text],
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)]
  ]
  for (const [coding, body] of bodies) {
    const response = await post(shop, { path, body, headers: { 'content-encoding': coding } })
    t.equal(response.statusCode, 200, coding)
    t.equal(response.body, '')
  }
  const unnamed = await post(shop, { path: path.replace('/?', '?'), body: JSON.stringify(EVENT) })
  t.equal(unnamed.statusCode, 200, 'an event without an id gets one')
  await stored(app, 'event')
})

t.test('accepts a single event in base64, as raven for Node and PHP sends it', async (t) => {
  const { app, shop, post } = await openInbox(t)
  const path = `/api/${shop.id}/store/?sentry_key=${shop.key}`
  const text = JSON.stringify({ ...EVENT, message: 'from raven', event_id: 'B'.repeat(32) })
  for (const body of [deflateSync(text).toString('base64'), Buffer.from(text).toString('base64')]) {
    const response = await post(shop, { path, body, headers: { 'content-type': 'application/octet-stream' } })
    t.equal(response.statusCode, 200, response.headers['x-sentry-error'] as string)
  }
  await stored(app, 'event')
  const { issues } = await app.inbox!.queries.listIssues({ view: { since: 0, until: Date.now() + 1_000 } })
  t.match(issues, [{ type: 'from raven', events: 1 }])
})

t.test('the older address refuses a body that is no event', async (t) => {
  const { shop, post } = await openInbox(t)
  const path = `/api/${shop.id}/store/?sentry_key=${shop.key}`
  for (const [body, status, code] of [
    ['', 400, 'APP_MONITORING_MALFORMED'],
    ['[]', 400, 'APP_MONITORING_MALFORMED'],
    ['{"a":', 400, 'APP_MONITORING_MALFORMED'],
    [`{"message":"${'x'.repeat(1024 ** 2)}"}`, 413, 'APP_MONITORING_TOO_LARGE'],
    [gzipSync(`{"message":"${'x'.repeat(1024 ** 2)}"}`), 413, 'APP_MONITORING_TOO_LARGE'],
    [deflateSync(`{"message":"${'x'.repeat(1024 ** 2)}"}`).toString('base64'), 413, 'APP_MONITORING_TOO_LARGE'],
    [Buffer.from('no deflate').toString('base64'), 400, 'APP_MONITORING_MALFORMED']
  ] as const) {
    const headers: Record<string, string> = typeof body === 'string' ? {} : { 'content-encoding': 'gzip' }
    const response = await post(shop, { path, body: body as string | Buffer, headers })
    t.equal(response.statusCode, status, String(body.slice(0, 20)))
    t.match(response.headers['x-sentry-error'], `${code}: `)
  }
  const none = await post(shop, { path: `/api/${shop.id}/store/`, body: JSON.stringify(EVENT) })
  t.equal(none.statusCode, 401)
})

t.test('large single events that do not end prevent further large ones, but no small ones', async (t) => {
  const { app, shop, post } = await openInbox(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const path = `/api/${shop.id}/store/?sentry_key=${shop.key}`
  // A kilobyte that inflates to a mebibyte, without the end of the stream.
  const body = gzipSync(' '.repeat(1024 ** 2), { finishFlush: constants.Z_SYNC_FLUSH })
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length + 1}\r\n\r\n`
  const slow = await Promise.all(Array.from({ length: 40 }, () => RawClient.open(port)))
  for (const client of slow) client.send(head).send(body)
  const large = { path, body: JSON.stringify(EVENT) + ' '.repeat(64 * 1024) }
  const sendUntil = async (status: number) => {
    let response = await post(shop, large)
    for (let tries = 0; response.statusCode !== status && tries < 100; tries++) response = await post(shop, large)
    return response
  }
  const refused = await sendUntil(503)
  t.equal(refused.statusCode, 503)
  t.match(refused.headers['x-sentry-error'], 'APP_MONITORING_SPOOL_UNAVAILABLE: ')
  t.equal((await post(shop, { path, body: JSON.stringify(EVENT) })).statusCode, 200)
  for (const { socket } of slow) socket.destroy()
  t.equal((await sendUntil(200)).statusCode, 200, 'there is space again')
})

t.test('a single event in chunks of one byte takes no more memory than its bytes', async (t) => {
  const { app, shop } = await openInbox(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const received = new Promise<Socket>((resolve) => app.server.once('connection', resolve))
  const client = await RawClient.open((app.server.address() as AddressInfo).port)
  const socket = await received
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const head = `POST /api/${shop.id}/store/?sentry_key=${shop.key} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`
  const chunks = '1\r\n \r\n'.repeat(100_000)
  client.send(head).send(chunks)
  while (socket.bytesRead < head.length + chunks.length) await pause(5)
  collectGarbage()
  const grown = process.memoryUsage().heapUsed - before
  t.ok(grown < 5 * 1024 ** 2, `${grown} bytes`)
  client.socket.destroy()
})

t.test('another method is 405, and an address without the number of a project is not part of the inbox', async (t) => {
  const { app, shop } = await openInbox(t)
  const { statusCode, headers } = await app.inject(`/api/${shop.id}/envelope/`)
  t.equal(statusCode, 405)
  t.same(app.inboxRefusals.list(Date.now()), [], 'a GET is not counted as a refusal')
  t.equal(headers.allow, 'POST, OPTIONS')
  const team = await app.inject({ method: 'POST', url: '/api/shop/envelope/', payload: {} })
  t.match(team.json(), { code: 'APP_NOT_FOUND' })
})

t.test('the limit of an address does not apply to services, which send from one address', async (t) => {
  const { shop, post } = await openInbox(t, { TUNNEL_RATE: '3' })
  for (let i = 0; i < 5; i++) t.equal((await post(shop)).statusCode, 200)
})

t.test('above the limit of a key transactions are refused first, errors last, and other keys never', async (t) => {
  const { shop, own, post } = await openInbox(t, { INBOX_KEY_RATE: '6' })
  const path = `/api/${shop.id}/envelope/`
  const dsn = `https://${shop.key}@hull.example/${shop.id}`
  const transaction = toEnvelope({ type: 'transaction' }, {}, 'transaction')
  const limits = /^(?:9|10):replay;.*transaction;span;.*:key/
  t.equal((await post(shop, { body: transaction })).statusCode, 200)
  t.equal((await post(shop, { path, body: toEnvelope(EVENT, { dsn }) })).statusCode, 200)

  for (const request of [
    { body: transaction },
    { path, body: toEnvelope({}, { dsn }, 'transaction') },
    { path: `/api/${shop.id}/store/`, headers: auth(shop.key), body: JSON.stringify({ type: 'transaction' }) }
  ]) {
    const refused = await post(shop, request)
    t.equal(refused.statusCode, 429)
    t.match(refused.headers['x-sentry-error'], 'APP_INBOX_KEY_TOO_MANY: ')
    t.match(refused.headers['x-sentry-rate-limits'], limits)
    t.equal(refused.headers['retry-after'], undefined, 'no Retry-After, because errors are still accepted')
  }
  const requests: Post[] = [
    {},
    { path, body: toEnvelope(EVENT, { dsn }) },
    { path: `/api/${shop.id}/store/`, headers: auth(shop.key), body: JSON.stringify(EVENT) }
  ]
  for (const request of requests) {
    const taken = await post(shop, request)
    t.equal(taken.statusCode, 200)
    t.match(taken.headers['x-sentry-rate-limits'], limits)
    t.match(taken.headers['access-control-expose-headers'], /X-Sentry-Rate-Limits/)
  }
  for (const request of requests) {
    const refused = await post(shop, request)
    t.equal(refused.statusCode, 429)
    t.match(refused.headers['x-sentry-error'], 'APP_INBOX_KEY_TOO_MANY: ')
    t.equal(refused.body, '')
    t.match(refused.headers['retry-after'], /^[34]$/)
    t.match(refused.headers['x-sentry-rate-limits'], /^[34]::key$/)
  }
  t.equal((await post(own)).statusCode, 200)
})

t.test('a job without an SDK checks in by GET or POST', async (t) => {
  const { app, shop } = await openInbox(t)
  const address = `/api/${shop.id}/cron/nightly%20sync/${shop.key}/`
  const id = randomUUID()
  const config = { schedule: { type: 'crontab', value: '0 3 * * *' }, timezone: 'Europe/Berlin' }
  const requests = [
    { url: `${address}?status=in_progress&environment=production&check_in_id=${id}` },
    { url: `${address}?status=error&environment=production&check_in_id=${id}&duration=1.5` },
    { method: 'POST', url: address, payload: { monitor_config: config, status: 'in_progress' } },
    { method: 'POST', url: `${address.slice(0, -1)}?status=ok`, payload: { status: 'error' } },
    { url: `/api/${shop.id}/cron/backup?status=ok`, headers: auth(shop.key) }
  ] as const
  for (const request of requests) {
    const { statusCode, body, headers } = await app.inject(request)
    t.same([statusCode, body], [200, ''], request.url)
    t.equal(headers['access-control-allow-origin'], '*')
  }
  await stored(app, 'check_in', requests.length)
  const { monitors } = await app.inbox!.queries.listMonitors({ project: shop.id })
  t.match(monitors.map(({ slug, environment, status, schedule }) => [slug, environment, status, schedule]).sort(), [
    ['backup', '', 'ok', undefined],
    ['nightly sync', '', 'ok', { crontab: '0 3 * * *', zone: 'Europe/Berlin' }],
    ['nightly sync', 'production', 'error', undefined]
  ])
  const { checkIns } = await app.inbox!.queries.listCheckIns({
    monitor: monitors.find(({ environment }) => environment === 'production')!.id
  })
  t.match(checkIns, [{ status: 'error', duration: 1_500 }])
  t.equal(checkIns.length, 1)
})

t.test('refuses a check-in with a reason', async (t) => {
  const { app, own, shop } = await openInbox(t)
  const address = `/api/${shop.id}/cron/sync/${shop.key}/`
  const cases = [
    ['', 400, 'APP_INBOX_CHECK_IN_INVALID: The check-in is invalid: its status is in_progress, ok or error'],
    ['?status=missed', 400, 'APP_INBOX_CHECK_IN_INVALID: The check-in is invalid: its status is'],
    ['?status=ok&check_in_id=run-7', 400, 'APP_INBOX_CHECK_IN_INVALID: The check-in is invalid: its check_in_id'],
    ['?status=ok&duration=long', 400, 'APP_INBOX_CHECK_IN_INVALID: The check-in is invalid: its duration']
  ] as const
  for (const [query, status, reason] of cases) {
    const { statusCode, headers, body } = await app.inject(address + query)
    t.same([statusCode, body], [status, ''], query)
    t.match(headers['x-sentry-error'], reason)
  }
  const malformed = await app.inject({ method: 'POST', url: `${address}?status=ok`, payload: 'status=ok' })
  t.match(malformed.headers['x-sentry-error'], 'APP_MONITORING_MALFORMED: ')
  const wrong = await app.inject(`/api/${shop.id}/cron/sync/${own.key}/?status=ok`)
  t.match(wrong.headers['x-sentry-error'], 'APP_INBOX_KEY_UNKNOWN: ')
  t.match(app.inboxRefusals.list(Date.now()), [{ project: shop.id, code: 'APP_INBOX_KEY_UNKNOWN' }], 'for the doctor')
  const put = await app.inject({ method: 'PUT', url: address })
  t.equal(put.headers['x-sentry-error'], 'APP_MONITORING_METHOD: This address accepts GET and POST, not PUT')
  t.equal(put.headers.allow, 'GET, POST, OPTIONS')
})

t.test('with an external provider there is neither this address nor an inbox', async (t) => {
  const { app } = await createTestApp(t, { site, env: { SENTRY_DSN: 'http://key@127.0.0.1:9/7' } })
  const { statusCode } = await app.inject({ method: 'POST', url: '/api/1/envelope/?sentry_key=a', payload: '{}' })
  t.equal(statusCode, 404)
  t.equal((await app.inject('/inbox')).statusCode, 404)
  t.equal(app.inbox, null)
})

/** Waits until items of a type are stored. */
async function stored(app: FastifyInstance, type: string, count = 1) {
  while ((app.inbox!.stats().stored[type] ?? 0) < count) await new Promise((resolve) => setTimeout(resolve, 10))
}
