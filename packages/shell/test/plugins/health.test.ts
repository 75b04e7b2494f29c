import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { runInnerCall } from '../../src/fetch/depth.ts'
import replyClose from '../../src/plugins/reply-close.ts'
import health, { type HealthOptions } from '../../src/plugins/health.ts'

async function createApp(t: Test, options: HealthOptions = {}, setUp?: (app: FastifyInstance) => unknown) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(replyClose)
  await app.register(health, options)
  await setUp?.(app)
  return app
}

t.test('/healthz', async (t) => {
  t.test('responds with ok and without caching, also while draining', async (t) => {
    const app = await createApp(t)
    app.health.drain()
    const response = await app.inject('/healthz')
    t.equal(response.statusCode, 200)
    t.same(response.json(), { status: 'ok' })
    t.equal(response.headers['cache-control'], 'no-store')
  })
})

t.test('/readyz', async (t) => {
  t.test('is ready if every check passes', async (t) => {
    const app = await createApp(t)
    app.health.addCheck('pages', () => true)
    app.health.addCheck('store', async () => {})
    const response = await app.inject('/readyz')
    t.equal(response.statusCode, 200)
    t.same(response.json(), { status: 'ok', checks: { pages: 'ok', store: 'ok' } })
    t.equal(response.headers['cache-control'], 'no-store')
  })

  t.test('is not ready while a check throws, rejects, returns false or hangs, and does not show why', async (t) => {
    const app = await createApp(t)
    let fail = true
    app.health.addCheck('throws', () => {
      if (fail) throw new Error('secret')
    })
    app.health.addCheck('rejects', async () => {
      if (fail) throw new Error('secret')
    })
    app.health.addCheck('false', () => !fail)
    app.health.addCheck('hangs', () => (fail ? new Promise(() => {}) : undefined))
    app.health.addCheck('fine', () => true)
    const response = await app.inject('/readyz')
    t.equal(response.statusCode, 503)
    t.same(response.json(), {
      status: 'unready',
      checks: { throws: 'failed', rejects: 'failed', false: 'failed', hangs: 'failed', fine: 'ok' }
    })
    t.equal(response.headers['cache-control'], 'no-store')

    fail = false
    t.equal((await app.inject('/readyz')).statusCode, 200)
  })

  t.test('is not ready while draining, although all checks pass', async (t) => {
    const app = await createApp(t)
    app.health.addCheck('pages', () => true)
    app.health.drain()
    const response = await app.inject('/readyz')
    t.equal(response.statusCode, 503)
    t.same(response.json(), { status: 'draining', checks: { pages: 'ok' } })
  })

  t.test('runs a check once for concurrent requests', async (t) => {
    const app = await createApp(t)
    let runs = 0
    app.health.addCheck('store', async () => {
      runs++
    })
    await app.ready()
    await Promise.all([app.inject('/readyz'), app.inject('/readyz'), app.inject('/readyz')])
    t.equal(runs, 1)
    await app.inject('/readyz')
    t.equal(runs, 2)
  })
})

