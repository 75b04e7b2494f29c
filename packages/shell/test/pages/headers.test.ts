import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { buildFixtureSite, entryOf } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()
const client = join(site.dist, 'client')
const entry = entryOf(site)

/** Build of the repository's application. */
const DIST = join(import.meta.dirname, '../../../../dist')

const DECODERS = [
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
  ['gzip', gunzipSync]
] as const

async function createVisitor(t: Test, env?: Record<string, string>) {
  const { app, logs } = await createTestApp(t, { site, env })
  return { app, logs, get: (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers }) }
}

/** A URL for each kind of response, with its status code. */
const ANSWERS: Array<[url: string, status: number, headers?: Record<string, string>]> = [
  ['/', 200],
  ['/stream?hold=1', 200],
  ['/cached', 200],
  ['/-/data/', 200],
  [entry, 200],
  ['/favicon.svg', 200],
  ['/about/', 308],
  ['/%zz', 400],
  ['/guarded', 401],
  ['/nowhere', 404],
  ['/nowhere', 404, { accept: 'application/json' }],
  ['/-/data/nowhere', 404],
  ['/fail/data', 500],
  ['/-/data/fail/data', 500]
]

t.test('every kind of response has the security headers and its request id', async (t) => {
  const { get, logs } = await createVisitor(t)
  const ids = new Set()
  for (const [url, status, headers] of ANSWERS) {
    const response = await get(url, headers)
    t.equal(response.statusCode, status, url)
    t.match(response.headers, {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'permissions-policy': /camera=\(\)/,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-request-id': /^[\da-f-]{36}$/
    })
    const policy = String(response.headers['content-security-policy'])
    t.match(policy, "default-src 'self'")
    t.match(policy, "frame-ancestors 'none'")
    t.notMatch(policy, /unsafe|\*/)
    t.equal(response.headers['strict-transport-security'], undefined)
    t.equal(response.headers['x-powered-by'], undefined)
    t.equal(response.headers.server, undefined)
    ids.add(response.headers['x-request-id'])
  }
  t.equal(ids.size, ANSWERS.length)
  logs.takeErrors()
})

t.test('responses have HSTS only with an https BASE_URL', async (t) => {
  const { get } = await createVisitor(t, { BASE_URL: 'https://app.example' })
  for (const url of ['/', '/nowhere', entry]) {
    const { headers } = await get(url)
    t.equal(headers['strict-transport-security'], 'max-age=31536000', url)
    t.match(headers['content-security-policy'], 'upgrade-insecure-requests')
  }
  const plain = await createVisitor(t, { BASE_URL: 'http://app.example' })
  t.equal((await plain.get('/')).headers['strict-transport-security'], undefined)
})

t.test('CSP adds the sources of the application', async (t) => {
  const { get } = await createVisitor(t, { CSP: 'img-src https://cdn.example; frame-ancestors https://portal.example' })
  const policy = String((await get('/stream?hold=1')).headers['content-security-policy'])
  t.match(policy, "img-src 'self' data: https://cdn.example;")
  t.match(policy, 'frame-ancestors https://portal.example')
  t.match(policy, /script-src 'self' 'nonce-[\w-]{22}';/)
})

t.test('a streamed page does not add a nonce to a policy that allows inline scripts', async (t) => {
  const { get } = await createVisitor(t, { CSP: "script-src 'unsafe-inline'; worker-src blob:; img-src 'none'" })
  for (const url of ['/', '/stream?hold=1']) {
    const policy = String((await get(url)).headers['content-security-policy'])
    t.match(policy, "script-src 'self' 'unsafe-inline';", url)
    t.match(policy, "worker-src 'self' 'unsafe-inline' blob:", url)
    t.match(policy, "img-src 'none';", url)
  }
})

t.test('a page sets status, headers and cookies from its getData', async (t) => {
  const { get } = await createVisitor(t)
  for (const url of ['/headers', '/-/data/headers']) {
    const response = await get(url)
    t.equal(response.statusCode, 203, url)
    t.equal(response.headers['x-page'], 'yes')
    t.equal(response.headers['set-cookie'], 'colour=teal; Path=/; HttpOnly; SameSite=Lax')
  }
  const secure = await createVisitor(t, { BASE_URL: 'https://app.example' })
  t.match((await secure.get('/headers')).headers['set-cookie'], 'Secure')
})

