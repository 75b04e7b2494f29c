import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import undici from 'undici'
import { CHANNELS } from '../../../common/src/channels.ts'
import { publishWork } from '../../../shell/src/server/publish.ts'
import { createPageFetch } from '../../../shell/src/fetch/page-fetch.ts'
import { openExternalFetch } from '../../../shell/src/fetch/external-fetch.ts'
import { inSpan } from '../../src/tracing/span.ts'
import errorReport from '../../../shell/src/plugins/error-report.ts'
import replyClose from '../../../shell/src/plugins/reply-close.ts'
import telemetry from '../../src/plugins/telemetry.ts'
import tracing, { type TracingOptions } from '../../src/plugins/tracing.ts'
import { LogRecorder } from '@hull/test-helpers/log-recorder.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

interface AppOptions extends Partial<TracingOptions> {
  collector?: ReturnType<typeof createCollector>
  setUp: (app: FastifyInstance) => unknown
}

async function createApp(t: Test, { sampleRate = 0, targets = [], collector, setUp }: AppOptions) {
  const logs = new LogRecorder()
  const app = Fastify({ logger: { stream: logs } })
  t.teardown(() => app.close())
  await app.register(replyClose)
  await app.register(telemetry, { to: collector?.to, environment: 'test', release: '1.0', sampleRate })
  await app.register(tracing, { sampleRate, targets })
  await app.register(errorReport)
  await setUp(app)
  await app.ready()
  return { app, logs, flush: () => app.telemetry!.flush(60_000) }
}

/** Returns the headers that the request's trace would send to another service. */
const echo = (app: FastifyInstance) => app.get('/', async ({ trace }) => trace.toHeaders())

