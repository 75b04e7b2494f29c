import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { createSite } from '../../src/render/site.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

const site = await buildSite(join(import.meta.dirname, '../fixtures/visitors'))

/** Data of the visitor that a plugin of the application keeps, as @fastify/request-context does. */
const visitors = new AsyncLocalStorage<string>()
Reflect.set(globalThis, Symbol.for('visitor'), visitors)

/** Request values that differ between visitors. */
const visitorOf = (name: string) => ({
  remoteAddress: name === 'zoe' ? '192.0.2.1' : '192.0.2.2',
  headers: {
    cookie: `session=of-${name}`,
    authorization: `Bearer ${name}`,
    'user-agent': `agent-of-${name}`,
    'accept-language': `x-${name}`,
    'x-visitor': name,
    'x-request-id': `id-of-${name}`,
    'sentry-trace': `${'0af7651916cd43dd8448eb211c80319c'}-b7ad6b7169203331-1`,
    baggage: `visitor=${name},sentry-trace_id=0af7651916cd43dd8448eb211c80319c,sentry-transaction=${name}`,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: `visitor=${name}`
  }
})

/**
 * Creates the application with typical hooks, and with a route that returns everything that it receives from its
 * caller.
 */
async function createApp(t: Test, env: Record<string, string> = {}) {
  const hooks = ({ fastify }: { fastify: FastifyInstance }) => {
    fastify.addHook('onRequest', (request, reply, done) => {
      if (request.headers['origin'] !== undefined) reply.header('vary', 'Origin')
      visitors.run(String(request.headers['x-visitor']), done)
    })
    fastify.addHook('preHandler', async function countVisit(request) {
      if ('sets' in (request.query as object)) request.session.set('user', String(request.headers['x-visitor']))
    })
  }
  const listener = hooks as (message: unknown) => void
  subscribe('fastify.initialization', listener)
  const collector = createCollector()
  const { app, logs } = await createTestApp(t, {
    site,
    env: { TRACES_SAMPLE_RATE: '1', TRUST_PROXY: '127.0.0.1', ...env },
    telemetryTo: collector.to
  })
  unsubscribe('fastify.initialization', listener)
  app.get('/seen', (request) => ({ headers: request.headers, ip: request.ip, trace: request.trace.toHeaders() }))
  const visit = (name: string, url: string) => app.inject({ url, ...visitorOf(name) })
  return { app, logs, visit, collector }
}

const OF_ZOE = /zoe|192\.0\.2\.1|0af7651916cd43dd8448eb211c80319c/

for (const address of ['', '/-/data']) {
  t.test(`a cached page cannot read data of the visitor: ${address || 'document'}`, async (t) => {
    const { logs, visit } = await createApp(t)
    for (const what of [
      'headers.cookie',
      'headers.authorization',
      'headers.user-agent',
      'headers in',
      'headers all',
      'cookies',
      'session',
      'address',
      'setCookie',
      'set-cookie',
      'vary',
      'fetch include',
      'fetch same-origin'
    ]) {
      for (const by of ['read', 'layout']) {
        t.equal((await visit('zoe', `${address}/plain?${by}=${encodeURIComponent(what)}`)).statusCode, 200, what)
        const response = await visit('zoe', `${address}/cached?${by}=${encodeURIComponent(what)}`)
        t.equal(response.statusCode, 500, `${by} ${what}`)
        // The layout around the error is rendered for this visitor, with no-store.
        t.match(response.headers['cache-control'], 'private, no-store')
        if (by === 'read') t.equal(response.headers['set-cookie'], undefined)
        const errors = logs.takeErrors()
        t.match(errors, [
          {
            err: {
              code: 'APP_PAGE_CACHE_PRIVATE',
              message: /^The page \/cached is rendered once for all visitors .+: /
            }
          }
        ])
      }
    }
  })
}

t.test('ctx.fetch of a cached page sends no data of the visitor to own routes', async (t) => {
  const { visit } = await createApp(t)
  for (const by of ['read', 'layout']) {
    t.match((await visit('zoe', `/plain?${by}=fetch`)).body, OF_ZOE, 'an uncached page does')
    for (const name of ['zoe', 'bob']) {
      const { body, headers } = await visit(name, `/cached?${by}=fetch`)
      t.match(headers['cache-control'], 's-maxage=0,', 'the header has whole seconds, as caches require')
      t.match(body, 'localhost')
      t.notMatch(body, OF_ZOE)
    }
  }
})

