import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import afterStart from '../../../shell/src/plugins/after-start.ts'
import errorReport from '../../../shell/src/plugins/error-report.ts'
import replyClose from '../../../shell/src/plugins/reply-close.ts'
import telemetry from '../../src/plugins/telemetry.ts'
import tracing from '../../src/plugins/tracing.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { LogRecorder } from '@hull/test-helpers/log-recorder.ts'

/** Creates an application that loads the SDK after its start. */
async function createApp(t: Test, setUp: (app: FastifyInstance) => unknown) {
  const collector = createCollector()
  const logs = new LogRecorder()
  const app = Fastify({ logger: { stream: logs } })
  t.teardown(() => app.close())
  await app.register(afterStart)
  await app.register(replyClose)
  await app.register(telemetry, { to: collector.to, late: true, environment: 'test', release: '1.0', sampleRate: 1 })
  await app.register(tracing, { sampleRate: 1 })
  await app.register(errorReport)
  await setUp(app)
  await app.ready()
  return { app, collector, logs }
}

const fail = (app: FastifyInstance) =>
  app.get('/fail/:id', async (request) => {
    const { id } = request.params as { id: string }
    return { digest: request.reportError(new Error(`failed ${id}`)), trace: request.trace.traceId }
  })

t.test('an error before the SDK is loaded is sent with its digest, in the trace of its request', async (t) => {
  const { app, collector } = await createApp(t, fail)
  t.equal(app.telemetry!.isReady, false)
  const responses = await Promise.all([app.inject('/fail/1?a=b'), app.inject('/fail/2')])
  t.ok(await app.telemetry!.flush(60_000))
  const events = collector.errors
  t.same(
    events.map(({ tags, transaction, contexts, request }) => [
      tags!.digest,
      transaction,
      contexts!.trace!.trace_id,
      request!.url
    ]),
    responses
      .map((response) => response.json<{ digest: string; trace: string }>())
      .map(({ digest, trace }, index) => [digest, '/fail/:id', trace, `http://localhost:80/fail/${index + 1}`])
  )
})

t.test('an error is sent if the application closes before the SDK is loaded', async (t) => {
  const { app, collector } = await createApp(t, fail)
  await app.inject('/fail/1')
  await app.close()
  t.equal(collector.errors.length, 1)
})

t.test('an application without an error closes without loading the SDK', async (t) => {
  const { app } = await createApp(t, () => {})
  t.equal(await app.telemetry!.flush(60_000), true)
  await app.close()
  t.equal(app.telemetry!.isReady, false)
})

t.test('before the SDK is loaded, a trace is propagated and no span is recorded', async (t) => {
  const { app, collector } = await createApp(t, (app) => app.get('/', async ({ trace }) => trace.toHeaders()))
  const early = (await app.inject('/')).json<Record<string, string>>()
  t.match(early, { 'sentry-trace': /-0$/, baggage: /sentry-sampled=false.*sentry-public_key=0123/ })
  const parent = `${'a'.repeat(32)}-${'b'.repeat(16)}-1`
  const inTrace = await app.inject({ url: '/', headers: { 'sentry-trace': parent } })
  t.match(inTrace.json(), { 'sentry-trace': /^a{32}-[\da-f]{16}-1$/ }, "the caller's decision is passed on")

  await app.listen({ host: '127.0.0.1', port: 0 })
  while (!app.telemetry!.isReady) await sleep(10)
  t.equal(collector.transactions.length, 0)
  t.match((await app.inject('/')).json(), { 'sentry-trace': /-1$/ })
  await app.telemetry!.flush(60_000)
  t.equal(collector.transactions.length, 1)
})

t.test('two applications with the SDK cause no warning about a second Sentry.init()', async (t) => {
  const first = await createApp(t, () => {})
  const second = await createApp(t, () => {})
  for (const { app } of [first, second]) {
    await app.listen({ host: '127.0.0.1', port: 0 })
    while (!app.telemetry!.isReady) await sleep(10)
  }
  for (const { logs } of [first, second])
    t.same(
      logs.lines.filter(({ level }) => level >= 40),
      []
    )
})

t.test('user data that is set before the SDK is loaded belongs only to its request', async (t) => {
  const { setTag, setUser, addBreadcrumb } = await import('@sentry/core')
  const { app, collector } = await createApp(t, (app) => {
    setTag('region', 'north')
    app.get('/', async (request) => {
      addBreadcrumb({ message: "ada's" })
      setUser({ id: 'ada' })
      return request.reportError(new Error('x'))
    })
    fail(app)
  })
  await app.inject('/')
  await app.telemetry!.flush(60_000)
  await app.inject('/fail/1')
  await app.telemetry!.flush(60_000)
  const captured = collector.errors.map(({ tags, user, breadcrumbs }) => [
    tags!.region,
    user?.id,
    breadcrumbs?.map(({ message }) => message)
  ])
  t.same(captured, [
    ['north', 'ada', ["ada's"]],
    ['north', undefined, undefined]
  ])
})
