import t from 'tap'
import { PageCache, type RenderedPage } from '../../src/render/page-cache.ts'

const POLICY = { maxAge: 60 }

function createCache(maxBytes: number) {
  const failures: unknown[] = []
  const rendered: string[] = []
  const cache = new PageCache({ maxBytes, onError: (error) => failures.push(error) })
  const get = (key: string, { size = 100, status = 200 } = {}, policy = POLICY) =>
    cache.get(key, policy, async (): Promise<RenderedPage> => {
      rendered.push(key)
      return { body: 'x'.repeat(size), status, headers: {} }
    })
  return { cache, failures, rendered, get }
}

t.test('never holds more than its bound, long addresses counted', async (t) => {
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

t.test('the least recently used goes first', async (t) => {
  const { rendered, get } = createCache(330)
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await get(key)
  t.same(rendered, ['a', 'b', 'c', 'd', 'b'])
})

t.test('counts a page rendered again once, and drops one that was not found', async (t) => {
  const { cache, get } = createCache(10_000)
  const over = { maxAge: 0 }
  for (const size of [100, 500, 200]) await get('a', { size }, over)
  t.equal(cache.bytes, 201)
  await get('a', { status: 404 }, over)
  t.equal(cache.bytes, 0)
})

t.test('reports a failure, and keeps the stale page', async (t) => {
  const { cache, failures, get } = createCache(10_000)
  const stale = { maxAge: 0, staleWhileRevalidate: 60 }
  const first = await get('a', {}, stale)
  const failure = new Error('not now')
  t.equal(await cache.get('a', stale, () => Promise.reject(failure)), first)
  await new Promise((resolve) => setImmediate(resolve))
  const library = Object.assign(new Error('of a library'), { statusCode: 404 })
  t.equal(await cache.get('a', stale, () => Promise.reject(library)), first)
  await new Promise((resolve) => setImmediate(resolve))
  t.same(failures, [failure, library], 'whatever status it has')
  t.equal(await get('a', {}, stale), first)
  await t.rejects(Promise.resolve(cache.get('b', stale, () => Promise.reject(failure))), failure)
})
