import type { Duplex } from 'node:stream'
import t from 'tap'
import { exchange, request, type RawAnswer } from '@hull/test-helpers/raw-client.ts'
import { buildFixtureSite, entryOf } from '@hull/test-helpers/site.ts'
import { openTarget } from '@hull/test-helpers/target.ts'

const site = await buildFixtureSite()
const ENTRY = entryOf(site)
const WEIRD_HOSTS = [
  'evil"<script>alert(1)</script>',
  "evil'onload=alert(1)",
  'evil.example/path',
  'user@evil.example',
  'a b',
  'a,b',
  'evil.example\\',
  '\xc3\xa9vil.example',
  'a'.repeat(300),
  'a\tb'
]
const NO_HOSTS = [
  'a:b:c',
  'a:1:2',
  'a:',
  'a:b',
  'a:-1',
  'a:99999',
  ':80',
  '[::1',
  '::1',
  '[::1]x',
  '[::1]:x',
  '[]',
  '[evil]',
  '[:::]',
  '1.2.3.256',
  'user:word@evil.example',
  'evil.example#x',
  'evil.example?x',
  'evil%2eexample',
  'http://evil.example'
]

const get = (path: string, ...headers: string[]) => request(`GET ${path} HTTP/1.1`, ['Host: localhost', ...headers])

t.test('an invalid Host is 400, and the response does not repeat it', async (t) => {
  const { send } = await openTarget(t)
  for (const host of WEIRD_HOSTS) {
    for (const path of [
      '/about',
      '/nowhere',
      '/fail/data',
      '/guarded',
      '/about/',
      '/cached',
      ENTRY,
      '/-/data/about',
      '/%zz'
    ]) {
      const { status, text } = await send(request(`GET ${path} HTTP/1.1`, [`Host: ${host}`]))
      t.equal(status, 400, `${host.slice(0, 30)} ${path}`)
      t.match(text, /APP_BAD_HOST|APP_BAD_URL/)
      if (host.length > 4) t.notOk(text.includes(host))
    }
  }
})

t.test('a name that only resembles a host is 400', async (t) => {
  const { send } = await openTarget(t)
  for (const host of NO_HOSTS) {
    const { status, body } = await send(request('GET /about HTTP/1.1', [`Host: ${host}`]))
    t.equal(status, 400, host)
    t.match(body, 'APP_BAD_HOST')
  }
})

t.test('an invalid forwarded host is 400 from a trusted proxy, and ignored from other clients', async (t) => {
  const trusting = await openTarget(t, { env: { TRUST_PROXY: '1' } })
  t.equal((await trusting.send(get('/about', 'X-Forwarded-Host: evil"<script>'))).status, 400)
  t.match((await trusting.send(get('/about', 'X-Forwarded-Host: app.example'))).body, 'http://app.example/about')
  const { send } = await openTarget(t)
  t.match((await send(get('/about', 'X-Forwarded-Host: evil.example'))).body, 'http://localhost/about')
})

t.test('two Host headers are 400, and so is a missing one', async (t) => {
  const { send } = await openTarget(t)
  const two = await send(request('GET /about HTTP/1.1', ['Host: localhost', 'host: evil.example']))
  t.equal(two.status, 400)
  t.match(two.body, 'APP_BAD_HOST')
  t.equal((await send(request('GET /about HTTP/1.1', ['Host: a', 'HOST: a']))).status, 400)
  t.equal((await send(request('GET /about HTTP/1.1', []))).status, 400)
  t.equal((await send(request('GET /about HTTP/1.1', ['Host:']))).status, 400, 'an empty header counts as missing')
  t.equal((await send(request('GET /about HTTP/1.0', ['Host: ']))).status, 400)
  const old = await send(request('GET /about HTTP/1.0', []))
  t.equal(old.status, 200, 'HTTP/1.0 needs no Host')
  t.match(old.body, 'http://localhost/about')
  for (const host of [
    'localhost:3000',
    '[::1]:3000',
    '[::1]',
    'my_service.internal',
    '127.0.0.1',
    'EXAMPLE.com:1',
    'a-b.c.'
  ])
    t.equal((await send(request('GET /about HTTP/1.1', [`Host: ${host}`]))).status, 200, host)
})

t.test('an error page shows the requested host as text', async (t) => {
  const { logs, send } = await openTarget(t)
  const { status, body } = await send(request('GET /fail/data HTTP/1.1', ['Host: shop.example:81']))
  t.equal(status, 500)
  t.match(body, 'has occurred while loading shop.example (')
  t.match(
    (await send('GET /fail/data HTTP/1.0\r\n\r\n')).body,
    'has occurred while loading this site (',
    'without a Host'
  )
  t.equal(logs.takeErrors().length, 2)
})

