import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { postForm } from '@hull/test-helpers/post-form.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'
import { answer, openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

const site = await buildFixtureSite()
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

interface SpanJson {
  op: string
  description: string
  span_id: string
  parent_span_id: string
  trace_id: string
}

/** Creates the whole application, with every trace sampled. */
async function createTracedApp(t: Parameters<typeof createTestApp>[0], env: Record<string, string> = {}) {
  const collector = createCollector()
  const { app, logs } = await createTestApp(t, {
    site,
    env: { TRACES_SAMPLE_RATE: '1', ...env },
    telemetryTo: collector.to
  })
  return { app, logs, collector, flush: () => app.telemetry!.flush(60_000) }
}

/** Returns the meta tags of a document that carry its trace. */
const tagsOf = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<meta name="(sentry-trace|baggage)" content="([^"]*)">/g)].map((m) => [m[1], m[2]])
  )

t.test('document, guards, data, attempts, render, log and upstream requests are one trace', async (t) => {
  const server = await openUnrulyServer(t)
  server.will(answer(503), answer(200, {}, 'from afar'))
  const { app, logs, collector, flush } = await createTracedApp(t, { TRACE_TARGETS: server.origin })
  const response = await app.inject({ url: `/traced/7?from=${server.origin}/x`, headers: { 'x-user': 'ada' } })
  t.match(response.body, 'from afar')
  await flush()

  t.equal(collector.transactions.length, 1)
  const transaction = collector.transactions[0]!
  const { trace_id: traceId, span_id: rootId } = transaction.contexts!.trace!
  t.match(transaction, { transaction: '/traced/[id]', contexts: { trace: { op: 'http.server' } } })
  t.match(collector.headers[0], {
    trace: { trace_id: traceId, transaction: '/traced/[id]', sampled: 'true', sample_rate: '1' }
  })
  t.match(tagsOf(response.body), { 'sentry-trace': `${traceId}-${rootId}-1`, baggage: `sentry-trace_id=${traceId},` })
  t.match(tagsOf(response.body).baggage, 'sentry-transaction=%2Ftraced%2F%5Bid%5D')

  const spans = (transaction as unknown as { spans: SpanJson[] }).spans
  const find = (op: string, name: string) => spans.filter((span) => span.op === op && span.description === name)
  const only = (op: string, name: string) => {
    const found = find(op, name)
    t.equal(found.length, 1, `${op} ${name}`)
    return found[0]!
  }
  for (const op of ['guard', 'getData']) {
    t.equal(only(op, 'members').parent_span_id, rootId)
    t.equal(only(op, '/traced/[id]').parent_span_id, rootId)
  }
  t.equal(only('render', '/traced/[id]').parent_span_id, rootId)
  const data = only('getData', '/traced/[id]')
  const attempts = find('http.client', `GET ${server.origin}/x`)
  t.same(
    attempts.map((span) => span.parent_span_id),
    [data.span_id, data.span_id]
  )
  const own = only('http.client', 'GET http://localhost/about')
  t.equal(own.parent_span_id, data.span_id)
  const route = only('http.server', '/about')
  t.equal(route.parent_span_id, own.span_id)
  t.equal(only('render', '/about').parent_span_id, route.span_id)

  t.same(
    server.seen.map(({ headers }) => headers['sentry-trace']),
    attempts.map((span) => `${traceId}-${span.span_id}-1`)
  )
  const lines = logs.lines.filter(({ msg }) => ['loading', 'request'].includes(msg))
  t.same(
    lines.map((line) => [line.trace_id, line.span_id]),
    [
      [traceId, rootId],
      [traceId, rootId]
    ]
  )
})

t.test('log, metrics and traces name a page by its pattern, also in requests that end early', async (t) => {
  const { app, logs, collector, flush } = await createTracedApp(t)
  const refused = {
    method: 'POST',
    url: '/items/7',
    payload: { a: 1 },
    headers: { accept: 'application/json' }
  } as const
  t.equal((await app.inject('/items/7')).statusCode, 200)
  t.ok((await app.inject(refused)).statusCode >= 400)
  t.equal((await app.inject('/docs/a/b')).statusCode, 200)
  await flush()
  t.same(
    logs.lines.filter(({ msg }) => msg === 'request').map(({ route }) => route),
    ['/items/[id]', '/items/[id]', '/docs/[...path]']
  )
  t.same(collector.transactions.map(({ transaction }) => transaction).toSorted(), [
    '/docs/[...path]',
    '/items/[id]',
    '/items/[id]'
  ])
  const metrics = (await app.inject('/metrics')).body
  t.match(metrics, 'http_request_duration_seconds_count{route="/items/[id]",method="POST",status="4xx"} 1')
  t.notMatch(metrics, 'route="/items/:')
})

t.test('a fetch of a page without ctx sends the trace to trace targets, and to no other origin', async (t) => {
  const [target, other] = [await openUnrulyServer(t), await openUnrulyServer(t)]
  const { app, collector, flush } = await createTracedApp(t, { TRACE_TARGETS: target.origin })
  const { body } = await app.inject(`/traced/by-fetch?from=${target.origin}/x&from=${other.origin}/x`)
  t.match(body, '200 200')
  await flush()
  const { spans } = collector.transactions[0] as unknown as { spans: SpanJson[] }
  const span = spans.find(({ description }) => description === `GET ${target.origin}/x`)!
  const { headers } = target.seen[0]!
  t.equal(headers['sentry-trace'], `${span.trace_id}-${span.span_id}-1`)
  t.match(headers.traceparent, `00-${span.trace_id}-${span.span_id}-0`)
  t.match(headers.baggage, `sentry-trace_id=${span.trace_id}`)
  for (const name of ['sentry-trace', 'traceparent', 'baggage']) t.notOk(name in other.seen[0]!.headers, name)
})

