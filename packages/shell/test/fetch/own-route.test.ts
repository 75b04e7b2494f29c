import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { fetchDepth } from '../../src/fetch/depth.ts'
import { openExternalFetch } from '../../src/fetch/external-fetch.ts'
import { createPageFetch, type PageFetch, type PageFetchOptions } from '../../src/fetch/page-fetch.ts'
import { openForwardProxy } from '@hull/test-helpers/forward-proxy.ts'
import { answer, openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

const ORIGIN = 'http://own.example:8080'
const visitor = {
  headers: {
    cookie: 'session=s',
    authorization: 'Bearer b',
    'accept-language': 'cy',
    'user-agent': 'Visitor/1',
    'x-other': 'o'
  },
  address: '203.0.113.9'
}

async function setUp(
  t: Test,
  routes: (app: FastifyInstance, fetch: PageFetch) => void,
  options: Partial<PageFetchOptions> = {}
) {
  const app = Fastify()
  const externalFetch = openExternalFetch()
  const fetch = createPageFetch({
    origin: ORIGIN,
    inject: (request: InjectOptions) => app.inject(request),
    externalFetch,
    visitor,
    backoff: { base: 1, cap: 4 },
    ...options
  })
  app.get('/echo', async ({ headers, ip, host, url }) => ({ headers, ip, host, url, depth: fetchDepth() }))
  routes(app, fetch)
  await app.ready()
  t.teardown(async () => {
    await externalFetch.destroy()
    await app.close()
  })
  return { app, fetch, externalFetch }
}

t.test("ctx.fetch of the application's own routes", async (t) => {
  t.test('requests a path, a relative path and a URL of the own origin without a socket', async (t) => {
    const { fetch } = await setUp(t, () => {})
    for (const input of ['/echo?q=1#there', 'echo?q=1', `${ORIGIN}/echo?q=1`, new URL('/echo?q=1', ORIGIN)]) {
      const response = await fetch(input)
      t.match(response, { status: 200, statusText: 'OK' })
      t.equal(response.url, `${ORIGIN}/echo?q=1`)
      t.match(await response.json(), { url: '/echo?q=1', host: 'own.example:8080', depth: 1 })
    }
    t.equal(fetchDepth(), 0)
  })

  t.test('keeps a path that begins with two slashes on the own origin', async (t) => {
    const { fetch } = await setUp(t, (app) => app.get('/*', async ({ url }) => url))
    t.equal(await (await fetch(`${ORIGIN}//evil.example/x`)).text(), '//evil.example/x')
  })

  t.test('does not mistake another host for the own one, in any notation', async (t) => {
    const { fetch } = await setUp(t, (app) => app.get('/*', async () => 'ours'))
    const server = await openUnrulyServer(t)
    server.will(answer(200, {}, 'theirs'))
    const host = server.origin.slice('http://'.length)
    for (const input of [`//${host}/`, `/\\${host}/`, `\\\\${host}/`, ` http:/\t/${host}/`, `${server.origin}/`]) {
      t.equal(await (await fetch(input, { credentials: 'include' })).text(), 'theirs', input)
    }
    for (const { headers } of server.seen) {
      t.match(headers, { cookie: undefined, authorization: undefined, 'accept-language': '*', 'user-agent': 'undici' })
    }
  })

  t.test('refuses other schemes, user names and passwords, and does not print them', async (t) => {
    const { fetch } = await setUp(t, () => {})
    for (const input of [
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:text/plain,x',
      'blob:http://own.example:8080/1',
      'ftp://x/'
    ]) {
      await t.rejects(fetch(input), { code: 'APP_FETCH_URL' }, input)
    }
    for (const input of [
      'http://me@x.example/',
      'http://:hush@x.example/',
      'http://:80:hush/?hush',
      'http://[hush?hush'
    ]) {
      const error = await fetch(input).catch((error: Error) => error)
      t.match(error, { code: 'APP_FETCH_URL' }, input)
    }
    t.notMatch(await fetch('http://me:hush@x.example/?token=hush').catch(String), /hush/)
  })

  t.test(
    "passes on the visitor's address, language and user agent, but no cookie, authorization or other header",
    async (t) => {
      const { fetch } = await setUp(t, () => {})
      const seen = await (await fetch('/echo')).json()
      t.equal(seen.ip, visitor.address)
      t.match(seen.headers, { 'accept-language': 'cy', 'user-agent': 'Visitor/1' })
      for (const name of ['cookie', 'authorization', 'x-other']) t.notOk(name in seen.headers, name)
    }
  )

  t.test('sends cookie and authorization if the page requests it', async (t) => {
    const { fetch } = await setUp(t, () => {})
    for (const credentials of ['include', 'same-origin'] as const) {
      const seen = await (await fetch('/echo', { credentials, headers: { authorization: 'Mine' } })).json()
      t.match(seen.headers, { cookie: 'session=s', authorization: 'Mine', 'user-agent': 'Visitor/1' })
      t.notOk('x-other' in seen.headers)
    }
  })

  t.test('ignores a `host` header of the page', async (t) => {
    const { fetch } = await setUp(t, () => {})
    t.equal((await (await fetch('/echo', { headers: { host: 'evil.example' } })).json()).host, 'own.example:8080')
  })

  t.test('retries a 5xx and a connection that the route closes, and fails after four attempts', async (t) => {
    let calls = 0
    const { fetch } = await setUp(t, (app) => {
      app.get('/flaky', async (_request, reply) => {
        calls++
        if (calls === 1) return reply.code(503).send()
        if (calls === 2) {
          reply.hijack()
          reply.raw.destroy()
          return
        }
        if (calls === 3) {
          reply.hijack()
          reply.raw.writeHead(200).write('ha')
          reply.raw.destroy()
          return
        }
        return 'whole'
      })
      app.get('/broken', async () => {
        calls++
        throw new Error('secret')
      })
      app.post('/broken', async () => {
        calls++
        throw new Error('secret')
      })
    })
    t.equal(await (await fetch('/flaky')).text(), 'whole')
    t.equal(calls, 4)

    calls = 0
    await t.rejects(fetch('/broken?q=1'), {
      code: 'APP_FETCH_FAILED',
      message: `GET ${ORIGIN}/broken?q= failed after 4 attempts: answered 500`
    })
    t.equal(calls, 4)

    calls = 0
    t.equal((await fetch('/broken', { method: 'POST' })).status, 500)
    t.equal(calls, 1)
  })

  t.test('returns 404 once, 204 and 304 without a body, and every cookie', async (t) => {
    const { fetch } = await setUp(t, (app) => {
      app.get('/204', async (_request, reply) => reply.code(204).send())
      app.get('/304', async (_request, reply) => reply.code(304).send())
      app.get('/cookies', async (_request, reply) => reply.header('set-cookie', ['a=1', 'b=2']).send('x'))
    })
    t.equal((await fetch('/nowhere')).status, 404)
    t.match(await fetch('/204'), { status: 204, body: null })
    t.match(await fetch('/304'), { status: 304, body: null })
    t.same((await fetch('/cookies')).headers.getSetCookie(), ['a=1', 'b=2'])
    t.match(await fetch('/echo', { method: 'HEAD' }), { status: 200, body: null })
  })

  t.test('sends every kind of body, including a stream', async (t) => {
    const { fetch } = await setUp(t, (app) => {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: string) => body)
      app.post('/post', async ({ body, headers }) => ({ body: body ?? null, type: headers['content-type'] ?? null }))
    })
    const form = new FormData()
    form.set('a', 'b')
    const bytes = new TextEncoder().encode('text')
    const post = async (body: BodyInit | null, headers = {}) =>
      (await fetch('/post', { method: 'POST', body, headers })).json()
    t.same(await post('text'), { body: 'text', type: 'text/plain;charset=UTF-8' })
    t.same(await post('{}', { 'content-type': 'application/json' }), { body: '{}', type: 'application/json' })
    t.same(await post(bytes, { 'content-type': 'a/b' }), { body: 'text', type: 'a/b' })
    t.same(await post(new Blob(['text']).stream(), { 'content-type': 'a/b' }), { body: 'text', type: 'a/b' })
    t.same(await post(new URLSearchParams({ a: 'b c' })), {
      body: 'a=b+c',
      type: 'application/x-www-form-urlencoded;charset=UTF-8'
    })
    t.match(await post(form), { body: /name="a"\r\n\r\nb\r\n/, type: /^multipart\/form-data; boundary=/ })
    t.same(await post(null), { body: null, type: null })
  })

  t.test('ends the response of a route at the size limit, and the route is notified', async (t) => {
    let stopped = Promise.withResolvers<void>()
    const { fetch } = await setUp(
      t,
      (app) => {
        async function* endless() {
          try {
            while (true) yield Buffer.alloc(1024)
          } finally {
            stopped.resolve()
          }
        }
        app.all('/endless', async (_request, reply) => reply.send(Readable.from(endless())))
      },
      { maxBody: 10_000 }
    )
    for (const init of [{}, { method: 'POST', body: 'text' }]) {
      stopped = Promise.withResolvers()
      await t.rejects(fetch('/endless', init), { code: 'APP_FETCH_TOO_LARGE' })
      await stopped.promise
    }
  })
})