t.test('hundreds of headers are accepted, and 20 KB of headers are 431', async (t) => {
  const { send } = await openTarget(t)
  const many = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: y`)
  t.equal((await send(get('/about', ...many(500)))).status, 200)
  for (const headers of [many(3_000), [`X: ${'x'.repeat(20_000)}`], [`${'x'.repeat(20_000)}: x`]])
    t.equal((await send(get('/about', ...headers))).status, 431)
})

t.test('a malformed header is 400', async (t) => {
  const { send } = await openTarget(t)
  for (const header of [
    'no colon',
    'X: a\0b',
    'X: a\x7fb\x01',
    ': empty',
    'X : space',
    'X: a\r\n folded',
    'X\xff: y',
    'X: a\nY: b'
  ])
    t.equal((await send(get('/about', header))).status, 400, JSON.stringify(header))
})

t.test('answers or refuses Expect, and ignores Upgrade', async (t) => {
  const { send } = await openTarget(t)
  const form = ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 6']
  const waiting = await send(
    request('POST /form HTTP/1.1', ['Host: localhost', ...form, 'Expect: 100-continue'], 'name=x')
  )
  t.match(waiting.text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 303 /)
  for (const expect of ['garbage', '200-ok', '100-continue2'])
    t.equal((await send(get('/about', `Expect: ${expect}`))).status, 417, expect)
  for (const upgrade of ['websocket', 'h2c', 'nonsense/9', 'TLS/1.0'])
    t.equal((await send(get('/about', `Upgrade: ${upgrade}`, 'Connection: Upgrade'))).status, 200, upgrade)
})

t.test('ignores Upgrade for another protocol where something listens for WebSockets', async (t) => {
  const { app, port, send } = await openTarget(t)
  // As @fastify/websocket, which answers 400 to other protocols.
  app.server.on('upgrade', (_message, socket: Duplex) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  for (const upgrade of ['h2c', 'nonsense/9', 'TLS/1.0'])
    t.equal((await send(get('/about', `Upgrade: ${upgrade}`, 'Connection: Upgrade'))).status, 200, upgrade)
  t.equal((await exchange(port, get('/about', 'Upgrade: WebSocket', 'Connection: Upgrade'))).status, 400)
})

t.test('ranges apply to files only', async (t) => {
  const { send } = await openTarget(t)
  t.equal((await send(get('/about', 'Range: bytes=0-3'))).status, 200)
  const part = await send(get(ENTRY, 'Range: bytes=0-3'))
  t.equal(part.status, 206)
  t.equal(part.body.length, 4)
  t.equal((await send(get(ENTRY, 'Range: bytes=99999999-'))).status, 416)
  for (const range of [
    'bytes=-1',
    'bytes=9-1',
    'bytes=a-b',
    'lines=0-1',
    'bytes=',
    '='.repeat(8_000),
    `bytes=${'0-1,'.repeat(1_900)}0-1`
  ]) {
    const { status } = await send(get(ENTRY, `Range: ${range}`))
    t.ok([200, 206, 416].includes(status), `${range.slice(0, 20)} ${status}`)
  }
})

t.test('answers invalid or long negotiation headers without delay', async (t) => {
  const { send } = await openTarget(t)
  const entries = (entry: string) =>
    Array.from({ length: Math.floor(8_000 / (entry.length + 1)) }, () => entry).join(',')
  const began = performance.now()
  for (const name of [
    'Accept',
    'Accept-Encoding',
    'If-None-Match',
    'Accept-Language',
    'X-Forwarded-For',
    'X-Request-Id'
  ])
    for (const value of [
      '',
      ',',
      ';q=NaN',
      'br;q=NaN',
      '*;q=0',
      'x;q=1e999',
      '"',
      '\\',
      entries('a;q=0.1'),
      entries('*'),
      entries('"x"'),
      ' '.repeat(8_000),
      'q='.repeat(4_000)
    ])
      for (const path of ['/buffered', '/cached', ENTRY, '/nowhere'])
        t.equal(
          (await send(get(path, `${name}: ${value}`))).status < 500,
          true,
          `${name}: ${value.slice(0, 20)} ${path}`
        )
  t.ok(performance.now() - began < 30_000)
})

t.test('ignores malformed cookies', async (t) => {
  const { send, port, checkAlive } = await openTarget(t)
  const before = await exchange(port, get('/loop?cookie'))
  t.equal(before.status, 302, 'this page reads cookies')
  for (const cookie of [
    '=;=;',
    'session=%ZZ',
    'session',
    ';;;',
    'seen',
    '__proto__=seen',
    '=seen',
    '%',
    `session=${'x'.repeat(8_000)}`,
    'a=b;'.repeat(2_000),
    '"',
    'session="'
  ])
    t.equal((await send(get('/loop?cookie', `Cookie: ${cookie}`))).status, 302, cookie.slice(0, 20))
  t.equal((await exchange(port, get('/loop?cookie', 'Cookie: =;%ZZ; seen=yes'))).status, 200)
  await checkAlive()
})

t.test('responses do not repeat headers unescaped', async (t) => {
  const { send } = await openTarget(t)
  const answers: RawAnswer[] = []
  const hostile = '"><script>alert(1)</script>'
  for (const name of [
    'Referer',
    'User-Agent',
    'X-Forwarded-Host',
    'X-Request-Id',
    'Origin',
    'X-User',
    'Accept-Language',
    'Cookie'
  ])
    for (const path of ['/about', '/nowhere', '/guarded', `/nowhere?${encodeURIComponent(hostile)}`])
      answers.push(await send(get(path, `${name}: ${hostile}`)))
  // Characters that are encoded in the URL stay encoded.
  for (const { text } of answers) t.notMatch(text, '"><script>alert(1)')
})