t.test('a request', async (t) => {
  t.test('begins a trace when it comes with none, and each request another', async (t) => {
    const { app } = await createApp(t, { collector: createCollector(), setUp: echo })
    const [one, two] = await Promise.all([app.inject('/'), app.inject('/')])
    const headers = one.json<Record<string, string>>()
    t.match(headers['sentry-trace'], /^[0-9a-f]{32}-[0-9a-f]{16}-0$/)
    t.equal(headers.traceparent, `00-${headers['sentry-trace']!.slice(0, 49)}-02`)
    t.match(
      headers.baggage,
      /^sentry-trace_id=[0-9a-f]{32},sentry-sampled=false,sentry-sample_rand=0(\.\d+)?,sentry-environment=test,sentry-release=1\.0,/
    )
    t.not(two.json<typeof headers>()['sentry-trace'], headers['sentry-trace'])
  })

  t.test('continues the trace of sentry-trace and its baggage, which wins over traceparent', async (t) => {
    const { app } = await createApp(t, { collector: createCollector(), setUp: echo })
    const { 'sentry-trace': sentryTrace, ...rest } = (
      await app.inject({
        url: '/',
        headers: {
          'sentry-trace': `${TRACE}-${SPAN}-0`,
          traceparent: `00-${'1'.repeat(32)}-${SPAN}-01`,
          baggage: `tenant=blue;ttl=1, sentry-trace_id=${TRACE},sentry-release=web%401.2,sentry-sample_rand=0.5`
        }
      })
    ).json<Record<string, string>>()
    t.match(sentryTrace, new RegExp(`^${TRACE}-(?!${SPAN})[0-9a-f]{16}-0$`))
    t.equal(rest.baggage, `sentry-trace_id=${TRACE},sentry-release=web%401.2,sentry-sample_rand=0.5,tenant=blue;ttl=1`)
  })

  t.test('continues the trace of traceparent, and passes tracestate on', async (t) => {
    const { app } = await createApp(t, { collector: createCollector(), setUp: echo })
    const headers = { traceparent: `00-${TRACE}-${SPAN}-00`, tracestate: 'rojo=00f067aa0ba902b7, congo=t61rcWkgMzE' }
    const sent = (await app.inject({ url: '/', headers })).json<Record<string, string>>()
    t.match(sent.traceparent, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
    t.equal(sent.tracestate, 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE')
  })

  t.test('with a malformed header begins a trace of its own, and nothing of it goes on', async (t) => {
    const { app } = await createApp(t, { collector: createCollector(), setUp: echo })
    const malformed = [
      { 'sentry-trace': `${TRACE}-${SPAN}-2` },
      { 'sentry-trace': `${TRACE.toUpperCase()}-${SPAN}-1` },
      { 'sentry-trace': `${'0'.repeat(32)}-${SPAN}-1` },
      { 'sentry-trace': `${TRACE}-${SPAN}-1, ${TRACE}-${SPAN}-1` },
      { 'sentry-trace': '', traceparent: `00-${TRACE}-${SPAN}-01` },
      { traceparent: `ff-${TRACE}-${SPAN}-01` },
      { traceparent: `00-${TRACE}-${SPAN}-01-more` },
      { traceparent: `00-${TRACE}-${'0'.repeat(16)}-01`, tracestate: 'rojo=1' }
    ]
    for (const headers of malformed) {
      const { body } = await app.inject({ url: '/', headers: { baggage: 'sentry-release=evil', ...headers } })
      t.notMatch(body, TRACE, JSON.stringify(headers))
      t.notMatch(body, 'evil')
      t.notMatch(body, 'rojo')
    }
  })

  t.test('leaves the decision to others if nothing is recorded, and passes on an existing decision', async (t) => {
    const { app } = await createApp(t, { setUp: echo })
    const ask = async (sentryTrace?: string) =>
      (await app.inject({ url: '/', headers: sentryTrace ? { 'sentry-trace': sentryTrace } : {} })).json<
        Record<string, string>
      >()
    t.match((await ask())['sentry-trace'], /^[0-9a-f]{32}-[0-9a-f]{16}$/)
    t.match((await ask(`${TRACE}-${SPAN}-1`))['sentry-trace'], /-1$/)
    t.match((await ask(`${TRACE}-${SPAN}-0`))['sentry-trace'], /-0$/)
    t.equal((await ask()).baggage, undefined)
  })

  t.test('has its trace in every line of its log, after a body was read too', async (t) => {
    const { app, logs } = await createApp(t, {
      setUp(app) {
        app.post('/', async (request) => {
          request.log.info('inside')
          return inSpan({ op: 'work', name: 'w' }, (span) => ({ parent: span?.id }))
        })
        app.onReplyClose(({ request }) => request.log.info('over'))
      },
      collector: createCollector(),
      sampleRate: 1
    })
    // Sent over a socket and late: a body that is there at once would be read in the context of the request.
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const late = Readable.from(
      (async function* () {
        yield '{"a":'
        await pause(50)
        yield '1}'
      })()
    )
    const { body: answer } = await undici.request(origin, {
      method: 'POST',
      body: late,
      headers: { 'content-type': 'application/json' }
    })
    const body = await answer.text()
    t.match(body, /"parent":"[0-9a-f]{16}"/, 'the body was read, and the context is there')
    const lines = logs.lines.filter(({ msg }) => msg === 'inside' || msg === 'over')
    t.equal(lines.length, 2)
    for (const line of lines) t.match(line, { trace_id: /^[0-9a-f]{32}$/, span_id: /^[0-9a-f]{16}$/ })
    t.equal(lines[0]!.trace_id, lines[1]!.trace_id)
  })
})

t.test('a document', async (t) => {
  t.test('gets the trace in meta tags or Server-Timing, without foreign baggage', async (t) => {
    const { app } = await createApp(t, {
      collector: createCollector(),
      setUp: (app) =>
        app.get('/', async ({ trace }) => ({ tags: trace.metaTags(), timing: trace.serverTiming(), id: trace.spanId }))
    })
    const headers = { 'sentry-trace': `${TRACE}-${SPAN}-0`, baggage: `sentry-release=a%22b%3C,tenant=blue` }
    const { tags, timing, id } = (await app.inject({ url: '/', headers })).json<Record<string, string>>()
    t.match(
      tags,
      `<meta name="sentry-trace" content="${TRACE}-${id}-0"><meta name="baggage" content="sentry-release=a%22b%3C,sentry-sample_rand=`
    )
    t.match(timing, `sentry-trace;desc="${TRACE}-${id}-0", baggage;desc="sentry-release=a%22b%3C,sentry-sample_rand=`)
    t.notMatch(tags! + timing!, 'tenant')
  })
})

t.test('spans', async (t) => {
  t.test('of a recorded request are one transaction, named by the route, each below the one around it', async (t) => {
    const collector = createCollector()
    const { app, flush } = await createApp(t, {
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

  t.test('are not opened in a request that is not recorded, nor on an untraced route', async (t) => {
    const collector = createCollector()
    const { app, flush } = await createApp(t, {
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

  t.test('of strangers who want to be recorded are ten a second', async (t) => {
    const collector = createCollector()
    const { app, flush } = await createApp(t, { collector, sampleRate: 0, setUp: echo })
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

t.test('ctx.fetch', async (t) => {
  const fetchWith = (app: FastifyInstance, headers?: Record<string, string>) =>
    app.get('/page', async (request) => {
      const externalFetch = openExternalFetch()
      const fetch = createPageFetch({
        externalFetch,
        origin: 'http://localhost',
        inject: (options) => app.inject(options),
        wrapAttempt: (attempt, run) => publishWork(CHANNELS.fetch, { server: app, request, ...attempt }, run),
        backoff: { base: 1, cap: 1 }
      })
      const { to } = request.query as { to: string }
      const answer = await fetch(to, { headers }).catch((error: Error) => error.message)
      await externalFetch.destroy()
      return typeof answer === 'string' ? answer : answer.text()
    })

  t.test('carries the trace to a target, each attempt a span of its own', async (t) => {
    const server = await openUnrulyServer(t)
    const collector = createCollector()
    const { app, flush } = await createApp(t, {
      collector,
      sampleRate: 1,
      targets: [server.origin],
      setUp: (app) => fetchWith(app, { baggage: 'cart=7,sentry-release=mine' })
    })
    server.will(
      (response) => response.writeHead(503).end(),
      (response) => response.end('fine')
    )
    const headers = { 'sentry-trace': `${TRACE}-${SPAN}-1`, baggage: 'tenant=blue' }
    t.equal((await app.inject({ url: `/page?to=${server.origin}/x`, headers })).body, 'fine')
    await flush()
    const { spans } = collector.transactions[0] as {
      spans: Array<{ op: string; span_id: string; description: string; data: object; status: string }>
    }
    t.match(spans, [
      {
        op: 'http.client',
        description: `GET ${server.origin}/x`,
        data: { 'http.response.status_code': 503 },
        status: 'unavailable'
      },
      {
        op: 'http.client',
        description: `GET ${server.origin}/x`,
        data: { 'http.response.status_code': 200 },
        status: 'ok'
      }
    ])
    t.same(
      server.seen.map((seen) => seen.headers['sentry-trace']),
      spans.map((span) => `${TRACE}-${span.span_id}-1`)
    )
    t.same(
      server.seen.map((seen) => seen.headers.traceparent),
      spans.map((span) => `00-${TRACE}-${span.span_id}-01`)
    )
    t.match(server.seen[0]!.headers.baggage, /^sentry-sample_rand=[\d.]+,cart=7,tenant=blue$/)
  })

  t.test('sends no trace to other services, or to an origin that only begins alike', async (t) => {
    const server = await openUnrulyServer(t)
    const { app } = await createApp(t, {
      collector: createCollector(),
      sampleRate: 1,
      targets: [`${server.origin}0`, server.origin.slice(0, -1), 'https://127.0.0.1'],
      setUp: (app) => fetchWith(app)
    })
    await app.inject({
      url: `/page?to=${server.origin}/x`,
      headers: { 'sentry-trace': `${TRACE}-${SPAN}-1`, baggage: 'a=1' }
    })
    t.equal(server.seen.length, 1)
    for (const name of ['sentry-trace', 'baggage', 'traceparent', 'tracestate'])
      t.notOk(name in server.seen[0]!.headers, name)
  })

  t.test('propagates from a request that is not recorded', async (t) => {
    const server = await openUnrulyServer(t)
    const { app } = await createApp(t, {
      collector: createCollector(),
      targets: [server.origin],
      setUp: (app) => fetchWith(app)
    })
    await app.inject({ url: `/page?to=${server.origin}/x`, headers: { 'sentry-trace': `${TRACE}-${SPAN}-0` } })
    t.match(server.seen[0]!.headers['sentry-trace'], new RegExp(`^${TRACE}-[0-9a-f]{16}-0$`))
  })

  t.test('a request to an own route is part of the same transaction, whatever headers the page sends', async (t) => {
    const collector = createCollector()
    const { app, flush } = await createApp(t, {
      collector,
      sampleRate: 1,
      setUp(app) {
        fetchWith(app, { 'sentry-trace': `${'1'.repeat(32)}-${SPAN}-0` })
        app.get('/own', async (request) => `${request.trace.traceId} ${request.headers['sentry-trace']}`)
      }
    })
    const { body } = await app.inject({ url: '/page?to=/own', headers: { 'sentry-trace': `${TRACE}-${SPAN}-1` } })
    await flush()
    t.match(body, new RegExp(`^${TRACE} ${TRACE}-`))
    t.equal(collector.transactions.length, 1)
    const { spans, contexts } = collector.transactions[0] as unknown as {
      spans: Array<Record<string, string>>
      contexts: { trace: { span_id: string } }
    }
    const attempt = spans.find(({ op }) => op === 'http.client')!
    const route = spans.find(({ op }) => op === 'http.server')!
    t.equal(attempt.parent_span_id, contexts.trace.span_id)
    t.equal(route.parent_span_id, attempt.span_id)
    t.equal(route.description, '/own')
  })
})
