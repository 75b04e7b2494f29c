import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import undici from 'undici'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { inSpan } from '../../src/tracing/span.ts'
import { createTracingApp, echo, SPAN, TRACE } from '../helpers/tracing-app.ts'

t.test('a request', async (t) => {
  t.test('without trace headers begins a new trace', async (t) => {
    const { app } = await createTracingApp(t, { collector: createCollector(), setUp: echo })
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

  t.test('continues the trace of sentry-trace and its baggage, which takes precedence over traceparent', async (t) => {
    const { app } = await createTracingApp(t, { collector: createCollector(), setUp: echo })
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
    const { app } = await createTracingApp(t, { collector: createCollector(), setUp: echo })
    const headers = { traceparent: `00-${TRACE}-${SPAN}-00`, tracestate: 'rojo=00f067aa0ba902b7, congo=t61rcWkgMzE' }
    const sent = (await app.inject({ url: '/', headers })).json<Record<string, string>>()
    t.match(sent.traceparent, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
    t.equal(sent.tracestate, 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE')
  })

  t.test('to an untraced route does not count towards the limit of traces that callers may request', async (t) => {
    const { app } = await createTracingApp(t, {
      collector: createCollector(),
      setUp(app) {
        echo(app)
        app.get('/file', { config: { untraced: true } }, async () => 'a file')
      }
    })
    const headers = { traceparent: `00-${TRACE}-${SPAN}-01` }
    for (let i = 0; i < 50; i++) await app.inject({ url: '/file', headers })
    const sent = (await app.inject({ url: '/', headers })).json<Record<string, string>>()
    t.match(sent.traceparent, /-01$/)
  })

  t.test('with a malformed header begins a new trace, and passes no part of the header on', async (t) => {
    const { app } = await createTracingApp(t, { collector: createCollector(), setUp: echo })
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

  t.test('makes no sampling decision if nothing is recorded, and passes on an existing decision', async (t) => {
    const { app } = await createTracingApp(t, { setUp: echo })
    const send = async (sentryTrace?: string) =>
      (await app.inject({ url: '/', headers: sentryTrace ? { 'sentry-trace': sentryTrace } : {} })).json<
        Record<string, string>
      >()
    t.match((await send())['sentry-trace'], /^[0-9a-f]{32}-[0-9a-f]{16}$/)
    t.match((await send(`${TRACE}-${SPAN}-1`))['sentry-trace'], /-1$/)
    t.match((await send(`${TRACE}-${SPAN}-0`))['sentry-trace'], /-0$/)
    t.equal((await send()).baggage, undefined)
  })

  t.test('has its trace in every log line, also after its body was read', async (t) => {
    const { app, logs } = await createTracingApp(t, {
      setUp(app) {
        app.post('/', async (request) => {
          request.log.info('inside')
          return inSpan({ op: 'work', name: 'w' }, (span) => ({ parent: span?.id }))
        })
        app.onReplyClose(({ request }) => request.log.info('closed'))
      },
      collector: createCollector(),
      sampleRate: 1
    })
    // The body is sent late over a socket, because an immediate body would be read in the context of the request.
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const late = Readable.from(
      (async function* () {
        yield '{"a":'
        await pause(50)
        yield '1}'
      })()
    )
    const { body: response } = await undici.request(origin, {
      method: 'POST',
      body: late,
      headers: { 'content-type': 'application/json' }
    })
    const body = await response.text()
    t.match(body, /"parent":"[0-9a-f]{16}"/, 'the context remains after the body was read')
    const lines = logs.lines.filter(({ msg }) => msg === 'inside' || msg === 'closed')
    t.equal(lines.length, 2)
    for (const line of lines) t.match(line, { trace_id: /^[0-9a-f]{32}$/, span_id: /^[0-9a-f]{16}$/ })
    t.equal(lines[0]!.trace_id, lines[1]!.trace_id)
  })
})

t.test('a document', async (t) => {
  t.test('has the trace in meta tags or Server-Timing, without foreign baggage', async (t) => {
    const { app } = await createTracingApp(t, {
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
