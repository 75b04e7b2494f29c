import t from 'tap'
import { createClock } from '@hull/test-helpers/clock.ts'
import { accept, openProvider, reply } from '@hull/test-helpers/provider.ts'
import { createTunnel, holds, put, until, untilPassing } from '@hull/test-helpers/tunnel.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

t.test('a clock that is set back does not delay probes and retries', async (t) => {
  const provider = await openProvider(t)
  const clock = createClock()
  const { tunnel } = createTunnel(t, { providers: [provider], clock })
  provider.conduct(reply(500))
  await put(tunnel, provider.dsn)
  await until(() => tunnel.stats().providers[0]!.attempts.failed >= 1)
  clock.step(-2 * HOUR)
  provider.conduct(accept)
  await untilPassing(clock, () => tunnel.stats().envelopes === 0)
  t.equal(provider.received.length, 1)
})

t.test('no envelope expires while the clock is 60 days ahead for some minutes', async (t) => {
  const provider = await openProvider(t)
  const clock = createClock()
  const { tunnel, lines } = createTunnel(t, { providers: [provider], clock, maxAge: DAY })
  await provider.goDown()
  await put(tunnel, provider.dsn, { receivedAt: clock.wall() })
  await holds(tunnel, 1)
  clock.step(60 * DAY)
  clock.advance(60_000)
  clock.advance(60_000)
  t.equal(tunnel.stats().clockJump, 60 * DAY)
  t.match(lines, [{ level: 'warn', message: /the clock jumped/, details: { jump: 60 * DAY } }])
  await put(tunnel, provider.dsn, { receivedAt: clock.wall() })
  await holds(tunnel, 2)
  t.same(tunnel.stats().drops, [])
  clock.step(-60 * DAY)
  clock.advance(60_000)
  t.equal(tunnel.stats().clockJump, 0)
  await provider.comeBack()
  await untilPassing(clock, () => provider.received.length === 2)
})

t.test('envelopes of an earlier process do not expire if a process starts with a clock 60 days ahead', async (t) => {
  const provider = await openProvider(t)
  await provider.goDown()
  const clock = createClock()
  const options = { providers: [provider], maxAge: DAY }
  const { tunnel, file } = createTunnel(t, { ...options, clock })
  await put(tunnel, provider.dsn, { receivedAt: clock.wall() })
  await tunnel.close()

  const ahead = createClock(clock.wall() + 60 * DAY)
  const { tunnel: next, lines } = createTunnel(t, { ...options, clock: ahead, file })
  await holds(next, 1)
  ahead.advance(60_000)
  await put(next, provider.dsn, { receivedAt: ahead.wall() })
  await holds(next, 2)
  t.match(lines, [{ level: 'warn', message: /the clock jumped/, details: { jump: 60 * DAY } }])
  for (let passed = 0; passed <= 6 * HOUR; passed += HOUR) ahead.advance(HOUR)
  await holds(next, 1)
  t.match(next.stats().drops, [{ category: 'error', quantity: 1 }], 'the tunnel trusts the new time after six hours')
})

t.test('a process does not wait for the retry times of an earlier process', async (t) => {
  const provider = await openProvider(t)
  const clock = createClock(Date.now() + 60 * DAY)
  const { tunnel, file } = createTunnel(t, { providers: [provider], clock })
  provider.conduct(reply(500))
  await put(tunnel, provider.dsn, { receivedAt: clock.wall() })
  await until(() => tunnel.stats().providers[0]!.attempts.failed >= 1)
  await tunnel.close()
  provider.conduct(accept)
  const { tunnel: next } = createTunnel(t, { providers: [provider], file })
  await provider.has(1)
  await holds(next, 0)
})
