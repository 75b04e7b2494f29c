import { createServer, type Socket } from 'node:net'
import t from 'tap'
import type { Tunnel } from '../../src/delivery/tunnel.ts'
import { createClock } from '@hull/test-helpers/clock.ts'
import { listen } from '@hull/test-helpers/listen.ts'
import { accept, neverAnswer, openProvider, reply, type TestProvider } from '@hull/test-helpers/provider.ts'
import { createTunnel, holds, put, until, untilPassing } from '@hull/test-helpers/tunnel.ts'

/** Waits until no attempt is in progress. @returns the number of attempts */
async function settled(provider: TestProvider, tunnel: Tunnel): Promise<number> {
  for (let seen = -1; seen !== provider.seen.length || seen !== tunnel.stats().providers[0]!.attempts.failed;) {
    seen = provider.seen.length
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return provider.seen.length
}

t.test('the circuit breaker', async (t) => {
  t.test('sends a failing provider only one probe every five seconds', async (t) => {
    const provider = await openProvider(t)
    const clock = createClock()
    const { tunnel } = createTunnel(t, { providers: [provider], clock })
    const stats = () => tunnel.stats().providers[0]!
    provider.conduct(reply(500))
    await Promise.all(Array.from({ length: 30 }, () => put(tunnel, provider.dsn)))
    await untilPassing(clock, () => stats().breaker === 'open')
    const attempts = await settled(provider, tunnel)
    t.ok(attempts <= 16 * 2)

    for (let probe = 1; probe <= 12; probe++) {
      clock.advance(5_000)
      await provider.saw(attempts + probe)
      await until(() => stats().attempts.failed === attempts + probe)
    }
    t.equal(provider.seen.length, attempts + 12)
    t.equal(stats().breaker, 'open')

    provider.conduct(accept)
    clock.advance(5_000)
    await untilPassing(clock, () => tunnel.stats().envelopes === 0)
    t.equal(stats().breaker, 'closed')
    t.equal(new Set(provider.received.map(({ header }) => header.event_id)).size, 30)
  })

  t.test('sends the next probe while the last probe has no response', async (t) => {
    const provider = await openProvider(t)
    const clock = createClock()
    const { tunnel } = createTunnel(t, { providers: [provider], clock, timeouts: { headers: 60_000, total: 60_000 } })
    provider.conduct(reply(500))
    await Promise.all(Array.from({ length: 30 }, () => put(tunnel, provider.dsn)))
    await untilPassing(clock, () => tunnel.stats().providers[0]!.breaker === 'open')
    const attempts = await settled(provider, tunnel)
    provider.conduct(neverAnswer)
    for (let probe = 1; probe <= 3; probe++) {
      clock.advance(5_000)
      await provider.saw(attempts + probe)
    }
    t.equal(provider.seen.length, attempts + 3)
  })

  t.test('waits as long as Retry-After says', async (t) => {
    const provider = await openProvider(t)
    const clock = createClock()
    const { tunnel } = createTunnel(t, { providers: [provider], clock })
    provider.conduct(reply(503, { 'retry-after': '600' }))
    await put(tunnel, provider.dsn)
    await until(() => tunnel.stats().providers[0]!.attempts.failed === 1)
    provider.conduct(accept)
    for (let i = 0; i < 59; i++) {
      clock.advance(10_000)
      await put(tunnel, provider.dsn)
    }
    t.equal(provider.seen.length, 1)
    clock.advance(10_000)
    await provider.has(60)
  })

  t.test('delivers again when a provider that was down is back', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider] })
    await provider.goDown()
    await Promise.all(Array.from({ length: 50 }, () => put(tunnel, provider.dsn)))
    await until(() => tunnel.stats().providers[0]!.breaker === 'open')
    await provider.comeBack()
    await provider.has(50)
    await holds(tunnel, 0)
  })

  t.test('does not delay one provider because another provider does not respond', async (t) => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => void sockets.add(socket))
    const { port } = await listen(t, silent)
    t.teardown(() => {
      for (const socket of sockets) socket.destroy()
    })
    const hanging = { dsn: `http://key@127.0.0.1:${port}/1` }
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [hanging, provider] })
    await Promise.all(Array.from({ length: 40 }, () => put(tunnel, hanging.dsn)))
    await Promise.all(Array.from({ length: 40 }, () => put(tunnel, provider.dsn)))
    await provider.has(40)
    t.match(tunnel.stats().providers, [{ waiting: 40 }, { waiting: Number }])
  })
})
