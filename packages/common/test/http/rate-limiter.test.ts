// Runs in a process of its own: it measures the memory of its process.
import t from 'tap'
import { createRateLimiter } from '../../src/http/rate-limiter.ts'
import { collectGarbage } from '@hull/test-helpers/garbage.ts'

const allowed = (take: () => number, tries: number) =>
  Array.from({ length: tries }, take).filter((wait) => wait === 0).length

t.test('600 a minute allow a burst of 200, and then one request each tenth of a second', async (t) => {
  const take = createRateLimiter({ perMinute: 600 })
  t.equal(
    allowed(() => take('a', 1_000), 1_000),
    200
  )
  t.equal(take('a', 1_000), 100)
  t.equal(take('a', 1_050), 50)
  t.equal(take('a', 1_100), 0)
  t.equal(take('a', 1_100), 100)
  t.equal(
    allowed(() => take('a', 2_100), 1_000),
    10
  )
  t.equal(
    allowed(() => take('a', 1e9), 1_000),
    200,
    'refills to the burst, and not above it'
  )
})

t.test('refused requests do not use up the allowance', async (t) => {
  const take = createRateLimiter({ perMinute: 60, burst: 1 })
  let passed = 0
  for (let now = 0; now < 60_000; now += 10) if (take('a', now) === 0) passed++
  t.equal(passed, 60)
})

t.test('each key has its own bucket', async (t) => {
  const take = createRateLimiter({ perMinute: 3 })
  t.same([take('a', 0), take('a', 0), take('b', 0), take('__proto__', 0)], [0, 20_000, 0, 0])
})

t.test('0 switches the limit off', async (t) => {
  const take = createRateLimiter({ perMinute: 0 })
  t.equal(
    allowed(() => take('a', 0), 10_000),
    10_000
  )
})

t.test('removes the key first that has not been used for the longest time', async (t) => {
  const take = createRateLimiter({ perMinute: 3, maxKeys: 4 })
  for (const key of ['a', 'b', 'c']) take(key, 0)
  take('a', 20_000)
  take('d', 20_000)
  t.equal(take('a', 20_000), 20_000, 'the key is still stored')
  t.equal(take('b', 20_000), 0)
})

t.test('a million addresses do not increase its memory', async (t) => {
  const take = createRateLimiter({ perMinute: 600 })
  const grow = (from: number) => {
    for (let i = from; i < from + 500_000; i++)
      take(`2001:db8:${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}`, 0)
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = grow(0)
  const grown = grow(500_000) - before
  t.ok(grown < 4 * 1024 ** 2, `${grown} bytes`)
})
