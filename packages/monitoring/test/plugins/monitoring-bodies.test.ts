import { setTimeout as pause } from 'node:timers/promises'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import t from 'tap'
import type { StreamSink } from '../../src/delivery/types.ts'
import { FIXTURE_DSN, inPieces, toEnvelope, tunnelled } from '@hull/test-helpers/envelopes.ts'
import { exchange, parseAnswer, RawClient, request } from '@hull/test-helpers/raw-client.ts'
import { openTunnel } from '@hull/test-helpers/monitoring.ts'

const MIB = 1024 ** 2
const HEADERS = ['Host: localhost', 'Sec-Fetch-Site: same-origin']
const EVENT = '{"type":"event"}\n{}\n'
const CODINGS: Array<[name: string, compress: (bytes: Buffer) => Buffer]> = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync]
]

/** Head of a request on a connection that is kept open. */
const head = (...headers: string[]) => `${['POST /monitoring HTTP/1.1', ...HEADERS, ...headers].join('\r\n')}\r\n\r\n`
const chunked = (pieces: Iterable<Buffer>) =>
  Buffer.concat([
    ...[...pieces].flatMap((piece) => [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n')
  ])
type Tunnel = Awaited<ReturnType<typeof openTunnel>>

/** Waits for something that a client cannot see, such as the deletion of a file. */
async function until(isTrue: () => boolean | Promise<boolean>) {
  while (!(await isTrue())) await pause(5)
}

/** Another visitor still gets an answer. */
async function checkAlive({ post, files }: Tunnel) {
  const before = files.kept.length
  const { status } = await post(toEnvelope(EVENT))
  if (status !== 200 || files.kept.length !== before + 1) throw new Error(`${status}`)
}

t.test(
  'every envelope passes byte by byte through a socket, in pieces of any size, with and without a length',
  async (t) => {
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
        await until(() => client.text.split('HTTP/1.1 200 OK').length === i + 2)
      }
      client.socket.destroy()
      for (const [i, { name: fixture, rest }] of tunnelled.entries())
        t.ok(files.kept[before + i]!.rest.equals(rest), `${fixture}, ${name}: ${sizes.slice(0, 9).join()}`)
    }
  }
)

t.test('every envelope passes byte by byte, one byte at a time', async (t) => {
  const { port, files } = await openTunnel(t)
  const client = await RawClient.open(port)
  for (const { bytes } of tunnelled) client.send(head('Transfer-Encoding: chunked')).send(chunked(inPieces(bytes, [1])))
  await until(() => client.text.split('HTTP/1.1 200 OK').length === tunnelled.length + 1)
  client.socket.destroy()
  // Pipelined requests are stored concurrently.
  const kept = new Set(files.kept.map(({ rest }) => rest.toString('latin1')))
  for (const { name, rest } of tunnelled) t.ok(kept.has(rest.toString('latin1')), name)
})

