import t from 'tap'
import { PageCache, type RenderedPage } from '../../src/render/page-cache.ts'

const POLICY = { maxAge: 60 }

function createCache(maxBytes: number) {
  const failures: unknown[] = []
  const rendered: string[] = []
  const cache = new PageCache({ maxBytes, onError: (error) => failures.push(error) })
  const get = (key: string, { size = 100, status = 200 } = {}, policy = POLICY) =>
    cache.get({ key, path: '/' }, policy, async (): Promise<RenderedPage> => {
      rendered.push(key)
      return { body: 'x'.repeat(size), status, headers: {} }
    })
  return { cache, failures, rendered, get }
}

t.test('never exceeds its limit, which includes long keys', async (t) => {
  const { cache, get } = createCache(10_000)
  for (let i = 0; i < 100; i++) {
    await get(`${i}${'k'.repeat(i * 20)}`, { size: i })
    t.ok(cache.bytes <= 10_000)
  }
  t.ok(cache.bytes > 5_000)
})

t.test('returns a document larger than the limit, and does not keep it', async (t) => {
  const { cache, rendered, get } = createCache(1_000)
  for (const size of [1_001, 1_001]) t.equal((await get('large', { size })).body.length, 1_001)
  for (const key of ['k'.repeat(950), 'k'.repeat(950)]) await get(key)
  t.equal(cache.bytes, 0)
  t.equal(rendered.length, 4)
})

t.test('removes the least recently used document first', async (t) => {
  const { rendered, get } = createCache(330)
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await get(key)
  t.same(rendered, ['a', 'b', 'c', 'd', 'b'])
})

t.test('counts a page that is rendered again once, and removes a page that is not found', async (t) => {
  const { cache, get } = createCache(10_000)
  const over = { maxAge: 0 }
  for (const size of [100, 500, 200]) await get('a', { size }, over)
  t.equal(cache.bytes, 202)
  await get('a', { status: 404 }, over)
  t.equal(cache.bytes, 0)
})

t.test('reports a failure, and keeps the stale page', async (t) => {
  const { cache, failures, get } = createCache(10_000)
  const stale = { maxAge: 0, staleWhileRevalidate: 60 }
  const first = await get('a', {}, stale)
  const failure = new Error('not now')
  t.equal(await cache.get({ key: 'a', path: '/' }, stale, () => Promise.reject(failure)), first)
  await new Promise((resolve) => setImmediate(resolve))
  const library = Object.assign(new Error('of a library'), { statusCode: 404 })
  t.equal(await cache.get({ key: 'a', path: '/' }, stale, () => Promise.reject(library)), first)
  await new Promise((resolve) => setImmediate(resolve))
  t.same(failures, [failure, library], 'with any status code')
  t.equal(await get('a', {}, stale), first)
  await t.rejects(Promise.resolve(cache.get({ key: 'b', path: '/' }, stale, () => Promise.reject(failure))), failure)
})

t.test('reports a failed background render once for any number of visitors', async (t) => {
  const { cache, failures, get } = createCache(10_000)
  const stale = { maxAge: 0, staleWhileRevalidate: 60 }
  const first = await get('a', {}, stale)
  const failure = new Error('not now')
  const { promise: failing, reject: fail } = Promise.withResolvers<never>()
  for (let visitor = 0; visitor < 3; visitor++)
    t.equal(await cache.get({ key: 'a', path: '/' }, stale, () => failing), first)
  fail(failure)
  await new Promise((resolve) => setImmediate(resolve))
  t.same(failures, [failure])
})

