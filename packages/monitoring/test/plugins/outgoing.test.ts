import { Agent, get, request as httpRequest, type IncomingMessage } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import undici from 'undici'
import { inSpan } from '../../src/tracing/span.ts'
import replyClose from '../../../shell/src/plugins/reply-close.ts'
import telemetry from '../../src/plugins/telemetry.ts'
import tracing from '../../src/plugins/tracing.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { openForwardProxy } from '@hull/test-helpers/forward-proxy.ts'
import { openUnrulyServer, reset } from '@hull/test-helpers/unruly-server.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const NAMES = ['sentry-trace', 'traceparent', 'baggage', 'tracestate']
const INCOMING = { 'sentry-trace': `${TRACE}-${PARENT}-1`, traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'v=1' }

/** Sends a request with `node:http`, and reads the response. */
const getByHttp = (url: string, options: object = {}) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(url, options, (response) => response.resume().on('end', () => resolve(response))).on('error', reject)
  })

/** The HTTP clients that an application may use. */
const CLIENTS: Record<string, (url: string, headers?: Record<string, string>) => Promise<unknown>> = {
  fetch: async (url, headers) => (await fetch(url, { headers })).arrayBuffer(),
  'undici.fetch': async (url, headers) => (await undici.fetch(url, { headers })).arrayBuffer(),
  'undici.request': async (url, headers) => (await undici.request(url, { headers })).body.dump(),
  'node:http': (url, headers) => getByHttp(url, { headers })
}

async function createApp(
  t: Test,
  {
    targets = [],
    sampleRate = 1,
    handle
  }: Partial<Parameters<typeof tracing>[1]> & {
    handle: () => unknown
  }
) {
  const collector = createCollector()
  const app: FastifyInstance = Fastify()
  t.teardown(() => app.close())
  await app.register(replyClose)
  await app.register(telemetry, { to: collector.to, environment: 'test', release: '1', sampleRate })
  await app.register(tracing, { sampleRate, targets })
  app.get('/', async () => (await handle()) ?? 'done')
  app.get('/own', async ({ headers }) => headers['sentry-trace'])
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const send = (headers: Record<string, string> = INCOMING) => app.inject({ url: '/', headers })
  async function transaction() {
    await app.telemetry!.flush(60_000)
    return collector.transactions[0] as unknown as {
      spans: Array<{ op: string; span_id: string; parent_span_id: string; description: string; status: string }>
      contexts: { trace: { span_id: string } }
    }
  }
  return { app, origin, send, collector, transaction }
}

t.test(
  'the span of a request through a proxy has the URL of the target, which receives the trace headers',
  async (t) => {
    const { headers } = await openForwardProxy(t)
    const dispatcher = new undici.EnvHttpProxyAgent()
    t.teardown(() => dispatcher.destroy())
    const clients = {
      undici: async (url: string) => (await undici.fetch(url, { dispatcher })).arrayBuffer(),
      'node:http': (url: string) => getByHttp(url, { agent: new Agent({ proxyEnv: process.env }) })
    }
    for (const [name, request] of Object.entries(clients)) {
      const { send, transaction } = await createApp(t, {
        targets: ['http://stock.invalid'],
        handle: () => inSpan({ op: 'work', name: 'w' }, () => request('http://stock.invalid/x?q=1'))
      })
      t.equal((await send()).statusCode, 200, name)
      const client = (await transaction()).spans.find(({ op }) => op === 'http.client')!
      t.match(client, { description: 'GET http://stock.invalid/x', status: 'ok' }, name)
      t.equal(headers.at(-1)!['sentry-trace'], `${TRACE}-${client.span_id}-1`, name)
    }
  }
)

t.test('requests of each HTTP client', async (t) => {
  for (const [name, request] of Object.entries(CLIENTS)) {
    t.test(`${name} sends the trace to a target, in a new span`, async (t) => {
      const server = await openUnrulyServer(t)
      const { send, transaction } = await createApp(t, {
        targets: [server.origin],
        handle: () => inSpan({ op: 'work', name: 'w' }, () => request(`${server.origin}/x?q=1`, { baggage: 'cart=7' }))
      })
      t.equal((await send({ ...INCOMING, baggage: 'tenant=blue' })).statusCode, 200)
      const { spans } = await transaction()
      const client = spans.find(({ op }) => op === 'http.client')!
      t.match(client, { description: `GET ${server.origin}/x`, status: 'ok' })
      t.equal(client.parent_span_id, spans.find(({ op }) => op === 'work')!.span_id)
      t.equal(spans.length, 2)
      const { headers } = server.seen[0]!
      t.equal(headers['sentry-trace'], `${TRACE}-${client.span_id}-1`)
      t.equal(headers.traceparent, `00-${TRACE}-${client.span_id}-01`)
      t.equal(headers.tracestate, 'v=1')
      t.match(headers.baggage, /^sentry-[^,]+(,sentry-[^,]+)*,cart=7,tenant=blue$/)
    })

    t.test(`${name} sends no trace to another origin`, async (t) => {
      const server = await openUnrulyServer(t)
      const { port } = new URL(server.origin)
      const { send } = await createApp(t, {
        targets: [`http://localhost:${port}`, `${server.origin}0`, server.origin.slice(0, -1), 'http://127.0.0.1'],
        handle: () => request(`${server.origin}/http://localhost:${port}/`)
      })
      t.equal((await send({ ...INCOMING, baggage: 'tenant=blue', host: `127.0.0.1:${port}` })).statusCode, 200)
      t.equal(server.seen.length, 1)
      for (const header of NAMES) t.notOk(header in server.seen[0]!.headers, header)
    })
  }
})

