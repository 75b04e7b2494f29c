import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync
} from 'node:zlib'
import t from 'tap'
import { toEnvelope, tunnelled } from '@hull/test-helpers/envelopes.ts'
import { openTunnel } from '@hull/test-helpers/monitoring.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { parseAnswer, RawClient } from '@hull/test-helpers/raw-client.ts'
import { checkAlive, EVENT, head, MIB } from '../helpers/tunnel-requests.ts'

const CODINGS: Array<[name: string, compress: (bytes: Buffer) => Buffer]> = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync]
]

t.test('stores every envelope unchanged in each content coding', async (t) => {
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

t.test('returns 415 with the accepted codings for an unknown coding or several codings', async (t) => {
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

t.test('returns 400 and stores nothing for a truncated body, or a body in another coding than declared', async (t) => {
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

t.test('returns 400 for a body that its decoder does not read completely, so that no item is lost', async (t) => {
  const tunnel = await openTunnel(t)
  // Node decodes all members of gzip, and from version 26 all frames of zstd. Of the other codings it decodes one stream.
  const two = zstdDecompressSync(Buffer.concat([zstdCompressSync('1'), zstdCompressSync('2')]))
  const whole = new Set(['gzip', 'x-gzip', ...(two.length === 2 ? ['zstd'] : [])])
  for (const [coding, compress] of CODINGS) {
    const first = compress(toEnvelope(EVENT))
    const response = await tunnel.post(Buffer.concat([first, compress(Buffer.from(EVENT))]), {
      'content-encoding': coding
    })
    t.equal(response.status, whole.has(coding) ? 200 : 400, coding)
  }
  t.same(
    tunnel.files.kept.map(({ rest }) => rest.toString()),
    Array.from(whole, () => EVENT + EVENT)
  )
})

t.test('returns 413 and stores nothing for a decompression bomb', async (t) => {
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
  await eventually(() => tunnel.files.files.length === 0)
  await checkAlive(tunnel)
})

t.test('returns 413 for an endless body that decompresses to nothing', async (t) => {
  const { port } = await openTunnel(t)
  const client = await RawClient.open(port)
  // An empty stored block (RFC 1951 §3.2.4), which is not marked as the last block.
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

t.test('refuses a zstd body with a window above 8 MiB', async (t) => {
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
