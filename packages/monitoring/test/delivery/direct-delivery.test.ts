import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { completesWithin } from '../../../common/src/completes-within.ts'
import { DeliveryFailed, type Deliverer, type SpooledEnvelope } from '../../src/delivery/deliverer.ts'
import type { Tunnel } from '../../src/delivery/tunnel.ts'
import { createClock } from '@hull/test-helpers/clock.ts'
import { neverAnswer, openProvider, reply } from '@hull/test-helpers/provider.ts'
import { createTunnel, holds, put, until } from '@hull/test-helpers/tunnel.ts'

const DSN = 'http://key@inbox.local/1'
const MIB = 1024 ** 2

/** Creates an envelope in the format of the server's own SDK. */
const createText = (type: string) => `{"event_id":"${'e1'.repeat(16)}"}\n{"type":"${type}"}\n{"spans":[]}`

/** Opens a tunnel, and waits until its spool is read and empty. */
async function openTunnel(t: Test, options: Parameters<typeof createTunnel>[1]) {
  const opened = createTunnel(t, options)
  await opened.tunnel.flush(60_000)
  return opened
}

/** Creates a deliverer whose attempts the test resolves or rejects. */
function createDeliverer() {
  const attempts: Array<{ envelope: SpooledEnvelope; signal: AbortSignal } & PromiseWithResolvers<undefined>> = []
  const deliverer: Deliverer = {
    deliver(envelope, signal) {
      const attempt = { envelope, signal, ...Promise.withResolvers<undefined>() }
      signal.addEventListener('abort', () => attempt.reject(signal.reason))
      attempts.push(attempt)
      return attempt.promise
    }
  }
  return { attempts, deliverer }
}

const dropsOf = (tunnel: Tunnel) => tunnel.stats().drops

