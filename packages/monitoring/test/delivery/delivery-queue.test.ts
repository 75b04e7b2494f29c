import t from 'tap'
import { Backpressure } from '../../src/delivery/backpressure.ts'
import { createClock } from '@hull/test-helpers/clock.ts'
import { openProvider } from '@hull/test-helpers/provider.ts'
import { createTunnel, put, until } from '@hull/test-helpers/tunnel.ts'

t.test('a burst', async (t) => {
  t.test('is stored first, and delivered afterwards', async (t) => {
    const provider = await openProvider(t)
    const clock = createClock()
    const { tunnel } = createTunnel(t, { providers: [provider], clock })
    await Promise.all(Array.from({ length: 50 }, () => put(tunnel, provider.dsn)))
    await provider.has(2)
    // Causes another commit, after which the queue could start attempts.
    await put(tunnel, provider.dsn)
    t.equal(provider.seen.length, 2, 'an eighth of the attempts start, however quickly the provider responds')
    while (provider.received.length < 51) {
      clock.advance(10)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await until(() => tunnel.stats().envelopes === 0)
    t.equal(provider.seen.length, 51)
  })

  t.test('is delivered at once if a quarter of the spool is full', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider], clock: createClock(), maxBytes: 60_000 })
    await Promise.all(Array.from({ length: 50 }, () => put(tunnel, provider.dsn)))
    // The clock is stopped, so all these attempts start without waiting.
    await provider.has(20)
  })
})

t.test('a burst during which the process is not busy delays deliveries less and less', async (t) => {
  let isBusy = false
  const pace = new Backpressure(16, () => isBusy)
  const countAt = (now: number) => {
    let count = 0
    while (pace.mayBegin(now, 0)) count++
    return count
  }
  t.same([0, 10, 20, 30, 40, 50, 60].map(countAt), [2, 4, 8, 16, 32, 64, 64])
  isBusy = true
  t.same([70, 80, 90, 100, 110, 120].map(countAt), [32, 16, 8, 4, 2, 2])
  isBusy = false
  t.equal(countAt(1_300), 2, 'a new burst begins with the minimum')
})

t.test('deliveries continue while envelopes keep arriving', async (t) => {
  const provider = await openProvider(t)
  const { tunnel } = createTunnel(t, { providers: [provider] })
  while (provider.received.length < 300) await Promise.all(Array.from({ length: 12 }, () => put(tunnel, provider.dsn)))
  t.pass()
})

t.test('a burst of more than two seconds no longer delays deliveries', async (t) => {
  const pace = new Backpressure(16, () => true)
  const countAt = (now: number) => {
    let underWay = 0
    while (pace.mayBegin(now, underWay)) underWay++
    return underWay
  }
  for (let now = 0; now < 2_000; now += 100) t.equal(countAt(now), 2, `after ${now} ms`)
  for (let now = 2_000; now < 10_000; now += 500) t.equal(countAt(now), 16, `after ${now} ms`)
  t.equal(countAt(10_500), 16, 'the same burst continues after a short gap')
  t.equal(countAt(12_000), 2, 'a new burst begins after a longer gap')
})
