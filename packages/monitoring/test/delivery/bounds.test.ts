import { renameSync } from 'node:fs'
import t from 'tap'
import { createClock } from '@hull/test-helpers/clock.ts'
import { accept, openProvider, reply } from '@hull/test-helpers/provider.ts'
import { createTunnel, holds, put, until, untilPassing } from '@hull/test-helpers/tunnel.ts'

const KIB = 1024

t.test('a spool that is full', async (t) => {
  t.test('drops the oldest envelopes of bulky categories first and errors last, and counts them', async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const { tunnel } = createTunnel(t, { providers: [provider], maxBytes: 100 * KIB })
    const dropped = () => Object.fromEntries(tunnel.stats().drops.map((drop) => [drop.category, drop.quantity]))
    const size = 9 * KIB
    for (const type of ['event', 'session', 'transaction', 'replay', 'profile', 'event', 'transaction', 'event'])
      await put(tunnel, provider.dsn, { type, size })
    t.strictSame(dropped(), {})

    for (let i = 0; i < 3; i++) await put(tunnel, provider.dsn, { size })
    t.strictSame(dropped(), { replay: 1 })
    await put(tunnel, provider.dsn, { size })
    t.strictSame(dropped(), { replay: 1, profile: 1 })
    for (let i = 0; i < 3; i++) await put(tunnel, provider.dsn, { size })
    t.strictSame(dropped(), { replay: 1, profile: 1, transaction: 2, session: 1 })
    await put(tunnel, provider.dsn, { type: 'replay', size })
    t.strictSame(dropped(), { replay: 2, profile: 1, transaction: 2, session: 1 })
    const last = await put(tunnel, provider.dsn, { size })
    t.strictSame(dropped(), { replay: 2, profile: 1, transaction: 2, session: 1, error: 1 })
    t.ok(tunnel.stats().drops.every(({ reason }) => reason === 'queue_overflow'))
    t.ok(tunnel.stats().bytes <= 100 * KIB)

    await provider.comeBack()
    await provider.has(10)
    t.ok(provider.received.some(({ body }) => body.equals(last.body)))
  })

  t.test('keeps attachments of errors, and drops an envelope that is larger than the spool', async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const { tunnel } = createTunnel(t, { providers: [provider], maxBytes: 100 * KIB })
    for (let i = 0; i < 5; i++) await put(tunnel, provider.dsn, { size: 9 * KIB, counts: { error: 1, attachment: 2 } })
    for (let i = 0; i < 9; i++) await put(tunnel, provider.dsn, { size: 9 * KIB, counts: { transaction: 1, span: 3 } })
    await put(tunnel, provider.dsn, { size: 300 * KIB, counts: { error: 1 } })
    t.same(tunnel.stats().drops, [
      { reason: 'queue_overflow', category: 'transaction', quantity: 4 },
      { reason: 'queue_overflow', category: 'span', quantity: 12 },
      { reason: 'queue_overflow', category: 'error', quantity: 1 }
    ])
  })

  t.test('limits bulky categories first, and errors last', async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const { tunnel } = createTunnel(t, { providers: [provider], maxBytes: 1_000 * KIB })
    const limits: string[] = []
    for (let i = 0; i < 99; i++) {
      await put(tunnel, provider.dsn, { size: 10_000 })
      const header = tunnel.rateLimits(provider.dsn) ?? ''
      if (limits.at(-1) !== header) limits.push(header)
    }
    t.equal(limits.length, 5)
    t.equal(limits[0], '')
    t.match(limits[1], /^30:replay;[\w;]*profile[\w;]*:organization$/)
    t.match(limits[2], /^30:replay;.*;transaction;span;/)
    t.notMatch(limits[2], /session/)
    t.match(limits[3], /session/)
    t.notMatch(limits[3], /error/)
    t.equal(limits[4], '30::organization')
  })
})

t.test('drops an envelope that is too old, and counts it with the reason for its delay', async (t) => {
  const provider = await openProvider(t)
  const clock = createClock()
  const { tunnel } = createTunnel(t, { providers: [provider], clock, maxAge: 3_600_000 })
  const add = (type: string) => put(tunnel, provider.dsn, { type, receivedAt: clock.now() })
  provider.conduct(reply(429, { 'x-sentry-rate-limits': '86400:transaction:key' }))
  await add('transaction')
  await until(() => tunnel.stats().providers[0]!.attempts.limited === 1)
  provider.conduct(reply(503, { 'retry-after': '86400' }))
  await add('event')
  await until(() => tunnel.stats().providers[0]!.attempts.failed === 1)
  clock.advance(1_800_000)
  await add('session')
  t.equal(tunnel.stats().oldestAge, 1_800_000)

  clock.advance(1_860_000)
  await holds(tunnel, 1)
  t.same(tunnel.stats().drops, [
    { reason: 'ratelimit_backoff', category: 'transaction', quantity: 1 },
    { reason: 'expired', category: 'error', quantity: 1 }
  ])
  t.equal(tunnel.stats().oldestAge, 1_860_000)
  t.equal(provider.received.length, 0)
})

