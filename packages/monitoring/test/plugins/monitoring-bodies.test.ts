import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { FIXTURE_DSN, inPieces, toEnvelope, tunnelled } from '@hull/test-helpers/envelopes.ts'
import { openTunnel } from '@hull/test-helpers/monitoring.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { exchange, RawClient } from '@hull/test-helpers/raw-client.ts'
import { checkAlive, chunked, EVENT, head, MIB } from '../helpers/tunnel-requests.ts'

t.test('stores every envelope unchanged, in pieces of any size, with and without Content-Length', async (t) => {
  const { port, files } = await openTunnel(t)
  for (const [name, sizes] of [
    ['whole', [Infinity]],
    ['random', Array.from({ length: 50 }, () => Math.ceil(Math.random() * 900))]
  ] as const) {
    const client = await RawClient.open(port)
    const before = files.kept.length
    for (const [i, { bytes }] of tunnelled.entries()) {
      const sent = i % 2 ? head(`Content-Length: ${bytes.length}`) : head('Transfer-Encoding: chunked')
      client.send(sent).send(i % 2 ? bytes : chunked(inPieces(bytes, sizes)))
      await eventually(() => client.text.split('HTTP/1.1 200 OK').length === i + 2)
    }
    client.socket.destroy()
    for (const [i, { name: fixture, rest }] of tunnelled.entries())
      t.ok(files.kept[before + i]!.rest.equals(rest), `${fixture}, ${name}: ${sizes.slice(0, 9).join()}`)
  }
})

t.test('stores every envelope unchanged in chunks of one byte', async (t) => {
  const { port, files } = await openTunnel(t)
  const client = await RawClient.open(port)
  for (const { bytes } of tunnelled) client.send(head('Transfer-Encoding: chunked')).send(chunked(inPieces(bytes, [1])))
  await eventually(() => client.text.split('HTTP/1.1 200 OK').length === tunnelled.length + 1)
  client.socket.destroy()
  // Pipelined requests are stored concurrently.
  const kept = new Set(files.kept.map(({ rest }) => rest.toString('latin1')))
  for (const { name, rest } of tunnelled) t.ok(kept.has(rest.toString('latin1')), name)
})

t.test('stores an envelope whose bytes arrive one by one', async (t) => {
  const { port, files } = await openTunnel(t)
  const client = await RawClient.open(port)
  const bytes = toEnvelope(EVENT)
  client.send(head(`Content-Length: ${bytes.length}`))
  for (const byte of bytes) {
    client.send(Buffer.from([byte]))
    await pause(1)
  }
  await client.until('200 OK')
  client.socket.destroy()
  t.equal(files.kept[0]?.rest.toString(), EVENT)
})

t.test('accepts 20 MiB, and returns 413 for one byte more, with or without Content-Length', async (t) => {
  const tunnel = await openTunnel(t)
  const { port, post, files } = tunnel
  const of = (size: number) => {
    const bytes = toEnvelope('{"type":"attachment"}\n')
    return Buffer.concat([bytes, Buffer.alloc(size - bytes.length, 'x')])
  }
  const largest = of(20 * MIB)
  t.equal((await post(largest)).status, 200)
  t.ok(files.kept[0]!.rest.equals(largest.subarray(largest.indexOf(10) + 1)))
  const response = await post(of(20 * MIB + 1))
  t.equal(response.status, 413)
  t.match(response.headers.get('x-sentry-error'), 'APP_MONITORING_TOO_LARGE: ')
  const withoutLength = await exchange(
    port,
    Buffer.concat([
      Buffer.from(head('Transfer-Encoding: chunked', 'Connection: close')),
      chunked(inPieces(of(20 * MIB + 1), [65_000]))
    ])
  )
  t.equal(withoutLength.status, 413)
  const byLength = await exchange(port, head('Content-Length: 99999999999', 'Connection: close'))
  t.equal(byLength.status, 413, 'a Content-Length above the limit is refused before the body')
  t.equal(files.kept.length, 1)
  t.equal(files.open, 0)
  await checkAlive(tunnel)
})

t.test('refuses a header line of 1 MB and an envelope of a million items', async (t) => {
  const tunnel = await openTunnel(t)
  const long = await tunnel.post(`{"dsn":"${FIXTURE_DSN}","x":"${'x'.repeat(1e6)}"}\n${EVENT}`)
  t.match([long.status, long.headers.get('x-sentry-error')], [400, 'APP_MONITORING_MALFORMED: '])
  const longItem = await tunnel.post(toEnvelope(`{"type":"${'x'.repeat(1e6)}"}\n{}`))
  t.equal(longItem.status, 400)
  const many = await tunnel.post(toEnvelope('{"type":"x"}\n{}\n'.repeat(1e6)))
  t.match([many.status, many.headers.get('x-sentry-error')], [413, 'APP_MONITORING_TOO_LARGE: '])
  t.same(tunnel.files.kept, [])
  await checkAlive(tunnel)
})

t.test('responds to random bodies with a documented status', async (t) => {
  const { port, files, lines } = await openTunnel(t)
  const seen = new Set<number>()
  for (let i = 0; i < 300; i++) {
    const { bytes } = tunnelled[i % tunnelled.length]!
    const body = Buffer.from(bytes.subarray(0, Math.ceil(Math.random() * bytes.length)))
    for (let n = 0; n < i % 4; n++) body[Math.floor(Math.random() * body.length)] = Math.floor(Math.random() * 256)
    const coding = ['identity', 'gzip', 'br', 'zstd', 'x'][i % 5]
    const { status } = await exchange(
      port,
      Buffer.concat([
        Buffer.from(head(`Content-Length: ${body.length}`, `Content-Encoding: ${coding}`, 'Connection: close')),
        body
      ])
    )
    seen.add(status)
  }
  t.same(
    [...seen].filter((status) => ![200, 400, 403, 413, 415].includes(status)),
    []
  )
  t.ok(seen.has(200) && seen.has(400))
  t.equal(files.open, 0)
  t.same(
    lines().filter(({ level }) => level >= 50),
    []
  )
})