t.test('single bytes that come one by one are one envelope', async (t) => {
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

t.test('every envelope passes in each coding', async (t) => {
  const { post, files } = await openTunnel(t)
  for (const [coding, compress] of CODINGS) {
    const before = files.kept.length
    for (const { bytes } of tunnelled)
      t.equal((await post(compress(bytes), { 'content-encoding': coding })).status, 200, coding)
    for (const [i, { name, rest }] of tunnelled.entries())
      t.ok(files.kept[before + i]!.rest.equals(rest), `${name}, ${coding}`)
  }
  for (const coding of ['identity', 'GZIP', ''])
    t.equal(
      (await post(coding === 'GZIP' ? gzipSync(toEnvelope(EVENT)) : toEnvelope(EVENT), { 'content-encoding': coding }))
        .status,
      200
    )
})

t.test('a coding that is unknown, or on top of another, is 415 and says what is understood', async (t) => {
  const tunnel = await openTunnel(t)
  for (const coding of [
    'gzip, gzip',
    'gzip, identity',
    'compress',
    'nonsense',
    '__proto__',
    'constructor',
    'x'.repeat(4_000)
  ]) {
    const response = await tunnel.post(toEnvelope(EVENT), { 'content-encoding': coding })
    t.equal(response.status, 415, coding.slice(0, 20))
    t.equal(response.headers.get('accept-encoding'), 'gzip, deflate, br, zstd')
    t.match(response.headers.get('x-sentry-error'), 'APP_MONITORING_CODING: ')
  }
  t.same(tunnel.files.files, [])
})

t.test('a body that is cut, or not encoded as declared, is 400 and stores nothing', async (t) => {
  const tunnel = await openTunnel(t)
  const bytes = toEnvelope(`{"type":"attachment"}\n${'Xy7'.repeat(30_000)}`)
  for (const [coding, compress] of CODINGS) {
    const whole = compress(bytes)
    const damaged = Buffer.from(whole)
    damaged.fill(0xff, Math.floor(whole.length / 2))
    for (const body of [bytes, whole.subarray(0, -1), whole.subarray(0, 20), damaged, Buffer.alloc(0)]) {
      const response = await tunnel.post(body, { 'content-encoding': coding })
      t.equal(response.status, 400, `${coding} of ${body.length} bytes`)
      t.match(response.headers.get('x-sentry-error'), 'APP_MONITORING_MALFORMED: ')
    }
  }
  t.equal((await tunnel.post(deflateRawSync(bytes), { 'content-encoding': 'deflate' })).status, 400)
  t.same(tunnel.files.kept, [])
  t.equal(tunnel.files.open, 0)
  await checkAlive(tunnel)
})

t.test('a bomb is cut while it inflates: 413, and nothing is kept', async (t) => {
  const tunnel = await openTunnel(t)
  const bomb = toEnvelope(Buffer.concat([Buffer.from('{"type":"attachment"}\n'), Buffer.alloc(60 * MIB, 'x')]))
  for (const [coding, compress] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdCompressSync]
  ] as const) {
    const before = tunnel.files.aborted
    const response = await tunnel.post(compress(bomb), { 'content-encoding': coding })
    t.equal(response.status, 413, coding)
    t.match(response.headers.get('x-sentry-error'), 'APP_MONITORING_TOO_LARGE: ')
    t.equal(tunnel.files.aborted, before + 1)
  }
  await until(() => tunnel.files.files.length === 0)
  await checkAlive(tunnel)
})

t.test('a body that inflates to nothing for ever is cut', async (t) => {
  const { port } = await openTunnel(t)
  const client = await RawClient.open(port)
  // An empty stored block (RFC 1951 §3.2.4), which is never the last one.
  const blocks = Buffer.alloc(5 * 60_000, Buffer.from([0, 0, 0, 0xff, 0xff]))
  client.send(head('Content-Encoding: gzip', 'Transfer-Encoding: chunked'))
  client
    .send(Buffer.from(`a\r\n`))
    .send(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]))
    .send('\r\n')
  for (let sent = 0; sent <= 20 * MIB + 65_536; sent += blocks.length)
    client
      .send(`${blocks.length.toString(16)}\r\n`)
      .send(blocks)
      .send('\r\n')
  await client.until('APP_MONITORING_TOO_LARGE')
  t.match(parseAnswer(client.text), { status: 413 })
  client.socket.destroy()
})

t.test('a zstd body that needs a window past 8 MiB is refused', async (t) => {
  const { post } = await openTunnel(t)
  const bytes = toEnvelope(`{"type":"attachment"}\n${'x'.repeat(10 * MIB)}`)
  for (const [log, status] of [
    [23, 200],
    [27, 400]
  ] as const) {
    const body = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_windowLog]: log } })
    t.equal((await post(body, { 'content-encoding': 'zstd' })).status, status, `2^${log}`)
  }
})

t.test('accepts 20 MiB and answers 413 to one byte more, with or without Content-Length', async (t) => {
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
  const untold = await exchange(
    port,
    Buffer.concat([
      Buffer.from(head('Transfer-Encoding: chunked', 'Connection: close')),
      chunked(inPieces(of(20 * MIB + 1), [65_000]))
    ])
  )
  t.equal(untold.status, 413)
  const far = await exchange(port, head('Content-Length: 99999999999', 'Connection: close'))
  t.equal(far.status, 413, 'by its length, before a byte of it')
  t.equal(files.kept.length, 1)
  t.equal(files.open, 0)
  await checkAlive(tunnel)
})

