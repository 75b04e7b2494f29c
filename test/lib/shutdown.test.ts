import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { startChildServer, type ChildServer } from '../helpers/child-server.ts'

const start = (t: Test, timeout = 4_000, closing = '') =>
  startChildServer(t, 'shutdown-server.ts', String(timeout), closing)

/** Signals, and measures the milliseconds until the process is gone. */
async function terminate(server: ChildServer, signal: NodeJS.Signals = 'SIGTERM') {
  const start = performance.now()
  server.kill(signal)
  await server.logged('shutting down')
  return async () => ({ code: await server.exited, ms: performance.now() - start })
}

const messages = (server: ChildServer) =>
  server.lines.map(({ msg }) => msg).filter((msg) => !msg.startsWith('Server listening'))

/** A connection of its own, on which the test writes what it wants. */
async function open(t: Test, { port }: ChildServer, request = '') {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(request)
  return socket
}

t.test('closing on a signal', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    t.test(`exits 0 after ${signal}, soon: not ready, drained, closed, in this order`, async (t) => {
      const server = await start(t)
      const { code, ms } = await (await terminate(server, signal))()
      t.equal(code, 0)
      t.ok(ms < 1_000, `${ms} ms`)
      t.same(messages(server), ['shutting down', 'drained', 'on close', 'closed'])
      t.match(
        await server.logged('drained'),
        { statusCode: 503, body: { status: 'draining' } },
        'and inject works until the end'
      )
    })
  }

  t.test('lets an open stream finish', async (t) => {
    const server = await start(t)
    const response = await fetch(`${server.origin}/stream?ms=800`)
    const exit = await terminate(server)
    t.equal(await response.text(), 'first last')
    const { code, ms } = await exit()
    t.equal(code, 0)
    t.ok(ms > 700 && ms < 2_000, `${ms} ms`)
  })

  t.test('answers what it has begun, tells the client to reconnect, and accepts nobody new', async (t) => {
    const server = await start(t)
    const slow = fetch(`${server.origin}/slow?ms=600`)
    await pause(150)
    const exit = await terminate(server)
    await t.rejects(fetch(`${server.origin}/healthz`), { cause: { code: 'ECONNREFUSED' } })
    const response = await slow
    t.equal(response.status, 200)
    t.equal(response.headers.get('connection'), 'close')
    t.equal(await response.text(), 'slow but sure')
    t.equal((await exit()).code, 0)
  })

  t.test('does not wait for connections that are idle or were never used', async (t) => {
    const server = await start(t)
    const idle = await open(t, server, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(idle, 'data')
    await open(t, server)
    const { code, ms } = await (await terminate(server))()
    t.equal(code, 0)
    t.ok(ms < 1_000, `${ms} ms`)
  })

  t.test('closes idle connections while a stream is open, and that of the stream after it', async (t) => {
    const server = await start(t)
    const idle = await open(t, server, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(idle, 'data')
    const streaming = await open(t, server, 'GET /stream?ms=500 HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(streaming, 'readable')
    const other = await fetch(`${server.origin}/stream?ms=1200`)
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

  t.test('answers a request that arrives on an open connection meanwhile', async (t) => {
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

  t.test('sends the whole of a response to a client that reads slowly', async (t) => {
    const server = await start(t)
    const socket = await open(t, server, 'GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'readable')
    const exit = await terminate(server)
    await pause(300)
    t.ok((await text(socket)).length > 30_000_000)
    t.equal((await exit()).code, 0)
  })

  t.test('cuts a response that never ends in time to exit 0, and says so once', async (t) => {
    const server = await start(t, 1_500)
    const response = await fetch(`${server.origin}/endless`)
    const exit = await terminate(server)
    await t.rejects(response.text(), { message: 'terminated' })
    const { code, ms } = await exit()
    t.equal(code, 0)
    t.ok(ms > 1_000 && ms < 1_500, `${ms} ms`)
    t.match(
      server.lines.filter(({ level }) => level >= 40),
      [{ level: 40, cut: 1 }]
    )
    t.same(messages(server).slice(-3, -1), [
      'responses cut: they were still open when the time to drain was over',
      'on close'
    ])
  })

  t.test('forgets a client that left', async (t) => {
    const server = await start(t)
    const response = await fetch(`${server.origin}/endless`)
    await response.body?.cancel()
    await pause(100)
    const { code, ms } = await (await terminate(server))()
    t.equal(code, 0)
    t.ok(ms < 1_000, `${ms} ms`)
    t.match(await server.logged('shutting down'), { inFlight: 0 })
  })

  t.test('takes a second signal at once for the first passed on, and a later one for impatience', async (t) => {
    const server = await start(t)
    const response = await fetch(`${server.origin}/endless`)
    const exit = await terminate(server, 'SIGINT')
    server.kill('SIGINT')
    t.equal(await Promise.race([exit(), pause(600, 'still there')]), 'still there')
    server.kill('SIGINT')
    await t.rejects(response.text())
    const { code, ms } = await exit()
    t.equal(code, 1)
    t.ok(ms < 1_500, `${ms} ms`)
    t.match(messages(server).at(-1), 'second signal: exiting at once')
  })

  t.test('closes although a drain function fails or hangs', async (t) => {
    for (const closing of ['function fails', 'function hangs']) {
      const server = await start(t, 1_500, closing)
      const { code, ms } = await (await terminate(server))()
      t.equal(code, 0, closing)
      t.ok(ms < 1_500, `${ms} ms`)
      t.match(
        server.lines.filter(({ level }) => level >= 40),
        [{ level: 50, msg: /^a drain function / }]
      )
      t.equal(messages(server).at(-1), 'closed')
    }
  })

  t.test('exits 1 when closing hangs or fails, at the limit at the latest', async (t) => {
    for (const [closing, msg] of [
      ['close hangs', 'not closed in time: exiting'],
      ['close fails', 'closing failed']
    ] as const) {
      const server = await start(t, 1_500, closing)
      const { code, ms } = await (await terminate(server))()
      t.equal(code, 1, closing)
      t.ok(ms < 2_000, `${ms} ms`)
      t.equal(messages(server).at(-1), msg)
    }
  })
})

t.test('closing on an uncaught error', async (t) => {
  for (const path of ['/throw', '/reject']) {
    t.test(`logs ${path} once as fatal, lets others finish, and exits 1`, async (t) => {
      const server = await start(t)
      const stream = await fetch(`${server.origin}/stream?ms=500`)
      await fetch(`${server.origin}${path}`).catch(() => {})
      await server.logged('uncaught error')
      t.equal(await stream.text(), 'first last')
      t.equal(await server.exited, 1)
      t.match(
        server.lines.filter(({ level }) => level >= 40),
        [
          {
            level: 60,
            msg: 'uncaught error: shutting down',
            ...(path === '/throw' && { err: { message: 'thrown in vain' } })
          }
        ]
      )
      t.same(messages(server), ['uncaught error: shutting down', 'drained', 'on close', 'closed'])
    })
  }

  t.test('exits at once when another one follows', async (t) => {
    const server = await start(t)
    const endless = await fetch(`${server.origin}/endless`)
    const next = fetch(`${server.origin}/slow?ms=300`).catch(() => {})
    const socket = await open(t, server, 'GET /throw HTTP/1.1\r\nHost: a\r\n')
    await fetch(`${server.origin}/throw`)
    await server.logged('uncaught error: shutting down')
    socket.write('\r\n')
    await t.rejects(endless.text())
    t.equal(await server.exited, 1)
    t.equal(messages(server).at(-1), 'uncaught error while shutting down: exiting at once')
    await next
  })
})
