import { once } from 'node:events'
import websocket from '@fastify/websocket'
import Fastify from 'fastify'
import t from 'tap'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import replyClose from '../../../shell/src/plugins/reply-close.ts'
import telemetry from '../../src/plugins/telemetry.ts'
import tracing from '../../src/plugins/tracing.ts'
import { inSpan } from '../../src/tracing/span.ts'
import { createTracingApp, echo, SPAN, TRACE } from '../helpers/tracing-app.ts'

t.test('spans', async (t) => {
  t.test('of a sampled request are in one transaction with the name of the route, each below its parent', async (t) => {
    const collector = createCollector()
    const { app, flush } = await createTracingApp(t, {
      collector,
      sampleRate: 1,
      setUp: (app) =>
        app.get('/items/:id', async () => {
          await inSpan({ op: 'outer', name: 'o' }, async () => {
            await Promise.all(
              [1, 2].map((n) => inSpan({ op: 'inner', name: `i${n}` }, async () => new Promise(setImmediate)))
            )
          })
          return 'done'
        })
    })
    await app.inject({
      url: '/items/7?token=x',
      headers: { 'sentry-trace': `${TRACE}-${SPAN}-1`, baggage: `sentry-release=web` }
    })
    await flush()
    const [transaction] = collector.transactions
    t.match(transaction, {
      transaction: '/items/:id',
      transaction_info: { source: 'route' },
      contexts: {
        trace: {
          trace_id: TRACE,
          parent_span_id: SPAN,
          op: 'http.server',
          data: { 'http.request.method': 'GET', 'url.path': '/items/7', 'http.response.status_code': 200 }
        }
      },
      request: { url: 'http://localhost:80/items/7', method: 'GET' }
    })
    const { spans } = transaction as {
      spans: Array<{ op: string; span_id: string; parent_span_id: string; trace_id: string }>
    }
    const outer = spans.find(({ op }) => op === 'outer')!
    t.equal(outer.parent_span_id, transaction!.contexts!.trace!.span_id)
    t.same(
      spans.filter(({ op }) => op === 'inner').map((span) => span.parent_span_id),
      [outer.span_id, outer.span_id]
    )
    t.match(collector.headers[0], { trace: { release: 'web' } })
  })

  t.test('of failed work have an error status, whatever number its error has as status', async (t) => {
    const collector = createCollector()
    const { app, flush } = await createTracingApp(t, {
      collector,
      sampleRate: 1,
      setUp: (app) =>
        app.get('/', async () => {
          for (const status of [0, 128, 200, 404]) {
            const error = Object.assign(new Error('failed'), { status })
            await inSpan({ op: 'work', name: String(status) }, () => Promise.reject(error)).catch(() => {})
          }
          return 'done'
        })
    })
    await app.inject('/')
    await flush()
    const { spans } = collector.transactions[0] as unknown as { spans: Array<{ description: string; status: string }> }
    t.same(
      spans.map(({ description, status }) => [description, status]),
      [
        ['0', 'internal_error'],
        ['128', 'internal_error'],
        ['200', 'internal_error'],
        ['404', 'not_found']
      ]
    )
  })

  t.test('are not opened in an unsampled request, nor on a route with the config `untraced`', async (t) => {
    const collector = createCollector()
    const { app, flush } = await createTracingApp(t, {
      collector,
      sampleRate: 1,
      setUp(app) {
        const work = async () => inSpan({ op: 'work', name: 'w' }, (span) => String(span))
        app.get('/', work)
        app.get('/probe', { config: { untraced: true } }, work)
      }
    })
    t.equal((await app.inject({ url: '/', headers: { 'sentry-trace': `${TRACE}-${SPAN}-0` } })).body, 'undefined')
    t.equal((await app.inject('/probe')).body, 'undefined')
    await flush()
    t.equal(collector.transactions.length, 0)
  })

  t.test('are recorded for at most ten requests per second whose headers request it', async (t) => {
    const collector = createCollector()
    const { app, flush } = await createTracingApp(t, { collector, sampleRate: 0, setUp: echo })
    for (let i = 0; i < 30; i++) {
      const trace = i.toString(16).padStart(32, 'a')
      await app.inject({
        url: '/',
        headers:
          i % 2
            ? { 'sentry-trace': `${trace}-${SPAN}-1` }
            : { traceparent: `00-${trace}-${SPAN}-01`, baggage: 'sentry-sample_rand=0' }
      })
    }
    await flush()
    t.equal(collector.transactions.length, 10)
  })
})

for (const hasShell of [true, false])
  t.test(
    `the transaction of a WebSocket has the status of its handshake, ${hasShell ? 'with' : 'without'} the shell`,
    async (t) => {
      const collector = createCollector()
      const app = Fastify()
      t.teardown(() => app.close())
      if (hasShell) await app.register(replyClose)
      await app.register(telemetry, { to: collector.to, environment: 'test', release: '1.0', sampleRate: 1 })
      await app.register(tracing, { sampleRate: 1 })
      await app.register(websocket)
      app.get('/open', { websocket: true }, (socket) => socket.close())
      const refuse = async (_request: unknown, reply: { code: (status: number) => { send: () => unknown } }) =>
        reply.code(401).send()
      app.get('/refused', { websocket: true, onRequest: refuse }, (socket) => socket.close())
      const origin = await app.listen({ host: '127.0.0.1', port: 0 })
      for (const [path, status, state] of [
        ['/open', 101, 'ok'],
        ['/refused', 401, 'unauthenticated']
      ] as const) {
        await once(new WebSocket(`${origin.replace('http', 'ws')}${path}`), 'close')
        const transaction = await eventually(async () => {
          await app.telemetry!.flush(60_000)
          return collector.transactions.find((one) => one.transaction === path)
        })
        t.match(transaction.contexts!.trace, { status: state, data: { 'http.response.status_code': status } }, path)
      }
    }
  )