t.test('nor to other services, also not through another page that it fetches', async (t) => {
  const server = await openUnrulyServer(t)
  const { visit } = await createApp(t, { TRACE_TARGETS: server.origin })
  await visit('zoe', `/plain?read=fetch&from=${server.origin}/`)
  t.match(JSON.stringify(server.seen), 'visitor=zoe', 'an uncached page sends the trace of its visitor')
  server.seen.length = 0
  await visit('zoe', `/cached?read=fetch&from=${server.origin}/`)
  await visit('zoe', `/cached?read=${encodeURIComponent('fetch inner page')}&from=${server.origin}/`)
  t.equal(server.seen.length, 2)
  for (const { headers } of server.seen) {
    t.match(headers['sentry-trace'], /^[0-9a-f]{32}-[0-9a-f]{16}-1$/, 'the request has a separate trace')
    t.notMatch(JSON.stringify(headers), OF_ZOE)
  }
})

t.test(
  'async contexts and the logger have no data of the visitor, at once and when a stale document is replaced',
  async (t) => {
    const { visit } = await createApp(t)
    for (const what of ['async context', 'log', 'fetch']) {
      const url = `/cached?read=${encodeURIComponent(what)}`
      const first = (await visit('zoe', url)).body
      t.notMatch(first, OF_ZOE, what)
      await new Promise((resolve) => setTimeout(resolve, 250))
      t.equal((await visit('zoe', url)).body, first, 'stale')
      let next = first
      while (next === first) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        next = (await visit('bob', url)).body
      }
      t.notMatch(next, OF_ZOE, `${what}, rendered for zoe, shown to bob`)
      t.notMatch(next, /bob|192\.0\.2\.2/)
    }
  }
)

t.test('the render is a separate transaction', async (t) => {
  const { app, visit, collector } = await createApp(t)
  await visit('zoe', '/cached')
  await visit('bob', '/cached')
  await app.telemetry!.flush(60_000)
  const ops = collector.transactions.map(({ transaction, contexts }) => [contexts?.trace?.op, transaction])
  t.same(ops.sort(), [
    ['http.server', '/cached'],
    ['http.server', '/cached'],
    ['render', '/cached']
  ])
})

t.test('a response with a cookie of one visitor is not cached', async (t) => {
  const { visit } = await createApp(t)
  for (const url of ['/cached?sets', '/-/data/cached?sets']) {
    for (const name of ['zoe', 'bob']) {
      const { headers, body } = await visit(name, url)
      t.match(headers['set-cookie'], /^session=/)
      t.equal(headers['cache-control'], 'private, no-store')
      t.notMatch(body, OF_ZOE)
    }
  }
  const plain = await visit('bob', '/cached')
  t.equal(plain.headers['set-cookie'], undefined)
  t.match(plain.headers['cache-control'], /^public/)
})

t.test('a header in `cache.vary` can be read, is part of the key, and is sent as Vary', async (t) => {
  const { app, visit, logs } = await createApp(t)
  const get = (headers: Record<string, string>, url = '/language') => app.inject({ url, headers })
  const german = await get({ 'accept-language': 'de,  en;q=0.5', 'user-agent': 'zoe' })
  t.match(german.body, 'language de,en;q=0.5, region none')
  t.equal(german.headers.vary, 'accept-encoding, accept-language, x-region')
  const response = await get({ 'accept-language': 'de', origin: 'https://shop.example' })
  t.equal(response.headers.vary, 'Origin, accept-encoding, accept-language, x-region', 'the value of a hook is kept')
  t.equal((await get({ 'accept-language': 'de,en;q=0.5' })).headers.etag, german.headers.etag, 'normalised')
  t.match((await get({ 'accept-language': 'fr' })).body, 'language fr')
  t.match((await get({})).body, 'language none')
  t.match((await get({ 'accept-language': 'de', 'x-region': 'north' })).body, 'language de, region north')
  t.match((await get({ 'accept-language': 'x'.repeat(257) })).body, 'language none', 'bounded')
  // Spaces count too, because replacing thousands of consecutive spaces takes a tenth of a second.
  t.match((await get({ 'accept-language': `de,${' '.repeat(257)}en` })).body, 'language none')
  t.match((await get({ 'accept-language': 'fr' }, '/-/data/language')).json(), { data: { language: 'fr' } })
  t.match(
    (await get({ 'accept-language': 'fr' }, '/language?read=fetch')).body,
    /accept-language\W+fr/,
    'the header is forwarded'
  )
  t.notMatch((await get({ 'user-agent': 'zoe' }, '/language?read=fetch')).body, 'zoe')
  t.equal((await visit('zoe', '/language?read=headers.cookie')).statusCode, 500)
  t.match(logs.takeErrors(), [{ err: { message: /cannot use the request header cookie: name the header/ } }])
})

