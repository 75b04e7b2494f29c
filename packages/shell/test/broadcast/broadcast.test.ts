import { once } from 'node:events'
import { createServer } from 'node:net'
import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { openCuttingProxy } from '@hull/test-helpers/cutting-proxy.ts'
import { listen } from '@hull/test-helpers/listen.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { startPostgres, startRedis } from '@hull/test-helpers/services.ts'
import { createBroadcast } from '../../src/broadcast/broadcast.ts'
import { importOptional } from '@hull/common/import-optional.ts'
import { createPostgresDriver } from '../../src/broadcast/postgres.ts'
import { createRedisDriver } from '../../src/broadcast/redis.ts'
import { PageCache } from '../../src/render/page-cache.ts'

const SERVERS = [
  ['PostgreSQL', startPostgres, createPostgresDriver, 'DATABASE_URL'],
  ['Redis', startRedis, createRedisDriver, 'REDIS_URL']
] as const

type CreateDriver = (typeof SERVERS)[number][2]

/** A replica with its page cache. */
async function startReplica(t: Test, createDriver: CreateDriver, url: string) {
  const outages: string[] = []
  let connections = 0
  const broadcast = createBroadcast({
    driver: await createDriver(url),
    onOutage: ({ message }) => outages.push(message),
    onConnected: () => connections++
  })
  t.teardown(broadcast.close)
  const cache = new PageCache({ maxBytes: 10_000_000, onError: t.error, broadcast })
  let renders = 0
  return {
    cache,
    broadcast,
    outages,
    isConnected: broadcast.isConnected,
    connections: () => connections,
    renders: () => renders,
    /** Renders a page, unless it is stored. */
    open: (path: string, tags: string[] = [], rendering: Promise<unknown> = Promise.resolve()) =>
      cache.get({ key: path, path }, { maxAge: 3_600 }, async () => {
        renders++
        await rendering
        return { body: path, status: 200, headers: {}, tags }
      })
  }
}

for (const [name, start, createDriver, variable] of SERVERS)
  t.test(name, async (t) => {
    const server = await start(t)
    if (!server) return t.pass('no server', { skip: 'no redis-server or valkey-server is on PATH' })
    const startConnected = async (url = server.url) => {
      const replica = await startReplica(t, createDriver, url)
      await eventually(replica.isConnected)
      return replica
    }
    const [one, two] = [await startConnected(), await startConnected()]

    t.test('removes documents that another replica invalidates', async (t) => {
      for (const path of ['/a', '/b', '/c']) await two.open(path, [`tag:${path.slice(1)}`])
      const bytes = two.cache.bytes
      await one.cache.invalidate({ tags: ['tag:a'], path: '/b' })
      await eventually(() => two.cache.bytes < bytes / 2)
      const before = two.renders()
      await two.open('/c')
      t.equal(two.renders(), before, 'other documents stay')
      for (const path of ['/a', '/b']) await two.open(path)
      t.equal(two.renders(), before + 2)
    })

    t.test('does not store a page that is invalidated while it is rendered', async (t) => {
      const rendering = Promise.withResolvers<void>()
      const page = two.open('/slow', ['slow'], rendering.promise)
      const marker = await two.open('/marker', ['slow'])
      t.ok(two.cache.bytes > 0)
      await one.cache.invalidate({ tags: ['slow'] })
      await eventually(async () => (await two.open('/marker', ['slow'])) !== marker)
      rendering.resolve()
      t.ok((await page).outdated)
    })

    t.test('any number of labels of any length', async (t) => {
      const tags = Array.from({ length: 1_000 }, (_, index) => `${index}"${'x'.repeat(100)}`)
      for (const [index, tag] of tags.entries()) await two.open(`/many/${index}`, [tag])
      await two.open('/stays')
      const before = two.cache.bytes
      await one.cache.invalidate({ tags })
      await eventually(() => two.cache.bytes < before / 100)
      t.ok(two.cache.bytes > 0)
      await one.cache.invalidate({ path: `/${'long'.repeat(2_000)}` })
      await eventually(() => two.cache.bytes === 0)
    })

    t.test('a thousand invalidations at the same time', async () => {
      for (let index = 0; index < 1_000; index++) await two.open(`/once/${index}`)
      await Promise.all(Array.from({ length: 1_000 }, (_, index) => one.cache.invalidate({ path: `/once/${index}` })))
      await eventually(() => two.cache.bytes === 0)
    })

    for (const how of ['reset', 'silent'] as const)
      t.test(`a replica whose connection is lost (${how}) later sends the invalidations of that time`, async (t) => {
        const url = new URL(server.url)
        const proxy = await openCuttingProxy(t, `http://${url.host}`)
        const cut = await startConnected(server.url.replace(url.host, new URL(proxy.origin).host))
        await two.open('/cut')
        await two.open('/whole')
        await cut.open('/own')
        proxy.cut(how)
        await cut.cache.invalidate({ path: '/cut' })
        const before = two.renders()
        await eventually(() => cut.connections() === 2)
        await eventually(async () => {
          await two.open('/cut')
          return two.renders() > before
        })
        t.equal(cut.outages.length, 1)
        t.equal(cut.cache.bytes, 0, 'the cache is cleared, because the replica may have missed messages')
        const now = two.renders()
        await two.open('/whole')
        t.equal(two.renders(), now)
      })

    t.test('serves stored pages while the server is down, and renders them again after it is back', async (t) => {
      await Promise.all([one.open('/down'), two.open('/down')])
      await server.kill()
      await eventually(() => !one.isConnected() && !two.isConnected())
      const before = two.renders()
      await two.open('/down')
      t.equal(two.renders(), before)
      for (let index = 0; index < 1_100; index++) void one.cache.invalidate({ path: `/${index}` })
      await one.cache.invalidate({ path: '/down' })
      await server.start()
      await eventually(() => one.isConnected() && two.isConnected())
      await eventually(() => two.cache.bytes === 0)
      t.equal(one.outages.length, 1, `an outage is reported once: ${one.outages.join('; ')}`)
      await two.open('/again')
      await one.cache.invalidate({ path: '/again' })
      await eventually(() => two.cache.bytes === 0)
    })

    t.test(
      'an application invalidates pages of all replicas, is ready without the server, and reports its connection',
      async (t) => {
        const apps = await Promise.all(
          [1, 2].map(() => createTestApp(t, { env: { [variable]: server.url, LAB: 'on' } }))
        )
        const [first, second] = apps.map(({ app }) => app) as [(typeof apps)[0]['app'], (typeof apps)[0]['app']]
        const isConnected = async () => /^broadcast_connected 1$/m.test((await second.inject('/metrics')).body)
        await eventually(() =>
          apps.every(({ logs }) => logs.lines.some(({ msg }) => msg.startsWith('connected to other')))
        )
        t.ok(await isConnected())
        const { body } = await second.inject('/lab/cached')
        await first.pageCache.invalidate({ tags: ['lab'] })
        await eventually(async () => (await second.inject('/lab/cached')).body !== body)

        await server.kill()
        await eventually(() => apps.every(({ logs }) => logs.lines.some(({ msg }) => msg.startsWith('no connection'))))
        t.notOk(await isConnected())
        t.equal((await second.inject('/readyz')).statusCode, 200)
        t.equal((await second.inject('/lab/cached')).statusCode, 200)
        for (const { logs } of apps) t.match(logs.takeErrors(), [{ reason: String }])
        await server.start()
      }
    )

    t.test('a replica that is closed while it connects has no connection', async (t) => {
      const { broadcast, isConnected } = await startReplica(t, createDriver, server.url)
      await broadcast.close()
      t.notOk(isConnected())
    })

    t.test('a wrong address does not stop the application, and its reason is reported', async (t) => {
      const wrong = [server.url.replace(String(server.port), '9'), server.url.replace('127.0.0.1', 'nowhere.invalid')]
      if (name === 'PostgreSQL')
        wrong.push(server.url.replace('secret', 'wrong'), server.url.replace('/postgres', '/other'))
      else wrong.push(server.url.replace('//', '//me:wrong@'))
      for (const url of wrong) {
        const replica = await startReplica(t, createDriver, url)
        await replica.open('/a')
        t.equal(await replica.cache.invalidate({ path: '/a' }), 1)
        await eventually(() => replica.outages.length > 0)
        t.notMatch(replica.outages[0], 'secret')
        t.notOk(replica.isConnected())
        await replica.broadcast.close()
      }
    })
  })