t.test('invalidate removes documents by tag and by path, and no others', async (t) => {
  const { cache, failures } = createCache(1_000_000)
  const rendered: string[] = []
  const get = (key: string, path: string, tags: string[]) =>
    cache.get({ key, path }, POLICY, async () => {
      rendered.push(key)
      return { body: key, status: 200, headers: {}, tags }
    })
  const visitAll = async () => {
    rendered.length = 0
    await get('a', '/items/7', ['items', 'item:7'])
    await get('a?q', '/items/7', ['items', 'item:7'])
    await get('b', '/items/8', ['items', 'item:8'])
    await get('c', '/caf%c3%a9', [])
    return rendered
  }
  t.same(await visitAll(), ['a', 'a?q', 'b', 'c'])
  t.same(await visitAll(), [])
  const { bytes } = cache
  t.equal(await cache.invalidate({ tags: ['item:7', 'unknown'] }), 2)
  t.same(await visitAll(), ['a', 'a?q'])
  t.equal(await cache.invalidate({ path: '/items/8' }), 1)
  t.same(await visitAll(), ['b'])
  t.equal(
    await cache.invalidate({ path: ['/café', '/items'] }),
    1,
    'compares paths in any encoding, and not by their prefix'
  )
  t.same(await visitAll(), ['c'])
  t.equal(await cache.invalidate({ tags: ['items'], path: '/items/7' }), 3, 'removes each document once')
  t.equal(await cache.invalidate({}), 0)
  t.same(await visitAll(), ['a', 'a?q', 'b'])
  t.equal(cache.bytes, bytes)
  t.equal(
    await cache.invalidate({ tags: Array.from({ length: 1_000_000 }, (_, i) => `tag:${i}`) }),
    0,
    'a million tags'
  )
  t.same(failures, [])
})

t.test(
  'a document that is invalidated while it is rendered is not stored, and not returned for later requests',
  async (t) => {
    const { cache } = createCache(10_000)
    const { promise: saved, resolve: save } = Promise.withResolvers<void>()
    let price = 1
    const get = (wait?: Promise<void>) =>
      cache.get({ key: 'a', path: '/a' }, POLICY, async () => {
        const body = `price ${price}`
        await wait
        return { body, status: 200, headers: {}, tags: ['prices'] }
      })
    const before = get(saved)
    price = 2
    await cache.invalidate({ tags: ['prices'] })
    const after = await get()
    save()
    const old = await before
    t.same([String(old.body), old.outdated], ['price 1', true])
    t.same([String(after.body), after.outdated], ['price 2', false])
    t.equal(await get(), after, 'the later document is stored')
  }
)

t.test('an invalidation of other documents does not affect a render', async (t) => {
  const { cache } = createCache(10_000)
  const render = async () => ({ body: 'x', status: 200, headers: {}, tags: ['prices'] })
  const rendering = cache.get({ key: 'a', path: '/a' }, POLICY, render)
  await cache.invalidate({ tags: ['items'], path: '/b' })
  t.equal((await rendering).outdated, false)
  t.equal(await cache.get({ key: 'a', path: '/a' }, POLICY, render), await rendering)
})

t.test('invalid tags and paths are refused, with the rule', async (t) => {
  const { cache } = createCache(10_000)
  for (const tag of ['', 'a,b', 'a b', '/a', 'ü', 'x'.repeat(121), 7])
    await t.rejects(
      cache.invalidate({ tags: [tag as string] }),
      { message: /^a tag has 1 to 120 visible ASCII/ },
      `${tag}`
    )
  await t.rejects(cache.invalidate({ tags: 'items' as never }), { message: 'tags is a list of texts' })
  for (const path of ['items', '/items?q', 'https://app.example/items', 7, '/%zz'])
    await t.rejects(cache.invalidate({ path: path as string }), { message: /^path / }, `${path}`)
})

t.test('invalidate waits for the purge of an upstream cache, and reports its failure', async (t) => {
  const failures: unknown[] = []
  const purged: unknown[] = []
  const failure = new Error('the purge was refused')
  const cache = new PageCache({
    maxBytes: 1_000,
    onError: (error) => failures.push(error),
    async onInvalidate(invalidated) {
      await new Promise((resolve) => setImmediate(resolve))
      purged.push(invalidated)
      if (invalidated.paths.length > 0) throw failure
    }
  })
  await cache.invalidate({ tags: ['items'] })
  t.same(purged, [{ tags: ['items'], paths: [] }])
  await cache.invalidate({ path: '/items' })
  t.same(purged[1], { tags: [], paths: ['/items'] })
  t.same(failures, [failure])
})
