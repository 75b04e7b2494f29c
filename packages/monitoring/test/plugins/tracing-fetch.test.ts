import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'
import { CHANNELS } from '../../../common/src/channels.ts'
import { openExternalFetch } from '../../../shell/src/fetch/external-fetch.ts'
import { createPageFetch } from '../../../shell/src/fetch/page-fetch.ts'
import { publishWork } from '../../../shell/src/server/publish.ts'
import { createTracingApp, SPAN, TRACE } from '../helpers/tracing-app.ts'

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
      const result = await fetch(to, { headers }).catch((error: Error) => error.message)
      await externalFetch.destroy()
      return typeof result === 'string' ? result : result.text()
    })

  t.test('sends the trace to a target, with a span for each attempt', async (t) => {
    const server = await openUnrulyServer(t)
    const collector = createCollector()
    const { app, flush } = await createTracingApp(t, {
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

  t.test('sends no trace to other services, or to an origin that begins with a target', async (t) => {
    const server = await openUnrulyServer(t)
    const { app } = await createTracingApp(t, {
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

  t.test('sends trace headers from an unsampled request', async (t) => {
    const server = await openUnrulyServer(t)
    const { app } = await createTracingApp(t, {
      collector: createCollector(),
      targets: [server.origin],
      setUp: (app) => fetchWith(app)
    })
    await app.inject({ url: `/page?to=${server.origin}/x`, headers: { 'sentry-trace': `${TRACE}-${SPAN}-0` } })
    t.match(server.seen[0]!.headers['sentry-trace'], new RegExp(`^${TRACE}-[0-9a-f]{16}-0$`))
  })

  t.test('adds a request to an own route to the same transaction, whatever headers the page sends', async (t) => {
    const collector = createCollector()
    const { app, flush } = await createTracingApp(t, {
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