for (const [name, , createDriver] of SERVERS)
  t.test(`gives up a connection to ${name} that is accepted and then silent`, async (t) => {
    const { port } = await listen(
      t,
      createServer(() => {})
    )
    const scheme = name === 'Redis' ? 'redis' : 'postgresql'
    const driver = await createDriver(`${scheme}://me:secret@127.0.0.1:${port}/0`)
    await t.rejects(driver.connect({ onText: () => {}, onEnd: () => {} }))
  })

t.test('an error in a member does not reach the other members or the sender', async (t) => {
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  t.teardown(() => {
    for (const listener of others) process.on('unhandledRejection', listener)
  })
  const reported = once(process, 'unhandledRejection')
  const { join } = createBroadcast({ onOutage: t.error, onConnected: () => {} })
  const got: string[] = []
  const wrong = () => {
    throw new Error('the member is wrong')
  }
  const publish = join('a', { onMessage: wrong, onGap: wrong })
  join('a', { onMessage: wrong, onGap: wrong })
  join('a', { onMessage: (message) => got.push(message), onGap: () => {} })
  await publish('hello')
  t.same(got, ['hello'])
  t.match(await reported, [{ message: 'the member is wrong' }])
})

t.test("without a server, members in one process receive each other's messages", async (t) => {
  const { join } = createBroadcast({ onOutage: t.error, onConnected: () => {} })
  const heard: string[] = []
  const member = (name: string) => ({
    onMessage: (message: string) => void heard.push(`${name} ${message}`),
    onGap: () => t.fail('no message was missed')
  })
  const publish = join('prices', member('one'))
  join('prices', member('two'))
  join('stock', member('three'))
  await publish('hello')
  t.same(heard, ['two hello'])
  await t.rejects(publish('x'.repeat(8_000)), RangeError)
})

t.test('`importOptional` replaces the error for a missing package, and passes on other errors', async (t) => {
  const name: string = 'a-package-that-nobody-installs'
  const load = () => import(name)
  await t.rejects(
    importOptional(load, () => new Error('missing')),
    { message: 'missing' }
  )
  const broken = () => Promise.reject(new Error('it is broken'))
  await t.rejects(
    importOptional(broken, () => new Error('missing')),
    { message: 'it is broken' }
  )
})