t.test('/metrics', async (t) => {
  const print = async (app: FastifyInstance) => (await app.inject('/metrics')).body
  const countOf = (text: string, labels: string) =>
    text.match(new RegExp(`^http_request_duration_seconds_count\\{${labels}\\} (\\d+)$`, 'm'))?.[1]

  t.test('has the metrics of the process and of plugins', async (t) => {
    const app = await createApp(t)
    app.metrics.counter({ name: 'apples_total', help: 'Apples.', labelNames: ['colour'] }).inc({ colour: 'red' })
    app.metrics.gauge({ name: 'baskets', help: 'Baskets.', read: () => 7 })
    const response = await app.inject('/metrics')
    t.match(response.headers, { 'content-type': /^text\/plain; version=0\.0\.4/, 'cache-control': 'no-store' })
    t.match(response.body, /^process_cpu_seconds_total /m)
    t.match(response.body, /^nodejs_eventloop_lag_p99_seconds /m)
    t.match(response.body, /^apples_total\{colour="red"\} 1$/m)
    t.match(response.body, /^baskets 7$/m)
  })

  t.test('measures requests by route pattern, method and class of the status code, and never by URL', async (t) => {
    const app = await createApp(t, {}, (app) => {
      app.get('/items/:id', async () => 'item')
      app.post('/items/:id', async (_request, reply) => reply.code(422).send('no'))
    })
    for (const id of ['visitor-1', 'visitor-2']) await app.inject(`/items/${id}`)
    await app.inject({ method: 'POST', url: '/items/visitor-3' })
    await app.inject('/nowhere/visitor-4')
    const text = await print(app)
    t.equal(countOf(text, 'route="/items/:id",method="GET",status="2xx"'), '2')
    t.equal(countOf(text, 'route="/items/:id",method="POST",status="4xx"'), '1')
    t.equal(countOf(text, 'route="none",method="GET",status="4xx"'), '1')
    t.notMatch(text, /visitor/)
  })

  t.test('has the number of requests in flight', async (t) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const app = await createApp(t, {}, (app) => {
      app.get('/slow', async () => {
        await released
        return 'done'
      })
    })
    await app.ready()
    const slow = start(app.inject('/slow'))
    t.match(await print(app), /^http_requests_in_flight 2$/m)
    release()
    await slow
    t.match(await print(app), /^http_requests_in_flight 1$/m)
  })

  t.test('counts a client that leaves before its response with the status `none`', async (t) => {
    const { promise: seen, resolve: see } = Promise.withResolvers<void>()
    const app = await createApp(t, {}, (app) => {
      app.get('/slow', () => {
        see()
      })
    })
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const leaving = new AbortController()
    const response = fetch(`${origin}/slow`, { signal: leaving.signal })
    await seen
    leaving.abort()
    await t.rejects(response, { name: 'AbortError' })
    await new Promise((resolve) => setTimeout(resolve, 50))
    const text = await print(app)
    t.equal(countOf(text, 'route="/slow",method="GET",status="none"'), '1')
    t.match(text, /^http_requests_in_flight 1$/m)
  })

  t.test('does not count requests of a page to its own server', async (t) => {
    const app = await createApp(t, {}, (app) => {
      app.get('/own', async () => 'own')
    })
    const askInside = (url: string) => runInnerCall(async () => (await app.inject(url)).statusCode)
    t.equal(await askInside('/own'), 200)
    t.equal(await askInside('/metrics'), 404)
    const text = await print(app)
    t.equal(countOf(text, 'route="/own",method="GET",status="2xx"'), undefined)
    t.match(text, /^http_requests_in_flight 1$/m)
  })

  t.test('without a token responds only to direct clients in a private network', async (t) => {
    const app = await createApp(t)
    for (const remoteAddress of [
      '127.0.0.1',
      '10.1.2.3',
      '172.31.0.1',
      '192.168.1.1',
      '::1',
      '::ffff:10.1.2.3',
      'fd00::1',
      'fe80::1'
    ]) {
      t.equal((await app.inject({ url: '/metrics', remoteAddress })).statusCode, 200, remoteAddress)
    }
    for (const remoteAddress of ['8.8.8.8', '172.32.0.1', '::ffff:8.8.8.8', '2001:db8::1']) {
      t.equal((await app.inject({ url: '/metrics', remoteAddress })).statusCode, 404, remoteAddress)
    }
    for (const name of ['Forwarded', 'X-Forwarded-For', 'Via']) {
      t.equal((await app.inject({ url: '/metrics', headers: { [name]: '10.0.0.1' } })).statusCode, 404, name)
    }
  })

  t.test('with a token responds to requests with it from any address, and to others with 404', async (t) => {
    const app = await createApp(t, { metricsToken: 'correct horse battery' })
    const ask = async (authorization?: string) =>
      (
        await app.inject({
          url: '/metrics',
          remoteAddress: '8.8.8.8',
          headers: { via: '1.1 proxy', ...(authorization && { authorization }) }
        })
      ).statusCode
    t.equal(await ask('Bearer correct horse battery'), 200)
    for (const wrong of [
      undefined,
      '',
      'Bearer',
      'Bearer correct horse batter',
      'Bearer correct horse battery!',
      'correct horse battery',
      'Basic correct horse battery'
    ]) {
      t.equal(await ask(wrong), 404, wrong ?? 'none')
    }
    t.equal((await app.inject('/metrics')).statusCode, 404, 'a private client without the token')
  })
})

/** Starts a request of `inject`, which otherwise starts when its promise is awaited. */
function start<T>(chain: PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => void chain.then(resolve, reject))
}
