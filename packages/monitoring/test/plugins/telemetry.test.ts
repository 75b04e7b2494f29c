import { registerHooks } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { currentContext } from '../../src/tracing/context.ts'
import { fetchDepth, runInnerCall } from '../../../shell/src/fetch/depth.ts'
import { inSpan } from '../../src/tracing/span.ts'
import errorReport from '../../../shell/src/plugins/error-report.ts'
import replyClose from '../../../shell/src/plugins/reply-close.ts'
import telemetry from '../../src/plugins/telemetry.ts'
import tracing from '../../src/plugins/tracing.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'

const loaded: string[] = []
registerHooks({
  resolve(specifier, context, next) {
    loaded.push(specifier)
    return next(specifier, context)
  }
})

interface Options {
  sampleRate?: number
  collector?: ReturnType<typeof createCollector>
  setUp?: (app: FastifyInstance) => unknown
}

async function createApp(t: Test, { sampleRate = 0, collector, setUp }: Options) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(replyClose)
  await app.register(telemetry, { to: collector?.to, environment: 'test', release: '1.0', sampleRate })
  await app.register(tracing, { sampleRate })
  await app.register(errorReport)
  await setUp?.(app)
  await app.ready()
  return app
}

t.test('the SDK is not loaded without a destination for envelopes', async (t) => {
  const app = await createApp(t, {})
  t.equal(app.telemetry, null)
  t.notOk(loaded.some((specifier) => specifier.startsWith('@sentry/')))
})

t.test('an error of a route is captured if the response has a 5xx status', async (t) => {
  const collector = createCollector()
  const app = Fastify()
  t.teardown(() => app.close())
  const options = { environment: 'test', release: '1.0', sampleRate: 0 }
  await app.register(telemetry, { to: collector.to, captureThrown: true, ...options })
  const cases: Array<[status: number, error: object, set?: number]> = [
    [500, {}],
    [500, {}, 201],
    [503, { statusCode: 503 }],
    [502, { status: 502 }, 404],
    [404, { statusCode: 404 }, 503],
    [404, { status: 404 }],
    [404, {}, 404],
    [500, { status: 0 }],
    // Errors of `execFileSync` have the exit code of the program as status.
    [500, { status: 128 }],
    [500, { statusCode: 200 }],
    [404, { statusCode: 0, status: 404 }]
  ]
  for (const [index, [, properties, set = 200]] of cases.entries())
    app.get(`/${index}`, async (_request, reply) => {
      reply.code(set)
      throw Object.assign(new Error('thrown'), properties)
    })
  for (const [index, [status]] of cases.entries()) {
    const before = collector.errors.length
    t.equal((await app.inject(`/${index}`)).statusCode, status)
    await app.telemetry!.flush(60_000)
    t.equal(collector.errors.length - before, status >= 500 ? 1 : 0, `${status}, ${index}`)
  }
})

t.test('an error that the application reports in the background counts as handled', async (t) => {
  const collector = createCollector()
  const app = await createApp(t, { collector })
  app.reportBackground(new Error('the clean-up failed'), 'old baskets could not be removed')
  await app.telemetry!.flush(60_000)
  t.match(collector.errors, [{ exception: { values: [{ mechanism: { type: 'hull', handled: true } }] } }])
})