t.test("a baggage member of the outgoing request replaces the caller's member", async (t) => {
  const server = await openUnrulyServer(t)
  const { send } = await createApp(t, {
    targets: [server.origin],
    handle: () => CLIENTS.fetch!(server.origin, { baggage: 'tenant=blue;ttl=1,cart=7' })
  })
  t.equal((await send({ ...INCOMING, baggage: 'tenant=red,user=ada,cart = 5' })).statusCode, 200)
  t.match(server.seen[0]!.headers.baggage, /,tenant=blue;ttl=1,cart=7,user=ada$/)
})

t.test('a Host header with a target does not make another server a target', async (t) => {
  const server = await openUnrulyServer(t)
  const { port } = new URL(server.origin)
  const { send } = await createApp(t, {
    targets: [`http://allowed.example:${port}`],
    handle: () => getByHttp(server.origin, { headers: { host: `allowed.example:${port}` } })
  })
  t.equal((await send()).statusCode, 200)
  for (const header of NAMES) t.notOk(header in server.seen[0]!.headers, header)
})

t.test('a redirect to another origin receives no trace', async (t) => {
  const [target, other] = [await openUnrulyServer(t), await openUnrulyServer(t)]
  target.will((response) => response.writeHead(302, { location: `${other.origin}/` }).end())
  const { send } = await createApp(t, { targets: [target.origin], handle: () => CLIENTS.fetch!(target.origin) })
  await send()
  t.ok('sentry-trace' in target.seen[0]!.headers)
  t.equal(other.seen.length, 1)
  for (const header of NAMES) t.notOk(header in other.seen[0]!.headers, header)
})

t.test(
  "the application's own origin receives the trace, and the Host header of a visitor does not count",
  async (t) => {
    const otherService = await openUnrulyServer(t)
    const { origin, send } = await createApp(t, {
      async handle() {
        await CLIENTS.fetch!(otherService.origin)
        return (await fetch(`${origin}/own`)).text()
      }
    })
    const { body } = await send({ ...INCOMING, host: new URL(otherService.origin).host })
    t.match(body, new RegExp(`^${TRACE}-(?!${PARENT})[0-9a-f]{16}-1$`))
    for (const header of NAMES) t.notOk(header in otherService.seen[0]!.headers, header)
  }
)

t.test('the span of a failed request has the status of the error', async (t) => {
  const server = await openUnrulyServer(t)
  server.will(reset)
  const { send, transaction } = await createApp(t, {
    async handle() {
      await fetch(server.origin).catch(() => {})
      await getByHttp(server.origin).catch(() => {})
    }
  })
  await send()
  const { spans } = await transaction()
  t.match(spans, [
    { op: 'http.client', status: 'internal_error' },
    { op: 'http.client', status: 'internal_error' }
  ])
})

t.test('the span of a request with early hints has the status of the final response', async (t) => {
  const server = await openUnrulyServer(t)
  server.will((response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.writeHead(404).end()
  })
  const { send, transaction } = await createApp(t, {
    async handle() {
      for (const request of Object.values(CLIENTS)) await request(server.origin)
    }
  })
  await send()
  const { spans } = await transaction()
  t.match(
    spans,
    Object.keys(CLIENTS).map(() => ({ op: 'http.client', status: 'not_found' }))
  )
})

t.test('an outgoing request of an unsampled request has trace headers and no span', async (t) => {
  const server = await openUnrulyServer(t)
  const { send, collector, app } = await createApp(t, {
    targets: [server.origin],
    handle: () => CLIENTS['node:http']!(server.origin)
  })
  await send({ 'sentry-trace': `${TRACE}-${PARENT}-0` })
  t.match(server.seen[0]!.headers['sentry-trace'], new RegExp(`^${TRACE}-(?!${PARENT})[0-9a-f]{16}-0$`))
  await app.telemetry!.flush(60_000)
  t.equal(collector.transactions.length, 0)
})

t.test('outgoing requests outside of a request, or in another application, have no trace headers', async (t) => {
  const server = await openUnrulyServer(t)
  await createApp(t, { targets: [server.origin], handle: () => {} })
  const { send } = await createApp(t, { handle: () => CLIENTS.fetch!(server.origin) })
  await CLIENTS.fetch!(server.origin)
  await send()
  t.equal(server.seen.length, 2)
  for (const { headers } of server.seen) for (const header of NAMES) t.notOk(header in headers, header)
})

t.test('an array of headers that `node:http` writes immediately stays unchanged', async (t) => {
  const server = await openUnrulyServer(t)
  const { hostname, port } = new URL(server.origin)
  const { send } = await createApp(t, {
    targets: [server.origin],
    handle: () =>
      new Promise((resolve, reject) => {
        httpRequest({ hostname, port, headers: ['host', 'x', 'a', 'b'] }, (response) =>
          response.resume().on('end', () => resolve('done'))
        )
          .on('error', reject)
          .end()
      })
  })
  t.equal((await send()).statusCode, 200)
  t.match(server.seen[0]!.headers, { a: 'b' })
})