t.test('page data and an action continue the trace of the page that requests them', async (t) => {
  const { app, collector, flush } = await createTracedApp(t)
  const headers = { 'sentry-trace': `${TRACE}-${SPAN}-1`, 'x-user': 'ada' }
  await app.inject({ url: '/-/data/about', headers })
  await postForm(app, '/traced/7', { a: '1' }, headers)
  await flush()
  t.match(collector.transactions, [
    { transaction: '/about', contexts: { trace: { trace_id: TRACE, parent_span_id: SPAN } } },
    { transaction: '/traced/[id]', contexts: { trace: { trace_id: TRACE, parent_span_id: SPAN } } }
  ])
  const { spans } = collector.transactions[1] as unknown as { spans: SpanJson[] }
  t.same(
    spans.filter(({ op }) => op === 'action').map(({ description }) => description),
    ['/traced/[id]']
  )
})

t.test('a cached document has no trace, and each visitor receives one in a header', async (t) => {
  const { app } = await createTracedApp(t)
  const [one, two] = [await app.inject('/cached'), await app.inject('/cached')]
  t.equal(one.body, two.body)
  t.same(tagsOf(one.body), {})
  const timings = [one, two].map(({ headers }) => String(headers['server-timing']))
  for (const timing of timings)
    t.match(timing, /^sentry-trace;desc="[0-9a-f]{32}-[0-9a-f]{16}-1", baggage;desc="sentry-trace_id=[^"]*"$/)
  t.not(timings[0], timings[1])
})

t.test('a caller does not choose the trace of a cached document, which caches give to others', async (t) => {
  const { app } = await createTracedApp(t)
  for (const headers of [
    { 'sentry-trace': `${TRACE}-${SPAN}-1`, baggage: `sentry-trace_id=${TRACE},sentry-user_id=chosen` },
    { traceparent: `00-${TRACE}-${SPAN}-01` }
  ]) {
    const response = await app.inject({ url: '/cached', headers })
    t.match(response.headers['cache-control'], /^public/)
    t.notMatch(JSON.stringify(response.headers), TRACE)
    t.notMatch(JSON.stringify(response.headers), 'chosen')
  }
})

t.test('a streamed document sends the trace in Server-Timing', async (t) => {
  const { app } = await createTracedApp(t)
  const response = await app.inject({ url: '/stream', headers: { 'sentry-trace': `${TRACE}-${SPAN}-1` } })
  t.match(response.headers['server-timing'], `sentry-trace;desc="${TRACE}-`)
  t.same(tagsOf(response.body), {})
})

t.test('a fallback sends the trace as a page does', async (t) => {
  const { app } = await createTracedApp(t)
  t.match(tagsOf((await app.inject('/nowhere')).body), { 'sentry-trace': /-1$/ })
})

t.test('probes and assets are not traced', async (t) => {
  const { app, collector, flush } = await createTracedApp(t)
  for (const url of ['/healthz', '/readyz', '/metrics', '/assets/nothing.js']) await app.inject(url)
  await flush()
  t.equal(collector.transactions.length, 0)
})

t.test(
  'an unexpected error is one event with the digest, the trace, the route and the span in which it was thrown',
  async (t) => {
    const { app, logs, collector, flush } = await createTracedApp(t)
    const response = await app.inject({ url: '/fail/data', headers: { accept: 'application/json' } })
    const { digest } = response.json<{ digest: string }>()
    await flush()
    const [line] = logs.takeErrors()
    t.equal(line!.digest, digest)
    t.equal(collector.errors.length, 1)
    const { spans } = collector.transactions[0] as unknown as { spans: SpanJson[] }
    t.match(collector.errors[0], {
      tags: { digest, request_id: response.headers['x-request-id'] },
      transaction: '/fail/data',
      release: app.hull.buildId,
      contexts: { trace: { trace_id: line!.trace_id, span_id: spans.find(({ op }) => op === 'getData')!.span_id } },
      request: { method: 'GET' }
    })
  }
)

t.test('errors of concurrent requests that are not sampled have their own route, digest and trace', async (t) => {
  const { app, logs, collector, flush } = await createTracedApp(t, { TRACES_SAMPLE_RATE: '0' })
  const urls = ['/fail/data', '/fail/component', '/fail/guard']
  const answers = await Promise.all(urls.map((url) => app.inject({ url, headers: { accept: 'application/json' } })))
  await flush()
  const lines = logs.takeErrors()
  t.equal(collector.errors.length, 3)
  t.equal(collector.transactions.length, 0)
  for (const [index, url] of urls.entries()) {
    const { digest } = answers[index]!.json<{ digest: string }>()
    const event = collector.errors.find(({ tags }) => tags?.digest === digest)
    const line = lines.find((line) => line.digest === digest)!
    t.match(event, { transaction: url, contexts: { trace: { trace_id: line.trace_id, span_id: line.span_id } } })
  }
})

t.test('outcomes and refused requests are not errors', async (t) => {
  const { app, collector, flush } = await createTracedApp(t)
  for (const url of ['/nowhere', '/guarded', '/%zz']) await app.inject(url)
  await app.inject({ method: 'DELETE', url: '/about' })
  await flush()
  t.equal(collector.errors.length, 0)
})