t.test('an invalid header is an error like any other', async (t) => {
  const { app, get, logs } = await createVisitor(t)
  app.get('/route', async (_request, reply) => reply.header('x-title', 'Ropes \u2013 12 mm').send('text'))
  for (const url of ['/headers?title=%0d%0ax', '/-/data/headers?title=%E2%80%93', '/cached?topic=%0a', '/route']) {
    const { statusCode, headers, body } = await get(url, { accept: 'text/html' })
    t.equal(statusCode, 500, url)
    const [line, ...others] = logs.takeErrors()
    t.match(line, { msg: 'request failed', err: { code: 'ERR_INVALID_CHAR' } })
    t.same(others, [])
    t.match(body, String(line?.digest))
    t.notMatch(body, 'x-title')
    t.match(headers['content-security-policy'], "default-src 'self'")
  }
})

t.test('an invalid cookie is an error like any other', async (t) => {
  const { get, logs } = await createVisitor(t)
  for (const url of ['/headers?cookie=a%20b', '/-/data/headers?cookie=a%20b', '/headers?age=1.5']) {
    const { statusCode, body } = await get(url, { accept: 'text/html' })
    t.equal(statusCode, 500, url)
    const [line, ...others] = logs.takeErrors()
    t.match(line, { msg: 'request failed', err: { message: /^cookie (name|maxAge) is invalid/ } }, url)
    t.match(line?.err, { stack: /headers/ }, 'the stack has the page')
    t.same(others, [])
    t.match(body, String(line?.digest))
    t.notMatch(body, 'is invalid')
  }
})

t.test('documents are private, and data is not stored', async (t) => {
  const { get } = await createVisitor(t)
  t.equal((await get('/')).headers['cache-control'], 'private, no-cache')
  for (const url of ['/-/data/', '/nowhere', '/guarded', '/-/data/guarded', '/about/'])
    t.equal((await get(url)).headers['cache-control'], 'private, no-store', url)
})

t.test('a page can decide that its document is not stored', async (t) => {
  const { get } = await createVisitor(t)
  t.equal((await get('/headers')).headers['cache-control'], 'private, no-cache')
  t.equal((await get('/headers?store')).headers['cache-control'], 'private, no-store')
})

t.test('a page has its origin and the address of its visitor', async (t) => {
  const { app } = await createVisitor(t)
  const seen = async (env: Record<string, string>, forwarded = '203.0.113.9') => {
    const { app } = await createVisitor(t, env)
    const headers = { host: 'app.example:81', 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'https' }
    return (await app.inject({ url: '/headers', headers, remoteAddress: '10.0.0.1' })).headers['x-seen']
  }
  t.equal(
    (await app.inject({ url: '/headers', headers: { host: 'a.example' } })).headers['x-seen'],
    'http://a.example 127.0.0.1'
  )
  t.equal(await seen({}), 'http://app.example:81 10.0.0.1')
  for (const forwarded of ['203.0.113.9', '203.0.113.9:49152'])
    t.equal(await seen({ TRUST_PROXY: '10.0.0.0/8' }, forwarded), 'https://app.example:81 203.0.113.9')
  t.equal(await seen({ BASE_URL: 'https://base.example' }), 'https://base.example 10.0.0.1')
})

t.test('documents, data and problems are compressed by Accept-Encoding', async (t) => {
  const { get } = await createVisitor(t)
  const long = `/items/${'x'.repeat(1_500)}`
  for (const [coding, decode] of DECODERS) {
    for (const url of ['/buffered', '/-/data/buffered', long]) {
      const plain = await get(url)
      t.equal(plain.headers['content-encoding'], undefined)
      const response = await get(url, { 'accept-encoding': coding })
      t.equal(response.headers['content-encoding'], coding, url)
      t.match(response.headers.vary, 'accept-encoding')
      t.equal(withoutTrace(String(decode(response.rawPayload))), withoutTrace(plain.body))
    }
  }
  t.equal((await get('/buffered', { 'accept-encoding': 'gzip, deflate, br, zstd' })).headers['content-encoding'], 'br')
  t.equal((await get('/buffered', { 'accept-encoding': 'br;q=0, gzip' })).headers['content-encoding'], 'gzip')
  t.equal((await get('/', { 'accept-encoding': 'nonsense' })).headers['content-encoding'], undefined)
})

