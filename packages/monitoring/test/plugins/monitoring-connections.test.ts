import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { toEnvelope } from '@hull/test-helpers/envelopes.ts'
import { openTunnel } from '@hull/test-helpers/monitoring.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { exchange, RawClient, request } from '@hull/test-helpers/raw-client.ts'
import type { StreamSink } from '../../src/delivery/envelope-sink.ts'
import { checkAlive, EVENT, head, HEADERS, MIB } from '../helpers/tunnel-requests.ts'

t.test('closes the connection of a client that continues to send after a refusal', async (t) => {
  const { port } = await openTunnel(t)
  const client = await RawClient.open(port)
  client.send(head('Transfer-Encoding: chunked'))
  const piece = `10000\r\n${'x'.repeat(65_536)}\r\n`
  let sent = 0
  const closed = client.closed.then(() => true)
  while (sent < 100 * MIB && !(await Promise.race([closed, pause(0, false)]))) {
    client.send(piece)
    sent += piece.length
  }
  await client.closed
  t.ok(sent < 100 * MIB, `${sent} bytes`)
})

t.test('accepts the next envelope on a connection after a refusal', async (t) => {
  const { port, files } = await openTunnel(t)
  const client = await RawClient.open(port)
  const bad = `nonsense\n${'x'.repeat(300_000)}`
  const good = toEnvelope(EVENT)
  client.send(head(`Content-Length: ${bad.length}`)).send(bad)
  await client.until('APP_MONITORING_MALFORMED')
  client.send(head(`Content-Length: ${good.length}`)).send(good)
  await client.until('200 OK')
  client.socket.destroy()
  t.equal(files.kept.length, 1)
})

t.test('responds to pipelined envelopes in their order', async (t) => {
  const { port, files } = await openTunnel(t)
  const good = toEnvelope(EVENT)
  const all = [good, Buffer.from('secret'), good, toEnvelope(EVENT, { dsn: 'https://key@foreign.example/1' })]
  const client = await RawClient.open(port)
  client.send(Buffer.concat(all.flatMap((bytes) => [Buffer.from(head(`Content-Length: ${bytes.length}`)), bytes])))
  const text = await client.until('APP_MONITORING_FOREIGN_DSN')
  t.same(text.match(/(?<=HTTP\/1\.1 )\d+/g), ['200', '400', '200', '403'])
  t.equal(files.kept.length, 2)
  client.socket.destroy()
})

t.test('returns 400 for a wrong Content-Length or an invalid Transfer-Encoding', async (t) => {
  const tunnel = await openTunnel(t)
  const { port, files } = tunnel
  const bytes = toEnvelope('{"type":"event","length":20}\n01234567890123456789')
  const short = await exchange(port, Buffer.concat([Buffer.from(head(`Content-Length: ${bytes.length - 5}`)), bytes]))
  t.equal(short.status, 400, 'Content-Length is too small')
  for (const headers of [['Content-Length: 10', 'Content-Length: 11'], ['Content-Length: x'], ['Transfer-Encoding: x']])
    t.equal((await exchange(port, request('POST /monitoring HTTP/1.1', [...HEADERS, ...headers], 'x'))).status, 400)
  const none = await exchange(port, request('POST /monitoring HTTP/1.1', HEADERS))
  t.match(
    [none.status, none.headers['x-sentry-error']],
    [400, 'APP_MONITORING_MALFORMED: '],
    'a request without a body'
  )
  t.same(files.kept, [])
  await checkAlive(tunnel)
})

for (const coding of ['identity', 'gzip'])
  t.test(`stores nothing of a client that disconnects before its last byte (${coding})`, async (t) => {
    const tunnel = await openTunnel(t)
    const { port, files, counted, lines } = tunnel
    const bytes = toEnvelope(`{"type":"attachment"}\n${Array.from({ length: 200_000 }, () => Math.random()).join()}`)
    const body = coding === 'gzip' ? gzipSync(bytes) : bytes
    for (const part of [0, 50_000, body.length - 1]) {
      const gone = await counted('gone', 'APP_CLIENT_GONE')
      const client = await RawClient.open(port)
      client.send(head(`Content-Length: ${body.length}`, `Content-Encoding: ${coding}`)).send(body.subarray(0, part))
      await eventually(() => part === 0 || files.open === 1)
      if (part === 0) await pause(50)
      client.socket.destroy()
      await eventually(async () => (await counted('gone', 'APP_CLIENT_GONE')) === gone + 1)
    }
    await eventually(() => files.files.length === 0)
    t.equal(files.open, 0)
    t.equal(files.aborted, 2)
    t.same(lines(), [], 'nothing is logged')
    await checkAlive(tunnel)
  })

for (const coding of ['identity', 'gzip'])
  t.test(`stores the envelope of a client that disconnects after its last byte (${coding})`, async (t) => {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    let commits = 0
    const sink: StreamSink = {
      begin: () => ({
        write: () => undefined,
        commit: async () => {
          commits++
          await left
        },
        abort: () => {}
      }),
      rateLimits: () => undefined
    }
    const tunnel = await openTunnel(t, { sink })
    const body = coding === 'gzip' ? gzipSync(toEnvelope(EVENT)) : toEnvelope(EVENT)
    const client = await RawClient.open(tunnel.port)
    client.send(head(`Content-Length: ${body.length}`, `Content-Encoding: ${coding}`)).send(body)
    await eventually(() => commits === 1)
    client.socket.resetAndDestroy()
    await pause(50)
    leave()
    await eventually(async () => (await tunnel.counted('accepted')) === 1)
    t.equal(await tunnel.counted('gone', 'APP_CLIENT_GONE'), 0)
    t.equal((await tunnel.post(toEnvelope(EVENT))).status, 200)
  })

t.test("returns 408 and stores nothing for a body that is slower than the server's request timeout", async (t) => {
  const tunnel = await openTunnel(t, {
    server: { requestTimeout: 500 },
    prepare: ({ server }) => Object.assign(server, { connectionsCheckingInterval: 50, headersTimeout: 500 })
  })
  const client = await RawClient.open(tunnel.port)
  const bytes = toEnvelope(EVENT.repeat(100))
  client.send(head(`Content-Length: ${bytes.length}`))
  const closed = client.closed.then(() => true)
  for (const byte of bytes) {
    client.send(Buffer.from([byte]))
    if (await Promise.race([closed, pause(5, false)])) break
  }
  t.equal((await client.answer()).status, 408)
  await eventually(async () => (await tunnel.counted('gone', 'APP_CLIENT_GONE')) === 1)
  t.same(tunnel.files.kept, [])
  await checkAlive(tunnel)
})