t.test('drops an envelope that is too old, also if newer envelopes of another process come before it', async (t) => {
  const provider = await openProvider(t)
  await provider.goDown()
  const clock = createClock()
  const options = { providers: [provider], clock, maxAge: 3_600_000 }
  const ended = createTunnel(t, options)
  for (let i = 0; i < 600; i++) void put(ended.tunnel, provider.dsn, { receivedAt: clock.now(), size: 10 })
  await holds(ended.tunnel, 600)
  await ended.tunnel.close()
  renameSync(ended.file, ended.file.replace('spool.db', 'spool.2.db'))
  const { tunnel } = createTunnel(t, { ...options, file: ended.file })
  await put(tunnel, provider.dsn, { receivedAt: clock.now() - 1_800_000, type: 'session' })
  await holds(tunnel, 601)
  clock.advance(2_400_000)
  await holds(tunnel, 600)
  t.match(tunnel.stats().drops, [{ category: 'session', quantity: 1 }])
})

t.test('counts an envelope that is too old because no process was running as a network error', async (t) => {
  const provider = await openProvider(t)
  const clock = createClock()
  const { tunnel } = createTunnel(t, { providers: [provider], clock, maxAge: 3_600_000 })
  await provider.goDown()
  for (let i = 0; i < 1_200; i++) void put(tunnel, provider.dsn, { receivedAt: clock.now(), size: 10 })
  await holds(tunnel, 1_200)
  await untilPassing(clock, () => tunnel.stats().providers[0]!.breaker === 'open')
  clock.advance(3_660_000)
  await holds(tunnel, 0)
  t.same(tunnel.stats().drops, [{ reason: 'network_error', category: 'error', quantity: 1_200 }])
})

t.test('client reports', async (t) => {
  t.test('report each drop to the provider once', async (t) => {
    const provider = await openProvider(t)
    const clock = createClock()
    const { tunnel } = createTunnel(t, { providers: [provider], clock, reportInterval: 60_000 })
    provider.conduct(reply(400))
    for (let i = 0; i < 3; i++) await put(tunnel, provider.dsn, { counts: { error: 1, attachment: 2 } })
    await holds(tunnel, 0)
    provider.conduct(accept)
    t.equal(provider.received.length, 0)
    clock.advance(60_000)
    await provider.has(1)
    const [{ header, items }] = provider.received as [(typeof provider.received)[0]]
    t.match(header, { dsn: provider.dsn, sent_at: new Date(clock.now()).toISOString() })
    t.match(items, [{ header: { type: 'client_report' } }])
    t.match(JSON.parse(items[0]!.payload.toString()), {
      timestamp: clock.now() / 1_000,
      discarded_events: [
        { reason: 'send_error', category: 'attachment', quantity: 6 },
        { reason: 'send_error', category: 'error', quantity: 3 }
      ]
    })
    await tunnel.flush(1_000)
    clock.advance(120_000)
    await tunnel.flush(1_000)
    t.equal(provider.received.length, 1)
  })

  t.test('keep their counts while they cannot be delivered, and after a restart', async (t) => {
    const provider = await openProvider(t)
    const clock = createClock()
    const first = createTunnel(t, { providers: [provider], clock })
    provider.conduct(reply(400))
    await put(first.tunnel, provider.dsn)
    await holds(first.tunnel, 0)
    provider.conduct(reply(500))
    clock.advance(60_000)
    await provider.saw(2)
    await first.tunnel.close()

    provider.conduct(accept)
    const { tunnel } = createTunnel(t, { providers: [provider], clock, file: first.file })
    await tunnel.flush(1_000)
    clock.advance(60_000)
    await provider.has(1)
    t.match(JSON.parse(provider.received[0]!.items[0]!.payload.toString()).discarded_events, [{ quantity: 1 }])
  })

  t.test('are not sent again after the provider has refused them', async (t) => {
    const provider = await openProvider(t)
    const clock = createClock()
    const { tunnel } = createTunnel(t, { providers: [provider], clock })
    provider.conduct(reply(400))
    await put(tunnel, provider.dsn)
    await holds(tunnel, 0)
    clock.advance(60_000)
    await provider.saw(2)
    await tunnel.flush(1_000)
    clock.advance(600_000)
    await tunnel.flush(1_000)
    t.equal(provider.seen.length, 2)
    t.equal(tunnel.stats().drops[0]!.quantity, 1)
  })
})