t.test(
  'an error response that replaces a stream, which failed before its first byte, has no headers of the stream',
  async (t) => {
    const { app, get, logs } = await createVisitor(t)
    app.get<{ Params: { '*': string } }>('/export/*', async ({ params }, reply) => {
      const headers = { 'content-disposition': 'attachment', 'content-length': 1_000_000, etag: '"export"' }
      const stream = new Readable({ construct: (done) => done(new Error('the disk is gone')) })
      return reply.type(params['*']).headers(headers).send(stream)
    })
    for (const type of ['text/csv', 'image/png']) {
      for (const [coding, decode] of DECODERS) {
        const answer = await get(`/export/${type}`, { 'accept-encoding': coding, accept: 'text/html' })
        const { statusCode, headers, rawPayload } = answer
        t.match([statusCode, headers['content-encoding']], [500, coding], type)
        t.match(String(decode(rawPayload)), String(logs.takeErrors()[0]?.digest))
        t.equal(headers['content-length'] ?? String(rawPayload.length), String(rawPayload.length))
        t.strictSame([headers['content-disposition'], headers.etag], [undefined, undefined])
      }
    }
  }
)

t.test('assets are immutable, and available in each encoding', async (t) => {
  // Sites of fixtures have no compressed copies.
  const { app } = await createTestApp(t)
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
  const entry = entryOf({ dist: DIST })
  const source = readFileSync(join(DIST, 'client', entry))
  const plain = await get(entry)
  t.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
  t.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8')
  t.ok(plain.rawPayload.equals(source))
  for (const [coding, decode] of DECODERS) {
    const response = await get(entry, { 'accept-encoding': coding })
    t.equal(response.headers['content-encoding'], coding)
    t.equal(response.headers['content-type'], 'text/javascript; charset=utf-8')
    t.equal(response.headers.vary, 'accept-encoding')
    t.ok(decode(response.rawPayload).equals(source))
    const again = await get(entry, { 'accept-encoding': coding, 'if-none-match': String(response.headers.etag) })
    t.equal(again.statusCode, 304)
    t.equal(again.body, '')
  }
  t.equal((await get(entry, { 'if-none-match': String(plain.headers.etag) })).statusCode, 304)
})

t.test('public files are served at the root, and cached for one hour', async (t) => {
  const { get } = await createVisitor(t)
  for (const [url, type] of [
    ['/favicon.svg', 'image/svg+xml'],
    ['/robots.txt', 'text/plain']
  ] as const) {
    const response = await get(url)
    t.equal(response.statusCode, 200, url)
    t.match(response.headers['content-type'], type)
    t.equal(response.headers['cache-control'], 'public, max-age=3600')
  }
})

t.test('templates, manifest, source maps and sources are not served', async (t) => {
  const { get } = await createVisitor(t)
  const maps = globSync('**/*.map', { cwd: join(site.dist, 'maps') })
  t.ok(maps.length > 0)
  t.same(globSync('**/*.map', { cwd: client }), [])
  for (const url of [
    ...maps.map((path) => `/${path}`),
    '/index.html',
    '/html/index.html',
    '/.vite/manifest.json',
    '/build.json',
    '/client/index.ts',
    '/pages/index.tsx',
    '/server/index.js',
    `${entry}.br`,
    '/assets/',
    '/assets',
    '/assets/../.vite/manifest.json',
    '/assets/%2e%2e/.vite/manifest.json',
    '/assets/..%2f.vite%2fmanifest.json',
    '/..%5cserver%5cindex.js',
    '/favicon.svg%00.txt'
  ]) {
    t.equal((await get(url)).statusCode, 404, url)
  }
})

t.test('a valid request id of a trusted proxy is used', async (t) => {
  const id = { 'x-request-id': 'from-the-proxy-1' }
  const trusting = await createVisitor(t, { TRUST_PROXY: '1' })
  t.equal((await trusting.get('/', id)).headers['x-request-id'], 'from-the-proxy-1')
  const { app } = await createVisitor(t, { TRUST_PROXY: '10.0.0.0/8' })
  const from = async (remoteAddress: string) =>
    (await app.inject({ url: '/', headers: id, remoteAddress })).headers['x-request-id']
  t.equal(await from('10.1.2.3'), 'from-the-proxy-1')
  t.not(await from('203.0.113.9'), 'from-the-proxy-1', 'not from a client that is not a proxy')
  t.not((await trusting.get('/', { 'x-request-id': '<script>' })).headers['x-request-id'], '<script>')
  const { get } = await createVisitor(t)
  t.not((await get('/', id)).headers['x-request-id'], 'from-the-proxy-1')
})

/** Removes the trace id, which is new in every document except a cached one. */
function withoutTrace(html: string): string {
  return html.replace(/<meta name="(sentry-trace|baggage)" content="[^"]*">/g, '')
}
