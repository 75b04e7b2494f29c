import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { eventually } from '@hull/test-helpers/patience.ts'
import { runInnerCall } from '../../src/fetch/depth.ts'
import afterStart from '../../src/plugins/after-start.ts'
import replyClose from '../../src/plugins/reply-close.ts'
import health from '../../src/plugins/health.ts'
import loadShedding, { type LoadSheddingOptions } from '../../src/plugins/load-shedding.ts'

/** Creates an application, and waits until it has started. */
async function createApp(t: Test, options: Partial<LoadSheddingOptions> = {}) {
  const app = await listen(t, options)
  let hasStarted = false
  app.afterStart(() => {
    hasStarted = true
  })
  await eventually(() => hasStarted)
  return app
}

async function listen(t: Test, options: Partial<LoadSheddingOptions>, workAfterStart = () => {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(afterStart)
  await app.register(replyClose)
  await app.register(health, {})
  await app.register(loadShedding, { maxEventLoopDelay: 100, ...options })
  app.get('/', async () => 'served')
  app.post('/tunnel', { config: { isTunnel: true } }, async () => 'kept')
  app.afterStart(workAfterStart)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}

/** Blocks the event loop for `turn` milliseconds at a time, until `isEnough` returns true. */
async function block(turn: number, isEnough: () => boolean) {
  while (!isEnough()) {
    const end = performance.now() + turn
    while (performance.now() < end);
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const blockFor = (ms: number, turn: number) => {
  const end = performance.now() + ms
  return block(turn, () => performance.now() > end)
}

const statusOf = async (app: FastifyInstance, url: string) => (await app.inject(url)).statusCode

t.test('load shedding', async (t) => {
  t.test(
    'refuses with 503 and Retry-After while the event loop lags, and serves again after it has recovered',
    async (t) => {
      const app = await createApp(t)
      t.equal(await statusOf(app, '/'), 200, 'before')
      await blockFor(1_200, 200)
      const response = await app.inject('/')
      t.equal(response.statusCode, 503)
      t.equal(response.headers['retry-after'], '5')
      t.match(response.json(), { code: 'APP_OVERLOADED' })
      await new Promise((resolve) => setTimeout(resolve, 600))
      t.equal(await statusOf(app, '/'), 200, 'after')
    }
  )

  t.test('continues to serve after one long turn of the event loop', async (t) => {
    const app = await createApp(t)
    await blockFor(700, 700)
    t.equal(await statusOf(app, '/'), 200)
  })

  t.test('continues to serve while the event loop is busy with short turns', async (t) => {
    const app = await createApp(t)
    await blockFor(600, 20)
    t.equal(await statusOf(app, '/'), 200)
  })

  t.test('still serves the health checks, and counts refused requests', async (t) => {
    const app = await createApp(t, { retryAfter: 30 })
    await blockFor(1_200, 200)
    t.equal((await app.inject('/')).headers['retry-after'], '30')
    t.equal(await statusOf(app, '/nowhere'), 503)
    t.equal(await statusOf(app, '/healthz'), 200)
    t.equal(await statusOf(app, '/readyz'), 200)
    t.match((await app.inject('/metrics')).body, /^http_requests_shed_total 2$/m)
  })

  t.test('accepts requests of SDKs, because SDKs drop refused data', async (t) => {
    const app = await createApp(t)
    await blockFor(1_200, 200)
    t.equal(await statusOf(app, '/'), 503)
    t.equal((await app.inject({ method: 'POST', url: '/tunnel' })).statusCode, 200)
  })

  t.test('accepts requests of a page to its own server', async (t) => {
    const app = await createApp(t)
    await blockFor(1_200, 200)
    t.equal(await runInnerCall(() => statusOf(app, '/')), 200)
    t.equal(await statusOf(app, '/'), 503)
  })

  t.test('continues to serve after a start that made the event loop lag', async (t) => {
    const work = Promise.withResolvers<void>()
    const app = await listen(t, {}, () => work.promise)
    await blockFor(1_200, 200)
    t.equal(await statusOf(app, '/'), 200, 'before the work of the start has ended')
    work.resolve()
    await eventually(async () => {
      await blockFor(600, 200)
      return (await statusOf(app, '/')) === 503
    })
  })

  t.test('measures turns that are longer than a sample', async (t) => {
    const patient = await createApp(t, { maxEventLoopDelay: 1_000 })
    const strict = await createApp(t, { maxEventLoopDelay: 300 })
    await blockFor(2_500, 500)
    t.equal(await statusOf(patient, '/'), 200)
    t.equal(await statusOf(strict, '/'), 503)
  })

  t.test('is off if the limit is 0', async (t) => {
    const app = await createApp(t, { maxEventLoopDelay: 0 })
    await blockFor(1_200, 200)
    t.equal(await statusOf(app, '/'), 200)
  })
})
