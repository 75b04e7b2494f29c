// Runs in a process of its own: it measures the memory of its process.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import fc from 'fast-check'
import t from 'tap'
import { collectGarbage } from '@hull/test-helpers/garbage.ts'

import { RawClient } from '@hull/test-helpers/raw-client.ts'
import { openTarget } from '@hull/test-helpers/target.ts'

const toHead = (path: string, type: string, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n${more}\r\n`

const toChunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

const toChunks = (bytes: Buffer, size = 1): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      toChunk(bytes.subarray(at * size, (at + 1) * size))
    )
  )

const END = '0\r\n\r\n'

/** Adds routes that read a body as Fastify does, one that reads it as a stream, and one that does not read it. */
function addRoutes(app: FastifyInstance): void {
  app.post('/echo', (request, reply) => reply.type('text/plain').send(request.body))
  app.addContentTypeParser('application/x-stream', (_request, payload, done) => done(null, payload))
  app.post('/pieces', (request, reply) => {
    reply.type('text/plain')
    return (request.body as Readable).map((piece: Buffer) => `[${piece.toString()}]`)
  })
  app.post('/destroyed-body', (request, reply) => {
    reply.raw.once('close', () => process.nextTick(() => (request.body as Readable).destroy()))
    ;(request.body as Readable).once('data', () => app.server.emit('destroys', request.body))
    reply.hijack()
  })
  app.post('/unread-body', (request, reply) => {
    app.server.emit('unread', request.body)
    reply.hijack()
  })
}

/** Waits until a connection or a body is closed, with or without an error. */
const toClosed = (socket: Socket | Readable) => new Promise((resolve) => socket.once('close', resolve))

async function connect(app: FastifyInstance, port: number): Promise<{ client: RawClient; socket: Socket }> {
  const connection = once(app.server, 'connection') as Promise<[Socket]>
  const client = await RawClient.open(port)
  return { client, socket: (await connection)[0] }
}

t.test('a body in chunks of one byte needs little more memory than its bytes', async (t) => {
  const { app, port } = await openTarget(t, { prepare: addRoutes })
  const bytes = Buffer.alloc(200_000, ' ')
  for (const [name, head, body] of [
    ['JSON', toHead('/echo', 'application/json'), bytes],
    ['text', toHead('/echo', 'text/plain'), bytes],
    ['form', toHead('/form', 'application/x-www-form-urlencoded'), bytes],
    ['multipart', toHead('/form', 'multipart/form-data; boundary=cut'), bytes],
    ['compressed', toHead('/echo', 'application/json', 'Content-Encoding: gzip\r\n'), gzipSync(bytes, { level: 0 })],
    ['unknown address', toHead('/nowhere', 'application/json'), bytes]
  ] as const) {
    const { client, socket } = await connect(app, port)
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    const chunks = toChunks(body)
    client.send(head).send(chunks)
    while (socket.bytesRead < head.length + chunks.length) await pause(5)
    collectGarbage()
    const grown = process.memoryUsage().heapUsed - before
    // While it decompresses, Node keeps chunks with 64 KiB of content, which need 6 MiB.
    t.ok(grown < 10 * 1024 ** 2, `${name}: ${grown} bytes`)
    const closed = toClosed(socket)
    client.socket.destroy()
    await closed
  }
})

t.test('the bytes are the same for any sizes of chunks', async (t) => {
  const { port } = await openTarget(t, { prepare: addRoutes })
  const size = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 40_000 }))
  await fc.assert(
    fc.asyncProperty(size, fc.nat(100_000), fc.boolean(), async (size, length, atOnce) => {
      const text = Array.from({ length }, (_, at) => at % 10).join('')
      const client = await RawClient.open(port)
      client.send(toHead('/echo', 'text/plain', 'Connection: close\r\n'))
      const chunks = toChunks(Buffer.from(text), size)
      const middle = atOnce ? chunks.length : chunks.length >> 1
      client.send(chunks.subarray(0, middle))
      await pause(1)
      client.send(chunks.subarray(middle)).send(END)
      const { status, body } = await client.answer()
      return status === 200 && body === text
    }),
    { numRuns: 30 }
  )
  t.pass()
})

t.test('a route that reads a body as a stream receives each chunk at once', async (t) => {
  const { port } = await openTarget(t, { prepare: addRoutes })
  const client = await RawClient.open(port)
  client.send(toHead('/pieces', 'application/x-stream'))
  for (const piece of ['one', 'two', 'three']) {
    client.send(toChunk(Buffer.from(piece)))
    await client.until(`[${piece}]`)
  }
  client.send(END)
  await client.until(END)
  client.socket.destroy()
})

t.test('a body that no route reads is not buffered in memory', async (t) => {
  const { app, port } = await openTarget(t, { prepare: addRoutes })
  const { client, socket } = await connect(app, port)
  const unread = once(app.server, 'unread') as Promise<[Readable]>
  client.send(toHead('/unread-body', 'application/x-stream'))
  const [body] = await unread
  body.once('data', () => body.pause())
  const chunks = toChunks(Buffer.alloc(20 * 1024 ** 2), 1_000)
  client.send(chunks)
  let read = -1
  while (read < socket.bytesRead) {
    read = socket.bytesRead
    await pause(200)
  }
  t.ok(read < 4 * 1024 ** 2, `${read} bytes were read`)
  socket.destroy()
})

t.test('a body that is read slowly is complete, also if its client has closed the connection', async (t) => {
  const { app, port } = await openTarget(t, { prepare: addRoutes })
  const { client, socket } = await connect(app, port)
  const unread = once(app.server, 'unread') as Promise<[Readable]>
  client
    .send(toHead('/unread-body', 'application/x-stream'))
    .send(toChunks(Buffer.alloc(40_000, 'x'), 100))
    .send(END)
  const [body] = await unread
  let size = 0
  for await (const piece of body) {
    size += (piece as Buffer).length
    if (size < 40_000 && !client.socket.destroyed) {
      const closed = toClosed(socket)
      client.socket.destroy()
      await closed
    }
  }
  t.equal(size, 40_000)
})

t.test('a body that cannot be decompressed is 400, also while it is still arriving', async (t) => {
  const { port } = await openTarget(t, { prepare: addRoutes })
  for (const end of [END, '']) {
    const client = await RawClient.open(port)
    client.send(toHead('/echo', 'application/json', 'Content-Encoding: gzip\r\n'))
    client.send(toChunks(Buffer.from('this is no gzip'), 3)).send(end)
    await client.until(' 400 ')
    client.socket.destroy()
  }
})

t.test(
  'a client that closes the connection during a body, or after it was refused, does not affect other clients',
  async (t) => {
    const { app, port, checkAlive } = await openTarget(t, { prepare: addRoutes, env: { BODY_LIMIT: '16KiB' } })
    for (const [path, size, type] of [
      ['/echo', 10_000, 'text/plain'],
      ['/echo', 20_000, 'text/plain'],
      ['/form', 10_000, 'multipart/form-data; boundary=cut'],
      ['/pieces', 10_000, 'application/x-stream']
    ] as const) {
      const { client, socket } = await connect(app, port)
      client.send(toHead(path, type)).send(toChunks(Buffer.alloc(size, ' '), 10))
      if (size > 16 * 1024) await client.until(' 413 ')
      else while (socket.bytesRead < size) await pause(5)
      client.socket.resetAndDestroy()
      await pause(50)
      await checkAlive()
    }
  }
)

t.test('a body may be destroyed when its client has left', async (t) => {
  const { app, port, checkAlive } = await openTarget(t, { prepare: addRoutes })
  const destroys = once(app.server, 'destroys')
  const client = await RawClient.open(port)
  client.send(toHead('/destroyed-body', 'application/x-stream')).send(toChunk(Buffer.from('one')))
  const [body] = (await destroys) as [Readable]
  const closed = toClosed(body)
  client.socket.destroy()
  await closed
  await checkAlive()
})