t.test('only the parameters in `cache.search` can be read, and are part of the key', async (t) => {
  const { visit } = await createApp(t)
  const { body } = await visit('zoe', '/campaign?b=2&gclid=of-zoe&a=1')
  t.match(body, 'render 1 of a=1&amp;b=2 and a=1&amp;b=2<')
  t.notMatch(body, 'of-zoe')
  t.equal((await visit('adam', '/campaign?a=1&b=2&gclid=of-adam')).body, body)
  t.match((await visit('adam', '/campaign?a=2&a=1')).body, 'render 2 of a=2&amp;a=1 ', 'the order of one name is kept')
  t.match((await visit('adam', '/campaign?gclid=of-adam')).body, 'render 3 of  and <')
  t.match((await visit('zoe', '/campaign')).body, 'render 3 of  and <')
  const data = (await visit('zoe', '/-/data/campaign?gclid=of-zoe')).json()
  t.same((await visit('adam', '/-/data/campaign')).json(), data)
})

t.test('an invalid cache policy is refused at the start, with the page and the reason', async (t) => {
  const start = (cache: object) =>
    createSite({ pages: { '/pages/a.tsx': { default: () => null, cache } }, layouts: {} } as never)
  t.throws(() => start({ maxAge: 1, vary: ['Cookie'] }), { message: /^\/a: a cached page cannot vary by cookie/ })
  t.throws(() => start({ maxAge: 1, vary: ['x y'] }), { message: /^\/a: cache\.vary names request headers/ })
  t.throws(() => start({ maxAge: 1, vary: ['a', 'b', 'c', 'd', 'e'] }), { message: /at most 4/ })
  t.throws(() => start({ maxAge: -1 }), { message: /^\/a: cache\.maxAge is a number of seconds/ })
  t.throws(() => start({ maxAge: 1, staleWhileRevalidate: '5' }), { message: /cache\.staleWhileRevalidate/ })
  t.throws(() => start({ maxAge: 1, search: 'page' }), { message: /^\/a: cache\.search is a list of names/ })
  t.doesNotThrow(() => start({ maxAge: 1, vary: ['Accept-Language'] }))
})

t.test('an error of a background render is reported, and an outcome replaces the stale document', async (t) => {
  const { app, visit, logs, collector } = await createApp(t)
  const errors = () => logs.lines.filter(({ level }) => level >= 50)
  Reflect.set(globalThis, Symbol.for('outcome'), undefined)
  t.equal((await visit('zoe', '/cached?read=outcome')).statusCode, 200)
  Reflect.set(globalThis, Symbol.for('outcome'), 'error')
  await new Promise((resolve) => setTimeout(resolve, 250))
  while (errors().length === 0) {
    t.equal((await visit('bob', '/cached?read=outcome')).statusCode, 200, 'the stale document is still served')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  Reflect.set(globalThis, Symbol.for('outcome'), 'not found')
  while ((await visit('bob', '/cached?read=outcome')).statusCode !== 404)
    await new Promise((resolve) => setTimeout(resolve, 20))
  await app.telemetry!.flush(60_000)
  const lines = logs.takeErrors()
  t.match(lines[0], { err: { message: 'no longer' }, digest: /./ })
  t.same(
    collector.errors.map(({ exception }) => exception?.values?.[0]?.value),
    lines.map(() => 'no longer')
  )
})
