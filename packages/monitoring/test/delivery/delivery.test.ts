import { join } from 'node:path'
import t from 'tap'
import { createClock } from '@hull/test-helpers/clock.ts'
import { openForwardProxy } from '@hull/test-helpers/forward-proxy.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import {
  accept,
  acceptLate,
  answerForEver,
  inTurn,
  neverAnswer,
  openProvider,
  reply,
  resetInHeaders,
  type Conduct
} from '@hull/test-helpers/provider.ts'
import { createTunnel, holds, put, until } from '@hull/test-helpers/tunnel.ts'

t.test('delivery', async (t) => {
  t.test('posts an unchanged envelope to the address in the DSN', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider] })
    const sample = await put(tunnel, provider.dsn, { clientAddress: '203.0.113.7' })
    await provider.has(1)
    const [envelope] = provider.received
    t.match(envelope, {
      method: 'POST',
      url: '/api/7/envelope/',
      header: { event_id: sample.meta.header.event_id, dsn: provider.dsn },
      headers: {
        'content-type': 'application/x-sentry-envelope',
        'x-sentry-auth': /^Sentry sentry_version=7, sentry_client=hull\/[\d.]+, sentry_key=key$/,
        'x-sentry-forwarded-for': '203.0.113.7'
      }
    })
    t.ok(envelope!.body.equals(sample.body))
    t.notOk('cookie' in envelope!.headers || 'authorization' in envelope!.headers)
    await holds(tunnel, 0)
    t.match(tunnel.stats(), { delivered: 1, providers: [{ provider: `${provider.origin.slice(7)}/7` }] })
  })

  t.test('uses the proxy of the environment', async (t) => {
    const { requests } = await openForwardProxy(t)
    const [plain, secure] = ['http://key@provider.invalid/7', 'https://key@provider.invalid/8']
    const { tunnel } = createTunnel(t, { providers: [{ dsn: plain }, { dsn: secure }] })
    await put(tunnel, plain)
    await holds(tunnel, 0)
    t.same(requests, ['POST http://provider.invalid/api/7/envelope/'])
    await put(tunnel, secure)
    await until(() => requests.length > 1)
    t.equal(requests[1], 'CONNECT provider.invalid:443')
  })

  t.test('omits a client address that is not valid in a header', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider] })
    await put(tunnel, provider.dsn, { clientAddress: '1.2.3.4\r\nx-evil: 1' })
    await provider.has(1)
    t.notOk('x-sentry-forwarded-for' in provider.received[0]!.headers)
  })

  t.test("sends the time of the client's clock at the attempt", async (t) => {
    const provider = await openProvider(t)
    const clock = createClock(Date.parse('2026-05-01T12:00:00Z'))
    const { tunnel } = createTunnel(t, { providers: [provider], clock })
    provider.conduct(inTurn(reply(500), accept))
    // The client's clock is an hour behind.
    const sentAt = Date.parse('2026-05-01T11:00:00Z')
    await put(tunnel, provider.dsn, { sentAt, receivedAt: clock.now() })
    await provider.saw(1)
    t.equal(provider.seen[0]!.header.sent_at, '2026-05-01T11:00:00.000Z')
    await until(() => tunnel.stats().providers[0]!.attempts.failed === 1)
    clock.advance(7_200_000)
    await provider.has(1)
    t.equal(provider.received[0]!.header.sent_at, '2026-05-01T13:00:00.000Z')
  })

  t.test('adds no time if the client sent none, or an invalid one', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider] })
    await put(tunnel, provider.dsn)
    await put(tunnel, provider.dsn, { sentAt: 9e15 })
    await provider.has(2)
    for (const { header } of provider.received) t.notOk('sent_at' in header)
  })

  t.test('drops and counts envelopes that the provider refuses', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider] })
    for (const status of [400, 401, 403, 404, 413, 422]) {
      provider.conduct(reply(status))
      await put(tunnel, provider.dsn)
      await until(() => tunnel.stats().providers[0]!.attempts.refused > 0)
      await holds(tunnel, 0)
    }
    t.strictSame(tunnel.stats().drops, [{ reason: 'send_error', category: 'error', quantity: 6 }])
    t.equal(provider.seen.length, 6)
  })

  t.test('logs why the provider refuses envelopes, once for each reason', async (t) => {
    const provider = await openProvider(t)
    const { tunnel, providerLines: lines } = createTunnel(t, { providers: [provider] })
    for (const [index, status] of [401, 401, 413].entries()) {
      provider.conduct(reply(status))
      await put(tunnel, provider.dsn)
      await provider.saw(index + 1)
      await holds(tunnel, 0)
    }
    const message = 'the provider refused an envelope: it is dropped'
    const label = `${provider.origin.slice(7)}/7`
    t.strictSame(lines, [
      { level: 'warn', message, details: { provider: label, reason: 'answered 401' } },
      { level: 'warn', message, details: { provider: label, reason: 'answered 413' } }
    ])
  })

  t.test('logs once that the provider fails, and once that it works again', async (t) => {
    const provider = await openProvider(t)
    const { tunnel, providerLines: lines } = createTunnel(t, { providers: [provider] })
    provider.conduct(reply(502))
    for (let count = 0; count < 8; count++) await put(tunnel, provider.dsn)
    await until(() => lines.length > 0)
    provider.conduct(accept)
    await holds(tunnel, 0)
    const label = `${provider.origin.slice(7)}/7`
    t.strictSame(lines, [
      {
        level: 'warn',
        message: 'envelopes cannot be delivered: they wait',
        details: { provider: label, reason: 'answered 502' }
      },
      { level: 'info', message: 'envelopes are delivered again', details: { provider: label } }
    ])
  })

  t.test('drops a large envelope that the provider refuses before it has read all of it', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider] })
    provider.answerEarly((response) => response.writeHead(413, { connection: 'close' }).end())
    await put(tunnel, provider.dsn, { size: 900_000 })
    await holds(tunnel, 0)
    t.match(tunnel.stats().drops, [{ reason: 'send_error', quantity: 1 }])
  })

  t.test('retries after a server error, a redirect, a reset or a missing response', async (t) => {
    const elsewhere = await openProvider(t)
    const folder = createFolder(t)
    const failures = [
      reply(500),
      reply(503, { 'retry-after': '0' }),
      reply(307, { location: `${elsewhere.origin}/api/7/envelope/` }),
      resetInHeaders,
      neverAnswer
    ]
    const tryFailure = async (failure: Conduct) => {
      const provider = await openProvider(t)
      const file = join(folder, `${failures.indexOf(failure)}.db`)
      const { tunnel } = createTunnel(t, { providers: [provider], file })
      provider.conduct(inTurn(failure, failure, accept))
      const { body } = await put(tunnel, provider.dsn, { size: 700_000 })
      await provider.has(1)
      t.ok(provider.received[0]!.body.equals(body))
      await holds(tunnel, 0)
      t.same(tunnel.stats().providers[0]!.attempts, { delivered: 1, refused: 0, limited: 0, failed: 2 })
    }
    await Promise.all(failures.map(tryFailure))
    t.equal(elsewhere.seen.length, 0)
  })

  t.test('does not wait for the body of a response', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [{ dsn: provider.dsn, concurrency: 1 }] })
    provider.conduct(inTurn(answerForEver, accept))
    await put(tunnel, provider.dsn)
    await put(tunnel, provider.dsn)
    await provider.has(1)
    await holds(tunnel, 0)
    t.equal(tunnel.stats().delivered, 2)
  })

  t.test('has no more pending requests than `concurrency` allows', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [{ dsn: provider.dsn, concurrency: 3 }] })
    let open = 0
    let peak = 0
    provider.conduct((response, envelope) => {
      peak = Math.max(peak, ++open)
      response.on('finish', () => open--)
      acceptLate(5)(response, envelope)
    })
    await Promise.all(Array.from({ length: 40 }, () => put(tunnel, provider.dsn)))
    await holds(tunnel, 0)
    t.equal(peak, 3)
    t.equal(provider.received.length, 40)
  })

  t.test('does not delay other envelopes because one envelope always fails', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider] })
    const failing = await put(tunnel, provider.dsn)
    const isFailing = ({ event_id: id }: Record<string, unknown>) => id === failing.meta.header.event_id
    provider.conduct((response, envelope) => (isFailing(envelope.header) ? reply(500) : accept)(response, envelope))
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 10 }, () => put(tunnel, provider.dsn)))
      await provider.has(10 * (round + 1))
    }
    t.equal(tunnel.stats().providers[0]!.breaker, 'closed')
    t.ok(provider.seen.length - provider.received.length < 40, 'the failing envelope is retried at growing intervals')
  })
})
