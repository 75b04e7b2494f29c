// Runs in a process of its own: it initializes the SDK of its process.
import * as Sentry from '@sentry/node'
import { tracingChannel } from 'node:diagnostics_channel'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { inSpan } from '../../src/tracing/span.ts'
import afterStart from '../../../shell/src/plugins/after-start.ts'
import errorReport from '../../../shell/src/plugins/error-report.ts'
import replyClose from '../../../shell/src/plugins/reply-close.ts'
import monitoring from '../../src/plugins/monitoring.ts'
import telemetry from '../../src/plugins/telemetry.ts'
import tracing from '../../src/plugins/tracing.ts'
import tunnel from '../../src/plugins/tunnel.ts'
import { LogRecorder } from '@hull/test-helpers/log-recorder.ts'
import { createCollector, DSN } from '@hull/test-helpers/collector.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

/* Uses `@sentry/node` as an application does, with its own import of the package. */

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const SAMPLED = { 'sentry-trace': `${TRACE}-${PARENT}-1` }

interface Options {
  late?: boolean
  targets?: string[]
  setUp: (app: FastifyInstance) => unknown
}

async function createApp(t: Test, { late = false, targets, setUp }: Options) {
  const collector = createCollector()
  const logs = new LogRecorder()
  const app = Fastify({ logger: { stream: logs } })
  t.teardown(() => app.close())
  await app.register(afterStart)
  await app.register(replyClose)
  await app.register(telemetry, { to: collector.to, late, environment: 'test', release: '1.0', sampleRate: 1 })
  await app.register(tracing, { sampleRate: 1, targets })
  await app.register(errorReport)
  await setUp(app)
  await app.ready()
  const flush = () => app.telemetry!.flush(60_000)
  const send = async (url = '/') => {
    const response = await app.inject({ url, headers: SAMPLED })
    await flush()
    return response
  }
  return { app, collector, logs, send, flush }
}

interface Transaction {
  transaction: string
  contexts: { trace: { trace_id: string; span_id: string } }
  spans: Array<{ op: string; description: string; span_id: string; parent_span_id: string }>
}

const transactionsOf = ({ transactions }: ReturnType<typeof createCollector>) =>
  transactions as unknown as Transaction[]

for (const late of [true, false]) {
  t.test(`calls in a request reach the server's client, ${late ? 'before' : 'after'} the SDK is loaded`, async (t) => {
    const { app, collector, send } = await createApp(t, {
      late,
      setUp: (app) =>
        app.get('/items/:id', async () => {
          Sentry.setUser({ id: 'ada' })
          Sentry.setTag('shelf', 'north')
          Sentry.addBreadcrumb({ message: 'looked' })
          Sentry.captureException(new TypeError('own'))
          Sentry.withScope((scope) => {
            scope.setTag('inner', 'yes')
            Sentry.captureMessage('said', 'warning')
          })
          return Sentry.startSpan({ name: 'theirs', op: 'work' }, () =>
            inSpan({ op: 'ours', name: 'inner' }, () => 'ok')
          )
        })
    })
    t.equal(app.telemetry!.isReady, !late)
    t.equal((await send('/items/7?token=secret')).body, 'ok')
    const [exception, message] = collector.errors
    for (const event of [exception, message]) {
      t.match(event, {
        user: { id: 'ada' },
        tags: { shelf: 'north', request_id: /./ },
        breadcrumbs: [{ message: 'looked' }],
        contexts: { trace: { trace_id: TRACE } },
        request: { url: 'http://localhost:80/items/7', query_string: 'token=[Filtered]' },
        environment: 'test',
        release: '1.0',
        sdk: { name: 'sentry.javascript.node', version: Sentry.SDK_VERSION }
      })
    }
    t.match(exception!.exception!.values, [{ type: 'TypeError', value: 'own' }])
    t.match([message!.message, message!.level, message!.tags!.inner], ['said', 'warning', 'yes'])
    t.notOk('inner' in exception!.tags!)
    if (late) return // A request that began before the SDK was loaded has no spans.
    const [transaction] = transactionsOf(collector)
    const [theirs, ours] = ['theirs', 'inner'].map((name) =>
      transaction!.spans.find(({ description }) => description === name)
    )
    t.equal(transaction!.contexts.trace.trace_id, TRACE)
    t.equal(theirs!.parent_span_id, transaction!.contexts.trace.span_id)
    t.equal(ours!.parent_span_id, theirs!.span_id)
  })

  t.test(`calls outside of requests are sent, ${late ? 'before' : 'after'} the SDK is loaded`, async (t) => {
    const { collector, flush } = await createApp(t, { late, setUp: () => {} })
    Sentry.captureException(new Error('in a job'))
    await Sentry.withMonitor('nightly', async () => {}, { schedule: { type: 'crontab', value: '0 3 * * *' } })
    Sentry.captureCheckIn({ monitorSlug: 'hourly', status: 'error' })
    await flush()
    t.equal(collector.errors.length, 1)
    t.match(collector.checkIns, [
      { monitor_slug: 'nightly', status: 'in_progress', monitor_config: { schedule: { value: '0 3 * * *' } } },
      { monitor_slug: 'nightly', status: 'ok' },
      { monitor_slug: 'hourly', status: 'error' }
    ])
  })
}

