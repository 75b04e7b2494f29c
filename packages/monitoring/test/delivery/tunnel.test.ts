import { renameSync } from 'node:fs'
import t from 'tap'
import { DeliveryFailed, type Deliverer, type SpooledEnvelope } from '../../src/delivery/deliverer.ts'
import { createClock } from '@hull/test-helpers/clock.ts'
import { neverAnswer, openProvider, reply } from '@hull/test-helpers/provider.ts'
import { createTunnel, holds, put, until } from '@hull/test-helpers/tunnel.ts'

const ID = 'e1'.repeat(16)

const lines = (...values: unknown[]) =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n')

t.test('send', async (t) => {
  t.test(
    "accepts an envelope of the server's own SDK, and returns the response that its transport expects",
    async (t) => {
      const provider = await openProvider(t)
      const { tunnel } = createTunnel(t, { providers: [provider] })
      const items = lines({ type: 'event' }, '{"message":"häh"}', { type: 'attachment', length: 3 }, 'a\nb')
      const text = lines({ event_id: ID, sent_at: '2026-05-01T12:00:00.000Z' }, items)
      t.same(await tunnel.send(provider.dsn, text), {
        statusCode: 200,
        headers: { 'x-sentry-rate-limits': null, 'retry-after': null }
      })
      await tunnel.send(provider.dsn, Buffer.from(text))
      await provider.has(2)
      for (const { header, body } of provider.received) {
        t.match(header, { event_id: ID, sent_at: /^2026-05-01T12:00:/ })
        t.equal(body.toString(), items)
      }
    }
  )

  t.test('counts items by category, and returns rate limits', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider], clock: createClock() })
    provider.conduct(reply(400, { 'x-sentry-rate-limits': '60:span:key' }))
    const text = lines(
      {},
      { type: 'event', length: 2 },
      '{}',
      { type: 'log', item_count: 7, length: 3 },
      '[\n]',
      { type: 'sessions' },
      '{}',
      ''
    )
    await tunnel.send(provider.dsn, text)
    await holds(tunnel, 0)
    t.same(Object.fromEntries(tunnel.stats().drops.map(({ category, quantity }) => [category, quantity])), {
      error: 1,
      log_item: 7,
      session: 1
    })
    const { headers } = await tunnel.send(provider.dsn, text)
    t.equal(headers['x-sentry-rate-limits'], '60:span:organization')
  })

  t.test('refuses a foreign DSN and a malformed envelope', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider] })
    await t.rejects(tunnel.send('https://key@else.example/1', '{}\n'), TypeError)
    await t.rejects(tunnel.send(provider.dsn, 'nothing'), { code: 'APP_MONITORING_MALFORMED' })
    await t.rejects(tunnel.send(provider.dsn, '{}\n[}\n{}'), { code: 'APP_MONITORING_MALFORMED' })
    t.equal(tunnel.stats().envelopes, 0)
  })
})

t.test('flush', async (t) => {
  t.test('resolves with true when everything is delivered', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider] })
    await Promise.all(Array.from({ length: 100 }, () => put(tunnel, provider.dsn)))
    t.equal(await tunnel.flush(60_000), true)
    t.equal(provider.received.length, 100)
  })

  t.test('does not wait for a provider that fails or limits, nor longer than its timeout', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider], clock: createClock() })
    provider.conduct(reply(429))
    await put(tunnel, provider.dsn)
    t.equal(await tunnel.flush(25_000), false)
    t.equal(tunnel.stats().envelopes, 1)

    const silent = await openProvider(t)
    const other = createTunnel(t, { providers: [silent], timeouts: { headers: 60_000, total: 60_000 } })
    silent.conduct(neverAnswer)
    await put(other.tunnel, silent.dsn)
    t.equal(await other.tunnel.flush(20), false)
    await other.tunnel.close()
  })
})

t.test('a custom deliverer', async (t) => {
  const dsn = 'http://key@inbox.local/1'
  const open = (t: Test, deliver: Deliverer['deliver']) =>
    createTunnel(t, { providers: [{ dsn, deliverer: { deliver } }] })
  type Test = Parameters<typeof createTunnel>[0]

  t.test('removes the envelope from the spool only when it resolves', async (t) => {
    const done = Promise.withResolvers<undefined>()
    const bodies: Buffer[] = []
    const { tunnel } = open(t, async (envelope: SpooledEnvelope) => {
      for await (const chunk of envelope.body()) bodies.push(Buffer.from(chunk))
      t.equal(envelope.size, Buffer.concat(bodies).length)
      return done.promise
    })
    const { body } = await put(tunnel, dsn, { size: 600_000 })
    await until(() => Buffer.concat(bodies).equals(body))
    t.equal(tunnel.stats().envelopes, 1)
    done.resolve(undefined)
    await holds(tunnel, 0)
  })

  t.test('receives the same key of an envelope at each attempt, also in another process', async (t) => {
    const keys: unknown[] = []
    const deliver = async ({ meta }: SpooledEnvelope) => {
      keys.push(meta.key)
      throw new Error('ended before the delivery was confirmed')
    }
    const first = open(t, deliver)
    const { file } = first
    await Promise.all([put(first.tunnel, dsn), put(first.tunnel, dsn)])
    await until(() => keys.length >= 3)
    await first.tunnel.close()
    const earlier = new Set(keys.splice(0))
    // The name of the file is that of another process, from which the next tunnel takes over the envelopes.
    renameSync(file, file.replace(/\.db$/, '.2.db'))
    createTunnel(t, { file, providers: [{ dsn, deliverer: { deliver } }] })
    await until(() => new Set(keys).size === 2)
    t.same(new Set(keys), earlier)
    t.match([...earlier], [/^[\da-z-]{10,}$/, /^[\da-z-]{10,}$/])
  })

  t.test('is called again after it throws an error, and drops an envelope that it refuses', async (t) => {
    let attempts = 0
    const { tunnel } = open(t, async (envelope: SpooledEnvelope) => {
      if (++attempts < 3) throw new Error('busy')
      t.ok(envelope.attempts > 0)
      throw new DeliveryFailed('refused', 'not mine')
    })
    await put(tunnel, dsn)
    await holds(tunnel, 0)
    t.equal(attempts, 3)
    t.match(tunnel.stats(), { drops: [{ reason: 'send_error' }], providers: [{ attempts: { failed: 2, refused: 1 } }] })
  })
})

t.test('refuses to open for a malformed DSN', async (t) => {
  t.throws(() => createTunnel(t, { providers: [{ dsn: 'https://nothing' }] }), TypeError)
})