t.test('the use of the SDK by an application', async (t) => {
  const { addBreadcrumb, getCurrentScope, setTag, startSpan, withIsolationScope, withScope } =
    await import('@sentry/core')

  t.test('affects only its own request, sampled or not, while requests overlap', async (t) => {
    const collector = createCollector()
    const app = await createApp(t, {
      collector,
      setUp: (app) =>
        app.get('/:who', async (request) => {
          const { who } = request.params as { who: string }
          setTag('who', who)
          await turn()
          addBreadcrumb({ message: `seen ${who}` })
          withScope((scope) => scope.setTag('inner', 'gone'))
          await turn()
          return request.reportError(new Error(who))
        })
    })
    await Promise.all(['ada', 'bob', 'cy'].map((who) => app.inject(`/${who}`)))
    await app.telemetry!.flush(60_000)
    t.equal(collector.errors.length, 3)
    for (const event of collector.errors) {
      const who = event.exception!.values![0]!.value
      t.strictSame(
        [event.tags!.who, event.tags!.inner, event.breadcrumbs!.map(({ message }) => message)],
        [who, undefined, [`seen ${who}`]]
      )
      t.equal(event.transaction, '/:who')
    }
  })

  t.test('keeps the trace and the fetch depth in scopes and spans of the application', async (t) => {
    const app = await createApp(t, {
      collector: createCollector(),
      sampleRate: 1,
      setUp: (app) =>
        app.get('/', async () => {
          const seen: unknown[] = []
          const record = () =>
            seen.push([
              fetchDepth(),
              currentContext()?.trace?.traceId,
              getCurrentScope().getPropagationContext().traceId
            ])
          await runInnerCall(async () => {
            record()
            withScope(record)
            withIsolationScope(record)
            await startSpan({ name: 'own' }, async () => {
              await turn()
              record()
            })
          })
          return seen
        })
    })
    const seen = (await app.inject('/')).json<Array<[number, string, string]>>()
    t.equal(seen.length, 4)
    for (const one of seen) t.same(one, [1, seen[0]![1], seen[0]![1]])
  })

  t.test('nests its spans with spans of Hull', async (t) => {
    const collector = createCollector()
    const app = await createApp(t, {
      collector,
      sampleRate: 1,
      setUp: (app) =>
        app.get('/', async () => {
          await inSpan({ op: 'ours', name: 'outer' }, async () =>
            startSpan({ name: 'theirs' }, async () => {
              await turn()
              await inSpan({ op: 'ours', name: 'inner' }, turn)
            })
          )
          return 'ok'
        })
    })
    await app.inject('/')
    await app.telemetry!.flush(60_000)
    const { spans } = collector.transactions[0] as unknown as { spans: Array<Record<string, string>> }
    const find = (name: string) => spans.find(({ description }) => description === name)!
    t.equal(find('theirs').parent_span_id, find('outer').span_id)
    t.equal(find('inner').parent_span_id, find('theirs').span_id)
  })

  t.test('opens no transaction in an unsampled request', async (t) => {
    const collector = createCollector()
    const app = await createApp(t, {
      collector,
      sampleRate: 1,
      setUp: (app) => app.get('/', async () => startSpan({ name: 'theirs' }, () => 'ok'))
    })
    await app.inject({ url: '/', headers: { 'sentry-trace': `${'a'.repeat(32)}-${'b'.repeat(16)}-0` } })
    await app.telemetry!.flush(60_000)
    t.equal(collector.transactions.length, 0)
  })
})

t.test('a route with the config `unreported` reports no errors', async (t) => {
  const collector = createCollector()
  const app = await createApp(t, {
    collector,
    setUp: (app) =>
      app.get('/', { config: { unreported: true } }, async (request) => request.reportError(new Error('x')))
  })
  t.match((await app.inject('/')).body, /^[0-9A-Z]{12}$/)
  await app.telemetry!.flush(60_000)
  t.equal(collector.texts.length, 0)
})

t.test('an error that is reported twice is sent once, and an equal error of another request is sent too', async (t) => {
  const collector = createCollector()
  const app = await createApp(t, {
    collector,
    setUp: (app) =>
      app.get('/', async (request) => {
        const error = new Error('the same words')
        return [request.reportError(error), request.reportError(error)]
      })
  })
  const digests = [(await app.inject('/')).json<string[]>(), (await app.inject('/')).json<string[]>()]
  await app.telemetry!.flush(60_000)
  t.same(
    collector.errors.map(({ tags }) => tags!.digest),
    digests.map(([digest]) => digest)
  )
})

t.test('an error object that also fails a later request is sent again, in the trace of that request', async (t) => {
  const collector = createCollector()
  const unreachable = new Error('the database cannot be reached')
  const app = await createApp(t, {
    collector,
    sampleRate: 1,
    setUp(app) {
      app.setErrorHandler((error, request) => request.reportError(error))
      app.get('/', () => inSpan({ op: 'db', name: 'connect' }, () => Promise.reject(unreachable)))
    }
  })
  const digests = [(await app.inject('/')).body, (await app.inject('/')).body]
  await app.telemetry!.flush(60_000)
  t.same(
    collector.errors.map(({ tags }) => tags!.digest),
    digests
  )
  t.not(digests[0], digests[1])
  const traces = collector.errors.map(({ contexts }) => contexts!.trace!.trace_id)
  t.same(
    traces,
    collector.transactions.map(({ contexts }) => contexts!.trace!.trace_id)
  )
})

t.test('sends the remaining data when the application closes', async (t) => {
  const collector = createCollector()
  const app = await createApp(t, {
    collector,
    sampleRate: 1,
    setUp: (app) => app.get('/', async () => 'ok')
  })
  await app.inject('/')
  await app.close()
  t.equal(collector.transactions.length, 1)
})