t.test('own routes that fetch own routes', async (t) => {
  t.test('can read their depth', async (t) => {
    const { fetch } = await setUp(t, (app, fetch) => {
      app.get('/nest/:n', async (request): Promise<unknown> => {
        const n = Number((request.params as { n: string }).n)
        return n === 1 ? [fetchDepth()] : [fetchDepth(), ...(await (await fetch(`/nest/${n - 1}`)).json())]
      })
    })
    t.same(await (await fetch('/nest/4')).json(), [1, 2, 3, 4])
  })

  t.test('end at depth 4, and a route that fetches itself is called once per depth', async (t) => {
    let calls = 0
    const errors: unknown[] = []
    const { fetch } = await setUp(t, (app, fetch) => {
      app.get('/self', async () => {
        calls++
        return (await fetch('/self')).text()
      })
      app.addHook('onError', async (_request, _reply, error) => {
        errors.push(error)
      })
    })
    await t.rejects(fetch('/self'), { code: 'APP_FETCH_FAILED', message: /failed after 1 attempts: answered 500/ })
    t.equal(calls, 4)
    t.match(errors, [{ code: 'APP_FETCH_DEPTH', statusCode: 500 }, { code: 'APP_FETCH_FAILED' }])
  })

  t.test('do not multiply retries: a request with four inner attempts is not retried outside', async (t) => {
    const server = await openUnrulyServer(t)
    server.will(answer(503))
    const { fetch } = await setUp(t, (app, fetch) => app.get('/proxy', async () => (await fetch(server.origin)).text()))
    await t.rejects(fetch('/proxy'), { code: 'APP_FETCH_FAILED' })
    t.equal(server.seen.length, 4)
  })
})

t.test(
  'ctx.fetch of other services uses the proxy of the environment, except for hosts that it excludes',
  async (t) => {
    const { requests } = await openForwardProxy(t)
    const { fetch } = await setUp(t, () => {})
    t.equal(await (await fetch('http://stock.invalid/7')).text(), 'by the proxy')
    await t.rejects(fetch('https://stock.invalid/7', { method: 'POST' }))
    await t.rejects(fetch('http://direct.example:1/', { method: 'POST' }))
    t.match(await (await fetch('/echo')).json(), { url: '/echo' })
    t.same(requests, ['GET http://stock.invalid/7', 'CONNECT stock.invalid:443'])
  }
)