t.test('a client that never stops after it was refused is cut', async (t) => {
  const { port } = await openTunnel(t)
  const client = await RawClient.open(port)
  client.send(head('Transfer-Encoding: chunked'))
  const piece = `10000\r\n${'x'.repeat(65_536)}\r\n`
  let sent = 0
  const over = client.closed.then(() => true)
  while (sent < 100 * MIB && !(await Promise.race([over, pause(0, false)]))) {
    client.send(piece)
    sent += piece.length
  }
  await client.closed
  t.ok(sent < 100 * MIB, `${sent} bytes`)
})

t.test('a header line of 1 MB and a million items are refused', async (t) => {
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

t.test('a refusal leaves the connection as it was: the next envelope on it is taken', async (t) => {
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

t.test('envelopes that are pipelined are answered in their order', async (t) => {
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

t.test("a length that is not the envelope's own ends cleanly", async (t) => {
  const tunnel = await openTunnel(t)
  const { port, files } = tunnel
  const bytes = toEnvelope('{"type":"event","length":20}\n01234567890123456789')
  const short = await exchange(port, Buffer.concat([Buffer.from(head(`Content-Length: ${bytes.length - 5}`)), bytes]))
  t.equal(short.status, 400, 'the rest is no request either')
  for (const headers of [['Content-Length: 10', 'Content-Length: 11'], ['Content-Length: x'], ['Transfer-Encoding: x']])
    t.equal((await exchange(port, request('POST /monitoring HTTP/1.1', [...HEADERS, ...headers], 'x'))).status, 400)
  const none = await exchange(port, request('POST /monitoring HTTP/1.1', HEADERS))
  t.match([none.status, none.headers['x-sentry-error']], [400, 'APP_MONITORING_MALFORMED: '], 'no body at all')
  t.same(files.kept, [])
  await checkAlive(tunnel)
})

for (const coding of ['identity', 'gzip'])
  t.test(`a client that leaves halfway stores nothing (${coding})`, async (t) => {
    const tunnel = await openTunnel(t)
    const { port, files, counted, lines } = tunnel
    const bytes = toEnvelope(`{"type":"attachment"}\n${Array.from({ length: 200_000 }, () => Math.random()).join()}`)
    const body = coding === 'gzip' ? gzipSync(bytes) : bytes
    for (const part of [0, 50_000, body.length - 1]) {
      const gone = await counted('gone', 'APP_CLIENT_GONE')
      const client = await RawClient.open(port)
      client.send(head(`Content-Length: ${body.length}`, `Content-Encoding: ${coding}`)).send(body.subarray(0, part))
      await until(() => part === 0 || files.open === 1)
      if (part === 0) await pause(50)
      client.socket.destroy()
      await until(async () => (await counted('gone', 'APP_CLIENT_GONE')) === gone + 1)
    }
    await until(() => files.files.length === 0)
    t.equal(files.open, 0)
    t.equal(files.aborted, 2)
    t.same(lines(), [], 'and nothing is said of it')
    await checkAlive(tunnel)
  })

for (const coding of ['identity', 'gzip'])
  t.test(`a client that leaves after its last byte has its envelope stored (${coding})`, async (t) => {
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
    await until(() => commits === 1)
    client.socket.resetAndDestroy()
    await pause(50)
    leave()
    await until(async () => (await tunnel.counted('accepted')) === 1)
    t.equal(await tunnel.counted('gone', 'APP_CLIENT_GONE'), 0)
    t.equal((await tunnel.post(toEnvelope(EVENT))).status, 200)
  })

t.test("a body that trickles in is ended by the server's patience, and stores nothing", async (t) => {
  const tunnel = await openTunnel(t, {
    server: { requestTimeout: 500 },
    prepare: ({ server }) => Object.assign(server, { connectionsCheckingInterval: 50, headersTimeout: 500 })
  })
  const client = await RawClient.open(tunnel.port)
  const bytes = toEnvelope(EVENT.repeat(100))
  client.send(head(`Content-Length: ${bytes.length}`))
  const over = client.closed.then(() => true)
  for (const byte of bytes) {
    client.send(Buffer.from([byte]))
    if (await Promise.race([over, pause(5, false)])) break
  }
  t.equal((await client.answer()).status, 408)
  await until(async () => (await tunnel.counted('gone', 'APP_CLIENT_GONE')) === 1)
  t.same(tunnel.files.kept, [])
  await checkAlive(tunnel)
})

t.test('anything at all is answered with one of the statuses that are documented', async (t) => {
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
