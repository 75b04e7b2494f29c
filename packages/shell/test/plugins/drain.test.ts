import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import drain from '../../src/plugins/drain.ts'
import replyClose from '../../src/plugins/reply-close.ts'
import health from '../../src/plugins/health.ts'

const limits = { responses: 200, functions: 100 }

async function createApp(t: Test, setUp?: (app: FastifyInstance) => unknown) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(replyClose)
  await app.register(health, {})
  await app.register(drain)
  await setUp?.(app)
  await app.ready()
  return app
}

t.test('draining', async (t) => {
  t.test('first calls the listeners that end responses', async (t) => {
    const { promise: wanted, resolve: end } = Promise.withResolvers<void>()
    const app = await createApp(t, (app) => {
      app.get('/', async () => {
        await wanted
        return 'done'
      })
      app.drain.onStart(() => {
        throw new Error('this one fails')
      })
      app.drain.onStart(() => {
        t.equal(app.drain.started, true)
        end()
      })
    })
    t.equal(app.drain.started, false)
    const response = app.inject('/').then()
    await new Promise(setImmediate)
    t.equal(await app.drain.start({ ...limits, responses: 10_000 }), 0)
    t.equal((await response).body, 'done')
  })

  t.test('counts unfinished responses of any kind', async (t) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const app = await createApp(t, (app) => {
      app.get('/', async () => {
        await released
        return 'done'
      })
      app.get('/hijack', (_request, reply) => {
        reply.hijack().raw.end('mine')
      })
      app.get('/fail', async () => {
        throw new Error('no')
      })
    })
    const responses = [app.inject('/').then(), app.inject('/').then()]
    await new Promise(setImmediate)
    t.equal(app.drain.inFlight, 2)
    release()
    await Promise.all(responses)
    for (const url of ['/hijack', '/fail', '/nowhere']) await app.inject(url)
    t.equal(app.drain.inFlight, 0)
  })

  t.test('makes /readyz fail from the start of draining, and not before', async (t) => {
    const app = await createApp(t)
    t.equal((await app.inject('/readyz')).statusCode, 200)
    const drained = app.drain.start(limits)
    t.equal((await app.inject('/readyz')).statusCode, 503)
    t.equal(await drained, 0)
  })

  t.test('waits for responses before it runs each drain function once', async (t) => {
    const seen: string[] = []
    const app = await createApp(t, (app) => {
      app.get('/', async () => {
        await new Promise((resolve) => setTimeout(resolve, 50))
        seen.push('response')
        return 'done'
      })
      app.drain.onDrain(() => {
        seen.push('first')
        throw new Error('no')
      })
      app.drain.onDrain(async () => {
        seen.push('second')
      })
    })
    const response = app.inject('/').then()
    await new Promise(setImmediate)
    t.same(await Promise.all([app.drain.start(limits), app.drain.start(limits)]), [0, 0])
    t.equal((await response).headers.connection, 'close')
    t.same(seen, ['response', 'first', 'second'])
  })

  t.test('closes open responses at the timeout, and returns their number', async (t) => {
    const app = await createApp(t, (app) => {
      app.get('/', () => new Promise(() => {}))
    })
    const responses = [app.inject('/'), app.inject('/')].map((response) =>
      t.rejects(response, { message: 'response destroyed before completion' })
    )
    await new Promise(setImmediate)
    const start = performance.now()
    t.equal(await app.drain.start(limits), 2)
    const took = performance.now() - start
    t.ok(took >= 190, `${took} ms`)
    await Promise.all(responses)
    t.equal(app.drain.inFlight, 0)
  })
})