t.test("transactions of the server's own SDK", async (t) => {
  t.test('are not written to disk while the provider works, but errors are', async (t) => {
    const provider = await openProvider(t)
    const { tunnel, file } = await openTunnel(t, { providers: [provider] })
    const written = () => statSync(`${file}-wal`).size
    const before = written()
    for (let sent = 1; sent <= 40; sent++) await tunnel.send(provider.dsn, createText('transaction'))
    await provider.has(40)
    t.equal(await tunnel.flush(60_000), true)
    t.equal(written(), before)
    t.match(provider.received[0], { header: { event_id: 'e1'.repeat(16) } })
    t.equal(provider.received[0]!.body.toString(), '{"type":"transaction"}\n{"spans":[]}')
    t.match(tunnel.stats(), { delivered: 40, envelopes: 0, drops: [] })

    await tunnel.send(provider.dsn, createText('event'))
    t.ok(written() > before)
  })

  t.test('are spooled when the attempt fails, with the same key', async (t) => {
    const { attempts, deliverer } = createDeliverer()
    const { tunnel } = await openTunnel(t, { providers: [{ dsn: DSN, deliverer }] })
    await tunnel.send(DSN, createText('transaction'))
    t.equal(attempts.length, 1)
    t.equal(tunnel.stats().envelopes, 0)
    attempts[0]!.reject(new DeliveryFailed('failed', 'out of order'))
    await until(() => attempts.length === 2)
    t.equal(tunnel.stats().envelopes, 1)
    const [first, second] = attempts.map(({ envelope }) => envelope.meta)
    t.match(first!.key, /^[\da-f-]{36}$/)
    t.same(second, first)
    attempts[1]!.resolve(undefined)
    await holds(tunnel, 0)
    t.match(tunnel.stats().providers, [{ attempts: { delivered: 1, failed: 1 } }])
  })

  t.test('are spooled at once while the provider fails', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = await openTunnel(t, { providers: [provider], clock: createClock() })
    provider.conduct(reply(503))
    await tunnel.send(provider.dsn, createText('transaction'))
    await holds(tunnel, 1)
    await tunnel.send(provider.dsn, createText('transaction'))
    t.equal(tunnel.stats().envelopes, 2)
  })

  t.test('wait in the spool while a rate limit lasts', async (t) => {
    const provider = await openProvider(t)
    const clock = createClock()
    const { tunnel } = await openTunnel(t, { providers: [provider], clock })
    provider.conduct(reply(429, { 'x-sentry-rate-limits': '60:transaction:organization' }))
    await tunnel.send(provider.dsn, createText('transaction'))
    await holds(tunnel, 1)
    const { headers } = await tunnel.send(provider.dsn, createText('transaction'))
    t.equal(headers['x-sentry-rate-limits'], '60:transaction:organization')
    t.equal(tunnel.stats().envelopes, 2)
    t.equal(provider.seen.length, 1)
    provider.conduct(reply(200))
    // The queue has requested other categories from the spool; the response is outdated when the limit ends.
    clock.advance(60_000)
    t.equal(await completesWithin(holds(tunnel, 0), 60_000), true)
    t.equal(provider.received.length, 2)
  })

  t.test('are delivered if a rate limit ends while the queue is working', async (t) => {
    const provider = await openProvider(t)
    const clock = createClock()
    let isPassing = false
    // Timers fire a little early, and time passes while the queue works, so the limit ends during its work.
    const precise = {
      ...clock,
      now() {
        if (isPassing) clock.pass(0.5)
        return clock.now()
      },
      after: (ms: number, fn: () => void) => clock.after(Math.floor(ms - 1.5), fn)
    }
    const { tunnel } = await openTunnel(t, { providers: [provider], clock: precise })
    provider.conduct(reply(429, { 'x-sentry-rate-limits': '60:transaction:organization' }))
    await tunnel.send(provider.dsn, createText('transaction'))
    await holds(tunnel, 1)
    provider.conduct(reply(200))
    // By now the queue has requested envelopes from the spool, which has only limited ones.
    await new Promise((resolve) => setTimeout(resolve, 100))
    isPassing = true
    for (let times = 0; times < 200 && provider.received.length === 0; times++) {
      clock.advance(times === 0 ? 59_998 : 10)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    t.equal(provider.received.length, 1)
  })

  t.test('wait in the spool after a 429 that limits another category', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = await openTunnel(t, { providers: [provider], clock: createClock() })
    provider.conduct(reply(429, { 'x-sentry-rate-limits': '60:error:organization' }))
    await tunnel.send(provider.dsn, createText('transaction'))
    await holds(tunnel, 1)
  })

  t.test('are moved from the queue to the spool when a rate limit begins', async (t) => {
    const { attempts, deliverer } = createDeliverer()
    const { tunnel } = await openTunnel(t, {
      providers: [{ dsn: DSN, deliverer, concurrency: 1 }],
      clock: createClock()
    })
    for (let sent = 0; sent < 3; sent++) await tunnel.send(DSN, createText('transaction'))
    t.equal(attempts.length, 1)
    const limits = [{ categories: ['transaction'], duration: 60_000 }]
    attempts[0]!.reject(new DeliveryFailed('limited', 'too many', { limits, answered: true }))
    await holds(tunnel, 3)
    t.equal(attempts.length, 1)
  })

  t.test('are moved from the queue to the spool when the provider fails', async (t) => {
    const attempt = Promise.withResolvers<undefined>()
    const { tunnel } = await openTunnel(t, {
      providers: [{ dsn: DSN, deliverer: { deliver: () => attempt.promise } }],
      clock: createClock()
    })
    for (let sent = 0; sent < 40; sent++) await tunnel.send(DSN, createText('transaction'))
    attempt.reject(new DeliveryFailed('failed', 'out of order'))
    await holds(tunnel, 40)
    t.match(tunnel.stats().providers, [{ breaker: 'open' }])
  })

  t.test('use few connections, and more if the provider responds slowly', async (t) => {
    const { attempts, deliverer } = createDeliverer()
    const clock = createClock()
    const { tunnel } = await openTunnel(t, { providers: [{ dsn: DSN, deliverer, concurrency: 10 }], clock })
    for (let sent = 0; sent < 30; sent++) await tunnel.send(DSN, createText('transaction'))
    t.equal(attempts.length, 4)
    attempts[0]!.resolve(undefined)
    await until(() => attempts.length === 5)
    clock.advance(19)
    t.equal(attempts.length, 5)
    clock.advance(1)
    t.equal(attempts.length, 9)
    clock.advance(20)
    t.equal(attempts.length, 11, 'ten are in progress, the limit of the queue')
    t.equal(tunnel.stats().envelopes, 0)
  })

  t.test('are delivered after an envelope that is in the spool', async (t) => {
    const { attempts, deliverer } = createDeliverer()
    const { tunnel } = await openTunnel(t, { providers: [{ dsn: DSN, deliverer, concurrency: 1 }] })
    await tunnel.send(DSN, createText('transaction'))
    await tunnel.send(DSN, createText('transaction'))
    await put(tunnel, DSN)
    // Waits until the queue has requested the envelope from the spool.
    await sleep(50)
    attempts[0]!.resolve(undefined)
    await until(() => attempts.length === 2)
    attempts[1]!.resolve(undefined)
    await until(() => attempts.length === 3)
    t.same(
      attempts.map(({ envelope }) => envelope.meta.counts),
      [{ transaction: 1 }, { error: 1 }, { transaction: 1 }]
    )
  })

  t.test('are counted and reported when the provider refuses them', async (t) => {
    const provider = await openProvider(t)
    const clock = createClock()
    const { tunnel } = await openTunnel(t, { providers: [provider], clock, reportInterval: 1_000 })
    provider.conduct(reply(400))
    await tunnel.send(provider.dsn, createText('transaction'))
    await until(() => dropsOf(tunnel).length > 0)
    t.same(dropsOf(tunnel), [{ reason: 'send_error', category: 'transaction', quantity: 1 }])
    provider.conduct(reply(200))
    clock.advance(1_000)
    await provider.has(1)
    t.match(JSON.parse(provider.received[0]!.items[0]!.payload.toString()), {
      discarded_events: [{ reason: 'send_error', category: 'transaction', quantity: 1 }]
    })
    t.equal(provider.seen.length, 2)
  })

  t.test('are spooled after 5 s without a response', async (t) => {
    const provider = await openProvider(t)
    const clock = createClock()
    const { tunnel } = await openTunnel(t, {
      providers: [provider],
      clock,
      timeouts: { headers: 30_000, total: 30_000 }
    })
    provider.conduct(neverAnswer)
    await tunnel.send(provider.dsn, createText('transaction'))
    await provider.saw(1)
    clock.advance(4_999)
    await sleep(50)
    t.equal(tunnel.stats().envelopes, 0)
    clock.advance(1)
    await holds(tunnel, 1)
  })

  t.test('are delivered only from the spool after they have waited 5 s in the queue', async (t) => {
    const { attempts, deliverer } = createDeliverer()
    const clock = createClock()
    const { tunnel } = await openTunnel(t, { providers: [{ dsn: DSN, deliverer, concurrency: 1 }], clock })
    await tunnel.send(DSN, createText('transaction'))
    await tunnel.send(DSN, createText('transaction'))
    clock.advance(5_000)
    await holds(tunnel, 2)
    attempts[0]!.resolve(undefined)
    await until(() => attempts.length === 2)
    attempts[1]!.resolve(undefined)
    await until(() => attempts.length === 3)
    attempts[2]!.resolve(undefined)
    await holds(tunnel, 0)
    await sleep(50)
    // The first is delivered twice, because its first attempt was still in progress after 5 s.
    const keys = attempts.map(({ envelope }) => envelope.meta.key)
    t.equal(attempts.length, 3)
    t.equal(new Set(keys).size, 2)
  })

  t.test('are spooled if the queue is full', async (t) => {
    const { attempts, deliverer } = createDeliverer()
    const { tunnel } = await openTunnel(t, { providers: [{ dsn: DSN, deliverer, concurrency: 2 }] })
    for (let sent = 0; sent < 14; sent++) await tunnel.send(DSN, createText('transaction'))
    // Two are in progress, and eight wait.
    await holds(tunnel, 4)
    t.equal(attempts.length, 2)
  })

  t.test('are spooled during a burst', async (t) => {
    const { attempts, deliverer } = createDeliverer()
    const { tunnel } = await openTunnel(t, { providers: [{ dsn: DSN, deliverer }], clock: createClock() })
    await Promise.all(Array.from({ length: 10 }, () => put(tunnel, DSN)))
    await until(() => attempts.length > 0)
    await tunnel.send(DSN, createText('transaction'))
    t.equal(tunnel.stats().envelopes, 11)
  })

  t.test('wait in the queue during a burst, like all other envelopes', async (t) => {
    const { attempts, deliverer } = createDeliverer()
    const clock = createClock()
    const { tunnel } = await openTunnel(t, { providers: [{ dsn: DSN, deliverer }], clock })
    for (let sent = 0; sent < 8; sent++) await tunnel.send(DSN, createText('transaction'))
    await Promise.all(Array.from({ length: 10 }, () => put(tunnel, DSN)))
    // Waits until the queue has requested the envelopes from the spool.
    await sleep(50)
    clock.advance(20)
    t.equal(attempts.length, 4)
  })

  t.test('are spooled until the content of the spool is known', async (t) => {
    const { deliverer } = createDeliverer()
    const { tunnel } = createTunnel(t, { providers: [{ dsn: DSN, deliverer }] })
    await tunnel.send(DSN, createText('transaction'))
    t.equal(tunnel.stats().envelopes, 1)
  })

  t.test('are spooled if the tunnel closes during their delivery, and delivered by the next tunnel', async (t) => {
    const { attempts, deliverer } = createDeliverer()
    const first = await openTunnel(t, { providers: [{ dsn: DSN, deliverer, concurrency: 1 }] })
    await first.tunnel.send(DSN, createText('transaction'))
    await first.tunnel.send(DSN, createText('transaction'))
    await first.tunnel.close()
    t.equal(attempts.length, 1)
    t.equal(attempts[0]!.signal.aborted, true)

    const keys = new Set<unknown>()
    createTunnel(t, {
      file: first.file,
      providers: [{ dsn: DSN, deliverer: { deliver: async ({ meta }) => void keys.add(meta.key) } }]
    })
    await until(() => keys.size === 2)
    t.ok(keys.has(attempts[0]!.envelope.meta.key))
  })

  t.test('are part of what flush waits for', async (t) => {
    const { attempts, deliverer } = createDeliverer()
    const { tunnel } = await openTunnel(t, { providers: [{ dsn: DSN, deliverer }] })
    await tunnel.send(DSN, createText('transaction'))
    t.equal(await tunnel.flush(20), false)
    const flushed = tunnel.flush(60_000)
    attempts[0]!.resolve(undefined)
    t.equal(await flushed, true)
  })

  t.test('are part of what flush waits for when they are moved to the spool', async (t) => {
    const { attempts, deliverer } = createDeliverer()
    const { tunnel } = await openTunnel(t, { providers: [{ dsn: DSN, deliverer }] })
    const flushed = tunnel.flush(60_000)
    await tunnel.send(DSN, createText('transaction'))
    attempts[0]!.reject(new DeliveryFailed('failed', 'out of order'))
    await until(() => attempts.length === 2)
    attempts[1]!.resolve(undefined)
    t.equal(await flushed, true)
  })

  t.test('are counted as dropped if the provider fails and the disk is full', async (t) => {
    const first = Promise.withResolvers<undefined>()
    const others = Promise.withResolvers<undefined>()
    const deliver: Deliverer['deliver'] = ({ meta }) => (meta.counts.transaction ? first : others).promise
    const { tunnel } = await openTunnel(t, { providers: [{ dsn: DSN, deliverer: { deliver } }], maxFileBytes: MIB })
    await tunnel.send(DSN, createText('transaction'))
    for (const size of [50_000, 1_000, 10])
      for (let isFull = false; !isFull;) await put(tunnel, DSN, { size }).catch(() => (isFull = true))
    first.reject(new DeliveryFailed('failed', 'out of order'))
    // Waits until the full spool has refused the transaction.
    await sleep(50)
    others.resolve(undefined)
    await holds(tunnel, 0)
    t.same(dropsOf(tunnel), [{ reason: 'network_error', category: 'transaction', quantity: 1 }])
  })
})

t.test("all other envelopes of the server's SDK are on disk when send resolves", async (t) => {
  const { deliverer } = createDeliverer()
  const { tunnel } = await openTunnel(t, { providers: [{ dsn: DSN, deliverer }] })
  const types = ['event', 'session', 'client_report', 'attachment']
  for (const [index, type] of types.entries()) {
    await tunnel.send(DSN, createText(type))
    t.equal(tunnel.stats().envelopes, index + 1)
  }
})
