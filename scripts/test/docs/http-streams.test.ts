import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { EventSource } from 'undici'
import { open, startServer, terminate, type ChildServer } from '@hull/test-helpers/child-server.ts'
import { copyWithExamples } from '@hull/test-helpers/doc-examples.ts'
import { eventually, PATIENCE } from '@hull/test-helpers/patience.ts'

/* Tests the recipes of docs/http.md for long-lived connections, in a process that receives SIGTERM. */

const root = copyWithExamples(t, 'docs/http.md', { websocket: {} })

/** Milliseconds; far more than a shutdown takes. */
const LIMIT = 60_000

const start = (t: Test, timeout = `${LIMIT}ms`) =>
  startServer(t, { INBOX: 'off', SHUTDOWN_TIMEOUT: timeout }, join(root, 'server.ts'))

const HANDSHAKE = [
  'GET /echo HTTP/1.1',
  'Host: localhost',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==',
  '\r\n'
].join('\r\n')

/** Close frame of a server with status 1012 (RFC 6455 §5.2). */
const CLOSE_1012 = Buffer.from([0x88, 0x02, 0x03, 0xf4])

const publish = ({ origin }: ChildServer, title: string, headers: Record<string, string> = {}) =>
  fetch(`${origin}/news`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ title })
  })

async function openSocket({ origin }: ChildServer, headers?: Record<string, string>) {
  const socket = new WebSocket(origin.replace('http', 'ws') + '/echo', { headers } as unknown as string[])
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  return socket
}

/** Opens a WebSocket whose client sends nothing, not even a close frame. */
async function openSilentSocket(t: Test, server: ChildServer): Promise<Socket> {
  const socket = await open(t, server, HANDSHAKE)
  await once(socket, 'readable')
  return socket
}

/** Reads all bytes of a connection until it is closed. */
async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Reads a connection until the given bytes arrive. @throws Error if they do not arrive */
async function readUntil(socket: Socket, bytes: Buffer): Promise<Buffer> {
  let received = Buffer.alloc(0)
  while (!received.includes(bytes)) {
    const [chunk] = await once(socket, 'data', { signal: AbortSignal.timeout(PATIENCE) })
    received = Buffer.concat([received, chunk as Buffer])
  }
  return received
}

/** Messages of the log, without those about requests. */
const messages = ({ lines }: ChildServer) =>
  lines.map(({ msg }) => msg).filter((msg) => msg !== 'request' && !msg.startsWith('Server listening'))

const isRefused = ({ port }: ChildServer) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })

t.test('event streams and WebSockets', async (t) => {
  t.test('work, and refuse another site', async (t) => {
    const server = await start(t)
    const source = new EventSource(`${server.origin}/news`)
    t.teardown(() => source.close())
    const hello = await new Promise<{ data: string }>((resolve) => source.addEventListener('hello', resolve as never))
    t.equal(hello.data, '1')
    const news = new Promise<{ data: string }>((resolve) => source.addEventListener('news', resolve as never))
    t.equal((await publish(server, 'Spring')).status, 204)
    t.same(JSON.parse((await news).data), { title: 'Spring' })

    const socket = await openSocket(server)
    socket.send('ahoy')
    const [{ data }] = await once(socket, 'message')
    t.equal(data, 'You said: ahoy')
    socket.close()
    await t.rejects(openSocket(server, { origin: 'https://evil.example' }), 'a WebSocket of another site is refused')
    t.equal((await publish(server, 'no', { origin: 'https://evil.example' })).status, 403)
  })

  t.test('are closed properly after SIGTERM, and the process exits', async (t) => {
    const server = await start(t)
    const stream = await fetch(`${server.origin}/news`)
    const socket = await openSocket(server)
    const closed = once(socket, 'close')
    const exit = await terminate(server)
    t.match(await stream.text(), /^event: hello\ndata: 1\nretry: 1000\n\n$/, 'the response is complete')
    const [{ code: reason, wasClean }] = await closed
    t.same({ reason, wasClean }, { reason: 1012, wasClean: true })
    const { code, ms } = await exit()
    t.equal(code, 0)
    t.ok(ms < LIMIT / 2, `${ms} ms`)
    t.same(messages(server), ['shutting down', 'closed'])
  })

  t.test('are closed at once on connections that were open when the shutdown began', async (t) => {
    const server = await start(t)
    const [forStream, forSocket] = [await open(t, server), await open(t, server)]
    // Delays the shutdown until the end of this test.
    const silent = await openSilentSocket(t, server)
    const exit = await terminate(server)
    // The log line may be written before the server stops listening.
    await eventually(() => isRefused(server))
    forStream.write('GET /news HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n')
    t.match(String(await readAll(forStream)), /200 OK[^]*event: hello\ndata: 0\nretry: 1000\n\n\r\n0\r\n\r\n$/)
    forSocket.write(HANDSHAKE)
    const response = await readUntil(forSocket, CLOSE_1012)
    t.match(String(response), '101 Switching Protocols')
    forSocket.destroy()
    silent.destroy()
    t.equal((await exit()).code, 0)
  })

  t.test('are cut after SHUTDOWN_TIMEOUT if the client does not respond to the close frame', async (t) => {
    const server = await start(t, '2s')
    const silent = await openSilentSocket(t, server)
    const exit = await terminate(server)
    t.ok((await readAll(silent)).includes(CLOSE_1012))
    const { code } = await exit()
    t.equal(code, 0)
    t.match(messages(server), ['shutting down', /^responses cut/, 'closed'])
  })
})