t.test('the user that a hook sets in a request of the tunnel is not the user of other requests', async (t) => {
  const { app, collector, send } = await createApp(t, {
    async setUp(app) {
      app.addHook('onRequest', async ({ headers }) => {
        if (headers.cookie !== undefined) Sentry.setUser({ id: headers.cookie })
      })
      const file = join(createFolder(t), 'spool.db')
      await app.register(tunnel, { providers: [{ dsn: DSN }], file, maxBytes: 2 ** 20, maxAge: 60_000 })
      await app.register(monitoring, { dsns: [DSN], sink: app.tunnel! })
      app.get('/', async () => {
        Sentry.captureException(new Error('of nobody'))
        return 'ok'
      })
    }
  })
  const envelope = `${JSON.stringify({ dsn: DSN })}\n{"type":"event"}\n{}`
  const sent = await app.inject({ method: 'POST', url: '/monitoring', headers: { cookie: 'ada' }, body: envelope })
  t.equal(sent.statusCode, 200)
  await send()
  t.equal(collector.errors.length, 1)
  t.equal(collector.errors[0]!.user?.id, undefined)
})

t.test('each job has a trace, and its requests send it only to targets', async (t) => {
  const [target, other] = [await openUnrulyServer(t), await openUnrulyServer(t)]
  const { collector, flush } = await createApp(t, { targets: [target.origin], setUp: () => {} })
  for (let i = 0; i < 2; i++)
    await Sentry.withIsolationScope(() =>
      Sentry.startSpan({ name: 'job' }, async () => {
        for (const { origin } of [target, other])
          await (await fetch(origin, { headers: { baggage: 'a=1' } })).arrayBuffer()
      })
    )
  await flush()
  const transactions = transactionsOf(collector)
  t.equal(new Set(transactions.map(({ contexts }) => contexts.trace.trace_id)).size, 2)
  for (const [index, { contexts, spans }] of transactions.entries()) {
    t.equal(spans.length, 2)
    const { headers } = target.seen[index]!
    t.equal(headers['sentry-trace'], `${contexts.trace.trace_id}-${spans[0]!.span_id}-1`)
    t.match(headers.traceparent, new RegExp(`^00-${contexts.trace.trace_id}-${spans[0]!.span_id}-0`))
    t.match(headers.baggage, /^sentry-.*,a=1$/)
  }
  for (const { headers } of other.seen) t.notMatch(Object.keys(headers).join(), /sentry-trace|traceparent/)
  t.match(other.seen[0]!.headers.baggage, /^a=1$/)
})

t.test('integrations that an application adds', async (t) => {
  t.test('for outgoing requests add no second span, and no trace headers for other hosts', async (t) => {
    const server = await openUnrulyServer(t)
    const { collector, send } = await createApp(t, {
      setUp(app) {
        Sentry.addIntegration(Sentry.nativeNodeFetchIntegration())
        Sentry.addIntegration(Sentry.httpIntegration())
        app.get('/', async () => (await fetch(server.origin)).text())
      }
    })
    await send()
    t.equal(transactionsOf(collector)[0]!.spans.length, 1)
    t.notOk('sentry-trace' in server.seen[0]!.headers)
    t.notOk('baggage' in server.seen[0]!.headers)
  })

  t.test('process events', async (t) => {
    const { collector, flush } = await createApp(t, { setUp: () => {} })
    Sentry.addIntegration(Sentry.extraErrorDataIntegration())
    Sentry.captureException(Object.assign(new Error('x'), { shelf: 7 }))
    await flush()
    t.match(collector.errors[0]!.contexts, { Error: { shelf: 7 } })
  })

  t.test('on diagnostics channels add their spans to the trace, below the current span', async (t) => {
    // The channel on which ioredis itself publishes.
    const channel = tracingChannel<object>('ioredis:command')
    const { collector, send } = await createApp(t, {
      setUp(app) {
        Sentry.addIntegration(Sentry.redisIntegration())
        app.get('/', async () => {
          await inSpan({ op: 'getData', name: 'page' }, () =>
            channel.tracePromise(async () => inSpan({ op: 'inner', name: 'inside' }, async () => {}), {
              command: 'GET',
              args: ['key'],
              database: 0,
              serverAddress: '127.0.0.1',
              serverPort: 6379
            })
          )
          return 'ok'
        })
      }
    })
    await send()
    const { spans } = transactionsOf(collector)[0]!
    const [page, redis, inner] = ['getData', 'db', 'inner'].map((op) => spans.find((span) => span.op.startsWith(op)))
    t.equal(redis?.parent_span_id, page!.span_id, JSON.stringify(spans))
    t.equal(inner?.parent_span_id, redis?.span_id)
  })
})

