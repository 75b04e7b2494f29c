import { Readable } from 'node:stream'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { eventually, PATIENCE } from '@hull/test-helpers/patience.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()
const SENTENCE =
  'Application error: a client-side or server-side exception has occurred while loading app.example (see the browser console or server logs for more information).'
const BROWSER = { accept: 'text/html', host: 'app.example' }

t.test('an error of a route that has started its response itself is reported, and ends the response', async (t) => {
  const { app, logs } = await createTestApp(t, { site })
  app.get('/raw', async (_request, reply) => {
    reply.raw.writeHead(200).write('half')
    throw new Error('secret after the half')
  })
  await t.rejects(app.inject('/raw'))
  t.match(logs.takeErrors(), [{ msg: 'request failed', digest: /./, err: { message: 'secret after the half' } }])
})

t.test('an error of a stream that a route has started to send', async (t) => {
  const { app, logs } = await createTestApp(t, { site })
  let fail = () => {}
  async function* failing() {
    yield 'the first half'
    await new Promise<void>((resolve) => (fail = resolve))
    throw new Error('secret after the half')
  }
  app.get('/node', async (_request, reply) => reply.type('text/csv').send(Readable.from(failing())))
  app.get('/web', async (_request, reply) => reply.type('text/csv').send(Readable.toWeb(Readable.from(failing()))))
  app.get('/left', async (_request, reply) => {
    const parts = Readable.from(failing())
    reply.raw.once('close', () => parts.destroy(new Error('the client has left')))
    return reply.send(parts)
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const begin = async (path: string, leaving?: AbortController) => {
    const response = await fetch(origin + path, { headers: { 'accept-encoding': 'identity' }, signal: leaving?.signal })
    const reader = response.body!.getReader()
    t.match(Buffer.from((await reader.read()).value!).toString(), 'the first half')
    return reader
  }

  for (const path of ['/node', '/web'])
    t.test(`is reported, and ends the response: ${path}`, async (t) => {
      const reader = await begin(path)
      fail()
      await t.rejects(reader.read())
      t.match(logs.takeErrors(), [{ msg: 'request failed', digest: /./, err: { message: 'secret after the half' } }])
    })

  t.test('is not reported if the visitor has left', async (t) => {
    const leaving = new AbortController()
    await begin('/left', leaving)
    leaving.abort()
    await eventually(() => logs.lines.some(({ path, msg }) => path === '/left' && msg === 'request'))
    t.same(logs.takeErrors(), [])
  })
})

t.test('an error after the response', async (t) => {
  const { app, logs } = await createTestApp(t, { site })
  const late = () => new Error('thrown after the response')
  app.get('/sent', async (_request, reply) => {
    reply.send('sent')
    throw late()
  })
  app.get('/at-once', (_request, reply) => {
    reply.send('sent')
    throw late()
  })
  app.get('/hijacked', async (_request, reply) => {
    reply.hijack().raw.end('sent')
    throw late()
  })
  app.get('/hook', { onResponse: async () => Promise.reject(late()) }, async () => 'sent')
  app.get('/unfinished', async (_request, reply) => {
    reply.hijack().raw.write('the first half')
    throw late()
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })

  for (const path of ['/sent', '/at-once', '/hijacked', '/hook'])
    t.test(`is reported, and does not change the response: ${path}`, async (t) => {
      const response = await fetch(origin + path)
      t.match({ status: response.status, body: await response.text() }, { status: 200, body: 'sent' })
      let errors: unknown[] = []
      await eventually(() => (errors = logs.takeErrors()).length > 0)
      t.match(errors, [{ msg: 'request failed', digest: /./, err: { message: late().message } }])
    })

  t.test('ends a response that would otherwise never end', async (t) => {
    const response = await fetch(`${origin}/unfinished`, { signal: AbortSignal.timeout(PATIENCE) })
    await t.rejects(response.text(), { message: 'terminated' })
    t.match(logs.takeErrors(), [{ msg: 'request failed', digest: /./, err: { message: late().message } }])
  })
})

t.test('an error on the server', async (t) => {
  const { app, logs } = await createTestApp(t, { site })

  for (const [place, request] of Object.entries({
    'a guard': { url: '/fail/guard' },
    getData: { url: '/fail/data' },
    getMeta: { url: '/fail/meta' },
    'a component': { url: '/fail/component' },
    'a layout': { url: '/fail/layout' },
    'a component below Suspense': { url: '/fail/suspense' },
    'an action': { url: '/fail/action', method: 'POST' as const }
  })) {
    t.test(`in ${place} is 500 with the error message and a digest, and no other detail`, async (t) => {
      const response = await app.inject({ ...request, headers: BROWSER })
      t.equal(response.statusCode, 500)
      t.ok(response.body.includes(SENTENCE), 'the exact text')
      const digest = /Digest: ([0-9A-Z]{12})\b/.exec(response.body)?.[1]
      t.match(
        logs.takeErrors(),
        [{ digest, msg: 'request failed', err: { message: /^secret/, stack: /\n/ } }],
        'one log line with the digest'
      )
      t.notMatch(response.body, 'secret')
      t.notMatch(response.body, '<script', 'no script is needed')
      t.match(response.body, 'class="frame"', 'in the layout')
      t.match(response.body, '<meta name="robots" content="noindex" data-head>')
      t.equal(response.headers['cache-control'], 'private, no-store')
    })
  }

  t.test('is a problem with its digest for a navigation', async (t) => {
    const response = await app.inject('/-/data/fail/data')
    const [{ digest } = { digest: '' }] = logs.takeErrors()
    t.equal(response.statusCode, 500)
    t.match(response.json(), { status: 500, code: 'APP_INTERNAL', digest })
    t.notMatch(response.body, 'secret')
  })

  t.test('in a nested promise of the data, while a layout is loading, does not end the process', async (t) => {
    const response = await app.inject('/-/data/fail/nested')
    t.equal(response.statusCode, 200)
    const [{ digest } = { digest: '' }, ...others] = logs.takeErrors()
    t.same(others, [])
    t.match(response.body.split('\n')[1], `"digest\\":\\"${String(digest)}`)
    t.notMatch(response.body, 'secret')
  })

  t.test('can be any thrown value', async (t) => {
    for (const thrown of ['string', 'undefined']) {
      t.equal((await app.inject({ url: `/fail/data?throw=${thrown}`, headers: BROWSER })).statusCode, 500)
      t.match(logs.takeErrors(), [{ digest: /./ }])
    }
  })

  t.test('in data that cannot be serialised names the place in the log', async (t) => {
    for (const [kind, code, where] of [
      ['class', 'APP_PAYLOAD_UNSERIALISABLE', /\.data\.deep\.value/],
      ['function', 'APP_PAYLOAD_UNSERIALISABLE', /\.data\.deep\.value/],
      ['proto', 'APP_PAYLOAD_UNSERIALISABLE', /\.data\.deep\.value/],
      ['large', 'APP_PAYLOAD_TOO_LARGE', /characters/]
    ] as const) {
      for (const url of [`/fail/serializer?kind=${kind}`, `/-/data/fail/serializer?kind=${kind}`]) {
        t.equal((await app.inject({ url, headers: url.startsWith('/-/') ? {} : BROWSER })).statusCode, 500, url)
        t.match(logs.takeErrors(), [{ err: { code, message: where } }])
      }
    }
  })

  t.test('does not repeat an invalid host, which is refused before', async (t) => {
    const response = await app.inject({
      url: '/fail/data',
      headers: { accept: 'text/html', host: '"><script>alert(1)</script>' }
    })
    t.equal(response.statusCode, 400)
    t.match(response.body, 'APP_BAD_HOST')
    t.notMatch(response.body, '<script>alert')
    t.same(logs.takeErrors(), [])
  })

  t.test('has a new digest each time', async (t) => {
    const digests = new Set<string>()
    for (let i = 0; i < 20; i++) {
      await app.inject('/fail/data')
      digests.add(String(logs.takeErrors()[0]?.digest))
    }
    t.equal(digests.size, 20)
  })

  t.test('in a hook or a route has the same response', async (t) => {
    const { app, logs } = await createTestApp(t, { site })
    app.get('/route', async () => {
      throw new Error('secret route detail')
    })
    app.get('/api/route', async () => {
      throw new Error('secret route detail')
    })
    app.get('/empty', async (_request, reply) => reply.code(404).send())
    app.addHook('onRequest', async (request) => {
      if (request.url === '/hooked') throw new Error('secret hook detail')
    })
    for (const url of ['/route', '/hooked']) {
      const response = await app.inject({ url, headers: BROWSER })
      t.equal(response.statusCode, 500, url)
      t.ok(response.body.includes(SENTENCE))
      t.equal(logs.takeErrors().length, 1)
    }
    t.match((await app.inject('/api/route')).json(), { code: 'APP_INTERNAL', digest: /./ })
    logs.takeErrors()
    const empty = await app.inject({ url: '/empty', headers: BROWSER })
    t.equal(empty.statusCode, 404)
    t.match(empty.body, 'There is no page at this address.')
  })

  t.test('in an onSend hook has the same response', async (t) => {
    const { app, logs } = await createTestApp(t, { site })
    app.addHook('onSend', async () => {
      throw new Error('secret hook detail')
    })
    app.get('/moved', async (_request, reply) => reply.redirect('/about'))
    for (const url of ['/about', '/-/data/about', '/cached', '/headers', '/moved']) {
      const response = await app.inject({ url, headers: BROWSER })
      t.notOk('location' in response.headers, url)
      t.equal(response.statusCode, 500, url)
      const [line, ...others] = logs.takeErrors()
      t.match(response.body, String(line?.digest), url)
      t.same(others, [])
      t.notMatch(response.body, 'secret', url)
      t.match(response.headers, { 'content-security-policy': /default-src/, 'cache-control': 'private, no-store' }, url)
    }
  })

  t.test('in an onSend hook for an error response replaces the first error', async (t) => {
    const { app, logs } = await createTestApp(t, { site })
    app.addHook('onSend', async (_request, { statusCode }) => {
      if (statusCode >= 400) throw new Error('secret hook detail')
    })
    app.get('/api/broken', async () => {
      throw new Error('secret route detail')
    })
    for (const [url, errors] of [
      ['/nowhere', 1],
      ['/-/data/nowhere', 1],
      ['/fail/data', 2],
      ['/api/broken', 2]
    ] as const) {
      const response = await app.inject({ url, headers: BROWSER })
      t.equal(response.statusCode, 500, url)
      const lines = logs.takeErrors()
      t.equal(lines.length, errors, url)
      t.match(response.body, String(lines.at(-1)?.digest), url)
      t.notMatch(response.body, 'secret', url)
      t.match(response.headers, { 'content-security-policy': /default-src/, 'cache-control': 'private, no-store' }, url)
    }
    t.same(logs.takeErrors(), [])
  })
})

t.test(
  'a client outside of private networks that requests the metrics gets 404, without an error in the log',
  async (t) => {
    const { app, logs } = await createTestApp(t, { site })
    for (const [accept, type] of [
      ['text/html', 'text/html'],
      ['application/json', 'application/problem+json']
    ] as const) {
      const response = await app.inject({ url: '/metrics', remoteAddress: '8.8.8.8', headers: { accept } })
      t.equal(response.statusCode, 404, accept)
      t.match(response.headers['content-type'], type)
      t.match(response.headers, { 'content-security-policy': /default-src/, 'cache-control': 'private, no-store' })
    }
    t.same(logs.takeErrors(), [])
  }
)

t.test('a page that never ends', async (t) => {
  const { app, logs } = await createTestApp(t, { site, env: { RENDER_TIMEOUT: '150ms' } })
  for (const where of ['guard', 'data', 'component']) {
    t.test(`in its ${where} is 500 at the deadline`, async (t) => {
      const response = await app.inject({ url: `/hang?in=${where}`, headers: BROWSER })
      t.equal(response.statusCode, 500)
      t.ok(response.body.includes(SENTENCE))
      t.match(logs.takeErrors(), [{ err: { code: 'APP_RENDER_TIMEOUT' } }])
    })
  }
  t.test('aborts the signal of getData', async (t) => {
    t.match(
      logs.lines.filter(({ msg }) => msg === 'hang was aborted'),
      [{}]
    )
  })
})
