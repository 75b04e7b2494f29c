import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { RawClient, request } from '@hull/test-helpers/raw-client.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'
import { openTarget } from '@hull/test-helpers/target.ts'

const site = await buildFixtureSite()

/** A server with short timeouts. */
const openImpatient = (t: Test, timeouts: Record<string, number>) =>
  openTarget(t, {
    prepare({ server }) {
      Object.assign(server, { connectionsCheckingInterval: 50, ...timeouts })
    }
  })

/** Sends a text one byte at a time until the server closes the connection. */
async function drip(client: RawClient, text: string) {
  const isClosed = client.closed.then(() => true)
  for (const byte of text) {
    client.send(byte)
    if (await Promise.race([isClosed, pause(40, false)])) return
  }
}

t.test(
  'the timeout is five minutes for a request, one for its headers, and RENDER_TIMEOUT and one minute for a silent connection',
  async (t) => {
    const { app } = await createTestApp(t, { site, env: { RENDER_TIMEOUT: '20s' } })
    t.equal(app.server.requestTimeout, 300_000)
    t.equal(app.server.headersTimeout, 60_000)
    t.equal(app.server.timeout, 80_000)
    t.equal(app.server.keepAliveTimeout, 80_000)
  }
)

t.test('KEEP_ALIVE_TIMEOUT is the timeout between two requests of a connection', async (t) => {
  const { app } = await createTestApp(t, { site, env: { RENDER_TIMEOUT: '20s', KEEP_ALIVE_TIMEOUT: '620s' } })
  t.equal(app.server.keepAliveTimeout, 620_000)
  t.equal(app.server.timeout, 80_000, 'a response is still limited')
})

t.test('headers that arrive too slowly are 408', async (t) => {
  const { port, checkAlive } = await openImpatient(t, { headersTimeout: 1_000, requestTimeout: 1_000 })
  const client = await RawClient.open(port)
  await drip(client, `GET /about HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(1_000)}`)
  t.equal((await client.answer()).status, 408)
  await checkAlive()
})

t.test('a body that arrives too slowly is 408, and logs no error', async (t) => {
  const { port, checkAlive } = await openImpatient(t, { headersTimeout: 1_000, requestTimeout: 1_000 })
  const client = await RawClient.open(port)
  const form = ['Host: localhost', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 1000']
  client.send(request('POST /form HTTP/1.1', form))
  await drip(client, 'x'.repeat(1_000))
  t.equal((await client.answer()).status, 408)
  await checkAlive()
})

t.test('a connection without any request is closed', async (t) => {
  const { port, checkAlive } = await openImpatient(t, { headersTimeout: 1_000, requestTimeout: 1_000 })
  const client = await RawClient.open(port)
  await client.answer()
  await checkAlive()
})

t.test('the connection of a client that does not read is closed', async (t) => {
  const { app, port, checkAlive } = await openImpatient(t, { timeout: 2_000 })
  const client = await RawClient.open(port)
  client.socket.pause()
  for (let i = 0; i < 5; i++) client.send('GET /large?size=4000000 HTTP/1.1\r\nHost: localhost\r\n\r\n')
  // On a busy machine, the five pages can take longer than the timeout of another client's connection.
  const isAlive = () =>
    checkAlive().then(
      () => true,
      () => false
    )
  await eventually(isAlive)
  const connections = () =>
    new Promise((resolve) =>
      app.server.getConnections((_error, count) => {
        resolve(count)
      })
    )
  for (const began = Date.now(); (await connections()) !== 0; await pause(50))
    if (Date.now() - began > 30_000) throw new Error('there are still open connections')
  client.socket.destroy()
})

t.test('invalid data after a valid request is 400, and closes only that connection', async (t) => {
  const { send, port, checkAlive } = await openTarget(t)
  const good = 'GET /about HTTP/1.1\r\nHost: localhost\r\n\r\n'
  t.match((await send(`${good}${good}\0\x01garbage\r\n\r\n`)).text, 'HTTP/1.1 400 Bad Request')
  const client = (await RawClient.open(port)).send(good)
  await client.until('</html>')
  client.send('\0garbage')
  t.match((await client.answer()).text, /^HTTP\/1\.1 200 OK[\s\S]*<\/html>\s*HTTP\/1\.1 400 Bad Request/)
  await checkAlive()
})

t.test('responses to pipelined requests are in the order of the requests', async (t) => {
  const { send } = await openTarget(t)
  const paths = Array.from({ length: 100 }, (_, i) => `/items/${i}`)
  const { text } = await send(
    paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join('') + request('GET /about HTTP/1.1')
  )
  const seen = [...text.matchAll(/<h1>Item &quot;(\d+)&quot;/g)].map(([, id]) => `/items/${id}`)
  t.same(seen, paths)
})

t.test('a connection that is reset during a response or a body does not affect other clients', async (t) => {
  const { port, checkAlive } = await openTarget(t)
  const form = ['Host: localhost', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 1000000']
  for (const bytes of [
    request('GET /large?size=4000000 HTTP/1.1'),
    request('GET /stream?hold=200 HTTP/1.1'),
    request('GET /stream?hold=200 HTTP/1.1', ['Host: localhost', 'Accept-Encoding: br']),
    request('GET /buffered HTTP/1.1', ['Host: localhost', 'Accept-Encoding: gzip']),
    request('GET /cached?wait=100 HTTP/1.1'),
    request('GET /hang?in=data HTTP/1.1'),
    request('GET /hang?in=component HTTP/1.1'),
    request('GET /hang?in=guard HTTP/1.1'),
    request('POST /form HTTP/1.1', form, 'name='),
    request(
      'POST /form HTTP/1.1',
      ['Host: localhost', 'Content-Type: multipart/form-data; boundary=x', 'Content-Length: 99'],
      '--x'
    )
  ]) {
    for (const wait of [0, 20, 60]) {
      const client = (await RawClient.open(port)).send(bytes)
      await pause(wait)
      client.socket.resetAndDestroy()
    }
  }
  await pause(300)
  await checkAlive()
})

t.test(
  'a half-closed connection counts as closed, as in Node: finished data is sent, and no response hangs',
  async (t) => {
    const { port, checkAlive } = await openTarget(t)
    for (const [path, isReady] of [
      ['/about', true],
      ['/stream?hold=1000', false],
      ['/buffered?wait=1000', false],
      ['/hang?in=data', false]
    ] as const) {
      const client = await RawClient.open(port, { allowHalfOpen: true })
      client.socket.end(request(`GET ${path} HTTP/1.1`))
      const { text } = await client.answer()
      t.equal(text.includes('</html>'), isReady, path)
    }
    await checkAlive()
  }
)

t.test('1,000 idle connections do not delay other clients', async (t) => {
  const { port, checkAlive } = await openTarget(t)
  const idle: RawClient[] = []
  for (let i = 0; i < 10; i++)
    idle.push(...(await Promise.all(Array.from({ length: 100 }, () => RawClient.open(port)))))
  idle.forEach((client, i) => i % 2 === 0 || client.send('GET /about HTTP/1.1\r\nHost: loc'))
  const began = performance.now()
  for (let i = 0; i < 20; i++) await checkAlive()
  t.ok(performance.now() - began < 10_000)
  for (const { socket } of idle) socket.destroy()
  await checkAlive()
})
