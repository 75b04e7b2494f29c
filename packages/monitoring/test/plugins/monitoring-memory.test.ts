// Runs in a process of its own: it measures the memory of its process.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import t from 'tap'
import type { StreamSink } from '../../src/delivery/envelope-sink.ts'
import { inPieces, toEnvelope } from '@hull/test-helpers/envelopes.ts'
import { collectGarbage } from '@hull/test-helpers/garbage.ts'
import { RawClient } from '@hull/test-helpers/raw-client.ts'
import { openTunnel } from '@hull/test-helpers/monitoring.ts'

const MIB = 1024 ** 2
const PIECE = 64 * 1024

/**
 * A slow sink that processes one chunk after the other, discards them, and measures the memory in use after each MiB.
 */
class DiscardingSink implements StreamSink {
  begun = 0
  bytes = 0
  done = 0
  peak = 0
  #measured = 0
  #queue = Promise.resolve()

  begin() {
    this.begun++
    return {
      write: (piece: Uint8Array) => {
        this.bytes += piece.length
        if (this.bytes - this.#measured > MIB) {
          this.#measured = this.bytes
          this.peak = Math.max(this.peak, memoryInUse())
        }
        this.#queue = this.#queue.then(async () => {
          await pause(1)
          this.done += piece.length
        })
        return this.#queue
      },
      commit: async () => {},
      abort: () => {}
    }
  }

  rateLimits() {
    return undefined
  }
}

const memoryInUse = () => {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** An envelope of nearly 20 MiB that can hardly be compressed. */
const envelope = toEnvelope(
  Buffer.concat([Buffer.from('{"type":"attachment"}\n'), randomBytes(19 * MIB).map((byte) => byte | 32)])
)

for (const [coding, body] of [
  ['identity', envelope],
  ['gzip', gzipSync(envelope, { level: 1 })],
  ['zstd', zstdCompressSync(envelope)]
] as const)
  t.test(`memory does not grow with the size of the envelope, also with a slow sink (${coding})`, async (t) => {
    const sink = new DiscardingSink()
    const { port } = await openTunnel(t, { sink })
    const client = await RawClient.open(port)
    const before = memoryInUse()
    client.send(
      `POST /monitoring HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`
    )
    for (const piece of inPieces(body, [PIECE])) if (!client.socket.write(piece)) await once(client.socket, 'drain')
    await client.until('200 OK')
    client.socket.destroy()

    t.ok(sink.done > 19 * MIB, `${sink.done} bytes passed`)
    t.ok(sink.peak > 0)
    const grown = sink.peak - before
    t.ok(grown < 4 * MIB, `${grown} bytes more than before`)
    t.comment(`${coding}: ${Math.round(grown / 1024)} KiB`)
  })

t.test('chunks of one byte are passed to the sink in large pieces', async (t) => {
  const sizes: number[] = []
  const bytes: Buffer[] = []
  const sink: StreamSink = {
    begin: () => ({
      write: (piece) => {
        sizes.push(piece.length)
        bytes.push(Buffer.from(piece))
        return undefined
      },
      commit: async () => {},
      abort: () => {}
    }),
    rateLimits: () => undefined
  }
  const { port } = await openTunnel(t, { sink })
  const rest = `{"type":"event"}\n${Array.from({ length: 20_000 }, (_, i) => i % 10).join('')}\n`
  const client = await RawClient.open(port)
  client.send('POST /monitoring HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
  for (const byte of toEnvelope(rest)) client.send(`1\r\n${String.fromCharCode(byte)}\r\n`)
  client.send('0\r\n\r\n')
  await client.until('200 OK')
  client.socket.destroy()
  t.equal(Buffer.concat(bytes).toString(), rest)
  t.same(sizes, [16_384, rest.length - 16_384])
})

t.test('a hundred concurrent envelopes of a few bytes that claim 20 MB need little memory', async (t) => {
  const sink = new DiscardingSink()
  const { port } = await openTunnel(t, { sink })
  const before = memoryInUse()
  const body = gzipSync(toEnvelope('{"type":"attachment","length":20000000}\nx'))
  const clients = await Promise.all(Array.from({ length: 100 }, () => RawClient.open(port)))
  for (const client of clients)
    client
      .send(
        `POST /monitoring HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length + 1}\r\n\r\n`
      )
      .send(body)
  while (sink.begun < clients.length) await pause(5)
  const grown = memoryInUse() - before
  t.ok(grown < 30 * MIB, `${grown} bytes`)
  t.comment(`${Math.round(grown / 1024 / clients.length)} KiB each`)
  for (const client of clients) client.socket.destroy()
})