t.test('an error that the application captures and then reports has the digest of its log line', async (t) => {
  const { collector, logs, send } = await createApp(t, {
    setUp: (app) =>
      app.get('/', async (request) => {
        const error = new Error('captured before')
        Sentry.captureException(error)
        return request.reportError(error)
      })
  })
  const { body: digest } = await send()
  t.match(logs.takeErrors(), [{ digest }])
  t.ok(collector.errors.some(({ tags }) => tags?.digest === digest))
})

t.test('logs, metrics and feedback of the application have no secrets, and only the id of the user', async (t) => {
  const { collector, send } = await createApp(t, {
    setUp: (app) =>
      app.get('/', async () => {
        Sentry.setUser({ id: 'ada', email: 'ada@example.org', username: 'a secret name' })
        Sentry.setAttributes({ password: 'a secret word', plan: 'from ada@example.org' })
        Sentry.addBreadcrumb({ message: 'GET /?token=secret' })
        Sentry.logger.info(Sentry.logger.fmt`paid by ${'bob@example.org'}`, { cart: { cvv: 'a secret' }, shelf: 7 })
        Sentry.metrics.count('orders', 1, { attributes: { token: 'a secret word', shelf: 7 } })
        const url = 'https://shop.example/?token=secret'
        Sentry.captureFeedback({ message: 'It hangs', name: 'Eve', email: 'eve@home.example', url })
        return 'ok'
      })
  })
  await send('/?token=secret')
  for (const type of ['log', 'trace_metric', 'feedback']) {
    const text = collector.texts.find((envelope) => envelope.includes(`"type":"${type}"`))!
    t.match(text, TRACE)
    t.match(text, '"ada"')
    t.notMatch(text, /example\.org|secret/, type)
    const kept = type === 'feedback' ? ['It hangs', 'Eve', 'eve@home.example'] : ['shelf']
    for (const word of kept) t.match(text, `"${word}"`)
  }
})

t.test('a call of Sentry.init() is logged once, and has no effect', async (t) => {
  const other = createCollector()
  const { collector, logs, send } = await createApp(t, {
    setUp(app) {
      Sentry.init({
        dsn: 'http://other@127.0.0.1:9/7',
        transport: (options) =>
          Sentry.createTransport(options, async ({ body }) => (await other.to.send('', Buffer.from(body))) ?? {})
      })
      app.get('/', async (request) => {
        Sentry.setTag('who', 'ada')
        Sentry.captureException(new Error('in a request'))
        return request.trace.traceId
      })
    }
  })
  Sentry.captureException(new Error('outside'))
  t.equal((await send()).body, TRACE)
  t.match(
    collector.errors.map(({ exception, tags }) => [exception!.values![0]!.value, tags?.who]),
    [
      ['outside', undefined],
      ['in a request', 'ada']
    ]
  )
  t.equal(other.texts.length, 0)
  const lines = logs.lines.filter(({ code }) => code === 'APP_TELEMETRY_SECOND_INIT')
  t.match(lines, [{ level: 40, msg: /^Sentry\.init\(\) was called, and has no effect/ }])
})

t.test('a second version of the SDK is logged', async (t) => {
  const carriers = (globalThis as unknown as { __SENTRY__: Record<string, object> }).__SENTRY__
  carriers['9.9.9'] = {}
  t.teardown(() => delete carriers['9.9.9'])
  const { logs } = await createApp(t, { setUp: () => {} })
  const lines = logs.lines.filter(({ code }) => code === 'APP_TELEMETRY_OTHER_VERSION')
  t.match(lines, [{ level: 40, msg: `install @sentry/node ${Sentry.SDK_VERSION} exactly` }])
  t.equal(lines.length, 1)
  t.match(lines[0]!.msg, '9.9.9')
})
