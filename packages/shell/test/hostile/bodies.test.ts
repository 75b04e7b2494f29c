import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { preParsingHookHandler } from 'fastify'
import t from 'tap'
import { RawClient, request } from '@hull/test-helpers/raw-client.ts'
import { openTarget } from '@hull/test-helpers/target.ts'

const HOST = 'Host: localhost'
const FORM = 'Content-Type: application/x-www-form-urlencoded'

/** Returns a POST request with the length of its body. */
function post(body: string | Buffer, headers: string[] = [FORM], path = '/form') {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body
  const head = request(`POST ${path} HTTP/1.1`, [HOST, ...headers, `Content-Length: ${bytes.length}`])
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

t.test('an invalid length, or two lengths, are 400', async (t) => {
  const { send } = await openTarget(t)
  for (const headers of [
    ['Content-Length: abc'],
    ['Content-Length: -1'],
    ['Content-Length: 1e3'],
    ['Content-Length: 0x10'],
    ['Content-Length: +4'],
    ['Content-Length:'],
    ['Content-Length: 4, 4'],
    ['Content-Length: 3', 'Content-Length: 4'],
    ['Content-Length: 99999999999999999999999999'],
    ['Content-Length: 4', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Content-Length: 4'],
    ['Transfer-Encoding: nonsense'],
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding : chunked']
  ])
    t.equal((await send(request('POST /form HTTP/1.1', [HOST, FORM, ...headers], 'name'))).status, 400, headers.join())
})

t.test('a length above the limit is 413 before the body is read', async (t) => {
  const { send } = await openTarget(t)
  for (const length of ['1048577', '99999999999', '9007199254740991'])
    t.equal(
      (await send(request('POST /form HTTP/1.1', [HOST, FORM, `Content-Length: ${length}`], 'a'))).status,
      413,
      length
    )
})

t.test('invalid chunks are 400', async (t) => {
  const { send } = await openTarget(t)
  const chunked = (body: string) => request('POST /form HTTP/1.1', [HOST, FORM, 'Transfer-Encoding: chunked'], body)
  t.equal((await send(chunked('6\r\nname=x\r\n0\r\n\r\n'))).status, 303)
  for (const body of [
    'ZZZ\r\nnope\r\n',
    '-1\r\n',
    '6 6\r\nname=x',
    'fffffffffffffffff\r\n',
    '3\r\nname=x\r\n0\r\n\r\n',
    '\0',
    '6\nname=x\n0\n\n'
  ])
    t.equal((await send(chunked(body))).status, 400, JSON.stringify(body))
  t.equal((await send(chunked(`6;${'x'.repeat(20_000)}\r\nname=x\r\n0\r\n\r\n`))).status, 400, 'a long extension')
})

t.test('chunks whose sum is above the limit are 413', async (t) => {
  const { send } = await openTarget(t, { env: { BODY_LIMIT: '16KiB' } })
  const chunk = `400\r\n${'x'.repeat(1024)}\r\n`
  const bytes = request(
    'POST /form HTTP/1.1',
    [HOST, FORM, 'Transfer-Encoding: chunked'],
    `${chunk.repeat(17)}0\r\n\r\n`
  )
  t.equal((await send(bytes)).status, 413)
})

t.test('a body of 1 MiB is read, and one byte more is 413', async (t) => {
  const { send } = await openTarget(t)
  const body = `name=${'x'.repeat(1024 ** 2 - 5)}`
  t.equal((await send(post(body))).status, 303)
  t.equal((await send(post(`${body}x`))).status, 413)
})

t.test('other content types are 415, and malformed forms 400', async (t) => {
  const { send } = await openTarget(t)
  for (const [type, status] of [
    ['', 415],
    ['Content-Type:', 415],
    ['Content-Type: application/json', 415],
    ['Content-Type: text/plain', 415],
    ['Content-Type: nonsense', 415],
    ['Content-Type: ;;;', 415],
    ['Content-Type: a/b/c', 415],
    [`Content-Type: ${'x'.repeat(8_000)}/y`, 415],
    ['Content-Type: application/x-www-form-urlencoded; charset=nonsense', 303],
    ['Content-Type: multipart/form-data', 400],
    ['Content-Type: multipart/form-data; boundary', 400],
    [`Content-Type: multipart/form-data; boundary=${'x'.repeat(200)}`, 400]
  ] as const)
    t.equal((await send(post('name=x', type ? [type] : []))).status, status, type.slice(0, 60))
  t.equal((await send(post('name=%ZZ%&%=%'))).status, 303, 'an invalid percent sequence is kept as it was typed')
  t.equal((await send(post('\0\xff\xfe'))).status, 422)
})

t.test('reads a compressed body within the same limit, with any declared encoding', async (t) => {
  const { send } = await openTarget(t, { env: { BODY_LIMIT: '64KiB' } })
  const gzip = [FORM, 'Content-Encoding: gzip']
  t.equal((await send(post(gzipSync('name=x'), gzip))).status, 303)
  t.equal((await send(post(brotliCompressSync('name=x'), [FORM, 'Content-Encoding: br']))).status, 303)
  t.equal((await send(post(gzipSync(`name=${'x'.repeat(20_000_000)}`), gzip))).status, 413, 'a decompression bomb')
  t.equal((await send(post('name=x', gzip))).status, 400)
  t.equal((await send(post(gzipSync('name=x').subarray(0, 12), gzip))).status, 400)
  for (const coding of ['nonsense', 'gzip, gzip', 'constructor', '__proto__', 'x'.repeat(4_000)])
    t.equal((await send(post('name=x', [FORM, `Content-Encoding: ${coding}`]))).status, 415, coding.slice(0, 20))
})

t.test('does not decode the rest of a body that is refused', async (t) => {
  const decoders: Readable[] = []
  const { send, port } = await openTarget(t, {
    env: { BODY_LIMIT: '256KiB' },
    prepare(app) {
      const preParsing: preParsingHookHandler = (_request, _reply, payload, done) => {
        decoders.push(payload as Readable)
        done(null, payload)
      }
      app.post('/decoded', { preParsing }, async ({ body }) => body)
    }
  })
  const bomb = Buffer.alloc(100 * 1024 ** 2, ' ')
  const toHeaders = (coding: string) => ['Content-Type: application/json', `Content-Encoding: ${coding}`]
  const checkStopped = async (coding: string) => {
    const decoder = decoders.pop()!
    if (!decoder.closed) await once(decoder, 'close')
    t.notOk(decoder.readableEnded, coding)
  }
  for (const [coding, encode] of [
    ['br', brotliCompressSync],
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync]
  ] as const) {
    const body = encode(bomb)
    t.ok(body.length < 256 * 1024, `${coding}: ${body.length} bytes`)
    t.equal((await send(post(body, toHeaders(coding), '/decoded'))).status, 413, coding)
    await checkStopped(coding)
  }

  t.test('and answers a client that is still sending', async () => {
    const bytes = post(gzipSync(bomb), toHeaders('gzip'), '/decoded')
    const client = await RawClient.open(port)
    await client.send(bytes.subarray(0, -1)).until('HTTP/1.1 413 ')
    await checkStopped('gzip')
    client.socket.destroy()
  })
})

t.test('100,000 fields are refused in limited time, and names of Object.prototype are accepted', async (t) => {
  const { send } = await openTarget(t)
  const began = performance.now()
  const many = await send(post('a=b&'.repeat(100_000)))
  t.equal(many.status, 413)
  t.equal((await send(post(Array.from({ length: 100_000 }, (_, i) => `${i}=`).join('&')))).status, 413)
  const parts = '--cut\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n'.repeat(15_000)
  t.equal((await send(post(`${parts}--cut--\r\n`, ['Content-Type: multipart/form-data; boundary=cut']))).status, 413)
  const dashes = await send(post('-'.repeat(1_000_000), ['Content-Type: multipart/form-data; boundary=-']))
  t.ok([400, 413, 422].includes(dashes.status), String(dashes.status))
  t.ok(performance.now() - began < 20_000)
  for (const name of ['__proto__', 'constructor', 'toString', 'toJSON', '__proto__[polluted]']) {
    const { status, body } = await send(post(`${name}=x&mail=typed`))
    t.equal(status, 422, name)
    t.match(body, 'value="typed"')
  }
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})

t.test('ignores the body of a GET', async (t) => {
  const { send } = await openTarget(t)
  for (const body of ['name=x', '{"__proto__":{}}', '\0'])
    t.equal((await send(post(body).toString('latin1').replace('POST', 'GET'))).status, 200)
})
