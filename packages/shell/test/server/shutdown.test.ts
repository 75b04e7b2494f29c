import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { messages, open, startChildServer, terminate } from '@hull/test-helpers/child-server.ts'

/** Milliseconds, longer than each test. A server that exits within half of it has not waited for it. */
const LIMIT = 60_000

const start = (t: Test, delay = 0) =>
  startChildServer(t, 'packages/shell/test/fixtures/shutdown-server.ts', String(LIMIT), 'nothing', String(delay))

t.test('a signal ends the process during its start, also the first process of a container', async (t) => {
  const preload = import.meta.resolve('@hull/shell/start')
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130]
  ] as const) {
    const starting = "console.log('up'); setInterval(() => {}, 1000)"
    const child = spawn(process.execPath, ['--import', preload, '--eval', starting])
    t.teardown(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    child.kill(signal)
    t.same(
      await once(child, 'exit'),
      [code, null],
      'by a listener: the first process of a container ignores signals without one'
    )
  }
})

t.test('closing on a signal', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    t.test(`exits with 0 soon after ${signal}: not ready, drained, closed, in this order`, async (t) => {
      const server = await start(t)
      const { code, ms } = await (await terminate(server, signal))()
      t.equal(code, 0)
      t.ok(ms < LIMIT / 2, `${ms} ms`)
      t.same(messages(server), ['shutting down', 'drained', 'on close', 'closed'])
      t.match(
        await server.logged('drained'),
        { statusCode: 503, body: { status: 'draining' } },
        'inject works until the end'
      )
    })
  }

  t.test('waits for an open stream', async (t) => {
    const server = await start(t)
    const response = await fetch(`${server.origin}/stream?ms=800`)
    const exit = await terminate(server)
    t.equal(await response.text(), 'first last')
    const { code, ms } = await exit()
    t.equal(code, 0)
    t.ok(ms > 700, `${ms} ms`)
  })

  t.test('waits for open responses, asks clients to reconnect, and accepts no new connection', async (t) => {
    const server = await start(t)
    let answered = false
    const slow = fetch(`${server.origin}/slow?ms=1000`).finally(() => (answered = true))
    await pause(150)
    const exit = await terminate(server)
    t.ok(await isRefused(server.origin, () => answered), 'a moment after the log line')
    const response = await slow
    t.equal(response.status, 200)
    t.equal(response.headers.get('connection'), 'close')
    t.equal(await response.text(), 'slow but sure')
    t.equal((await exit()).code, 0)
  })

  t.test('accepts requests during the delay for the load balancer', async (t) => {
    const server = await start(t, 1_500)
    const idle = await open(t, server, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(idle, 'data')
    const exit = await terminate(server)
    t.equal((await fetch(`${server.origin}/readyz`)).status, 503)
    const response = await fetch(`${server.origin}/slow?ms=10`)
    t.equal(response.status, 200)
    t.equal(response.headers.get('connection'), 'close')
    idle.write('GET /slow?ms=10 HTTP/1.1\r\nHost: a\r\n\r\n')
    t.match(await text(idle), /connection: close[^]*slow but sure$/)
    const { code, ms } = await exit()
    t.equal(code, 0)
    t.ok(ms >= 1_400 && ms < LIMIT / 2, `${ms} ms`)
    t.same(messages(server), ['shutting down', 'drained', 'on close', 'closed'])
  })

  t.test('does not wait for the load balancer after an uncaught error', async (t) => {
    const server = await start(t, LIMIT / 2)
    const exit = await terminate(server)
    await fetch(`${server.origin}/throw`).catch(() => {})
    const { code, ms } = await exit()
    t.equal(code, 1)
    t.ok(ms < LIMIT / 2, `${ms} ms`)
    t.match(server.takeErrors(), [{ err: { message: 'thrown without a handler' } }])
  })

  t.test('does not wait for idle or unused connections', async (t) => {
    const server = await start(t)
    const idle = await open(t, server, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(idle, 'data')
    await open(t, server)
    const { code, ms } = await (await terminate(server))()
    t.equal(code, 0)
    t.ok(ms < LIMIT / 2, `${ms} ms`)
  })

  t.test('closes idle connections while a stream is open, and the connection of the stream after it', async (t) => {
    const server = await start(t)
    const idle = await open(t, server, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(idle, 'data')
    const streaming = await open(t, server, 'GET /stream?ms=1000 HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(streaming, 'readable')
    const other = await fetch(`${server.origin}/stream?ms=1800`)
    const exit = await terminate(server)
    const closed: string[] = []
    await Promise.all([
      text(idle).then(() => closed.push('idle')),
      text(streaming).then(() => closed.push('stream')),
      other.text().then(() => closed.push('longer stream'))
    ])
    t.same(closed, ['idle', 'stream', 'longer stream'])
    t.equal((await exit()).code, 0)
  })

  t.test('responds to a request that arrives on an open connection during the shutdown', async (t) => {
    const server = await start(t)
    const stream = await fetch(`${server.origin}/stream?ms=800`)
    const socket = await open(t, server, 'GET /slow?ms=10 HTTP/1.1\r\nHost: a\r\n')
    await pause(50)
    const exit = await terminate(server)
    socket.write('\r\n')
    const answer = await text(socket)
    t.match(answer, /^HTTP\/1\.1 200 OK\r\n[^]*slow but sure$/)
    t.match(answer, '\r\nconnection: close\r\n')
    t.equal(await stream.text(), 'first last')
    t.equal((await exit()).code, 0)
  })

  t.test('sends a whole response to a client that reads slowly', async (t) => {
    const server = await start(t)
    const socket = await open(t, server, 'GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'readable')
    const exit = await terminate(server)
    await pause(300)
    t.ok((await text(socket)).length > 30_000_000)
    t.equal((await exit()).code, 0)
  })

  t.test('does not wait for a client that has left', async (t) => {
    const server = await start(t)
    const response = await fetch(`${server.origin}/endless`)
    await response.body?.cancel()
    await pause(100)
    const { code, ms } = await (await terminate(server))()
    t.equal(code, 0)
    t.ok(ms < LIMIT / 2, `${ms} ms`)
    t.match(await server.logged('shutting down'), { inFlight: 0 })
  })
})

/** Returns whether new connections are refused before `isFinished` returns true. */
async function isRefused(origin: string, isFinished: () => boolean): Promise<boolean> {
  while (!isFinished()) {
    try {
      await (await fetch(`${origin}/healthz`)).text()
      await pause(10)
    } catch {
      return true
    }
  }
  return false
}
