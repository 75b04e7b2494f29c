// Runs in a process of its own: it checks the scopes of the SDK of its process.
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import {
  addEventProcessor,
  captureException,
  getActiveSpan,
  getClient,
  getCurrentScope,
  getDefaultIsolationScope,
  getGlobalScope,
  setTag,
  startSpan,
  type Event
} from '@sentry/core'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { notFound } from '../../../common/src/outcomes.ts'
import { sentry } from '../../src/server-sdk/sentry.ts'
import type { TelemetryOptions } from '../../src/server-sdk/telemetry.ts'
import { inSpan } from '../../src/tracing/span.ts'
import errorReport from '../../../shell/src/plugins/error-report.ts'
import replyClose from '../../../shell/src/plugins/reply-close.ts'
import telemetry from '../../src/plugins/telemetry.ts'
import tracing from '../../src/plugins/tracing.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

interface Options extends Partial<TelemetryOptions> {
  setUp: (app: FastifyInstance) => unknown
}

/** Sends waiting data, then checks a condition. */
async function flushed(app: FastifyInstance, isDone: () => boolean): Promise<boolean> {
  await app.telemetry!.flush(60_000)
  return isDone()
}

/** Creates an application that samples all requests, and counts the transactions that the SDK created itself. */
async function record(t: Test, { setUp, ...options }: Options) {
  const collector = createCollector()
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(replyClose)
  await app.register(telemetry, {
    to: collector.to,
    environment: 'test',
    release: '1.0',
    sampleRate: 1,
    ...options
  })
  await app.register(tracing, { sampleRate: 1 })
  await app.register(errorReport)
  await setUp(app)
  await app.ready()
  const { NodeClient } = sentry()
  const captured = t.capture(NodeClient.prototype, 'captureEvent', NodeClient.prototype.captureEvent)

  return {
    app,
    collector,
    /** Sends a request. @returns its transactions, and how many of them the SDK created */
    async send(request: InjectOptions | string): Promise<{ transactions: Event[]; bySdk: number }> {
      const before = collector.transactions.length
      await app.inject(request)
      await app.telemetry!.flush(60_000)
      return { transactions: collector.transactions.slice(before), bySdk: captured().length }
    }
  }
}

/**
 * Copies a transaction without values that differ between requests; a span has the name of its parent instead of the
 * id.
 */
function toComparable(event: Event) {
  const { trace, ...contexts } = event.contexts!
  const { start_timestamp: start, timestamp: end } = event
  const names = new Map(event.spans!.map(({ span_id: id, description }) => [id, description]))
  names.set(trace!.span_id, 'root')
  return {
    ...event,
    event_id: event.event_id!.length,
    start_timestamp: typeof start,
    timestamp: typeof end,
    contexts: { ...contexts, trace: { ...trace, trace_id: trace!.trace_id.length, span_id: trace!.span_id.length } },
    tags: { ...event.tags, request_id: typeof event.tags!.request_id },
    spans: event.spans!.map((span) => ({
      ...span,
      span_id: span.span_id.length,
      parent_span_id: names.get(span.parent_span_id!),
      trace_id: span.trace_id === trace!.trace_id,
      start_timestamp: start! <= span.start_timestamp && span.start_timestamp <= span.timestamp!,
      timestamp: span.timestamp! <= end!
    }))
  }
}

/** Adds a route with spans of all kinds, which uses the SDK at the moment that the query names. */
function setUpKinds(app: FastifyInstance) {
  app.all('/kinds/:id', async ({ query }) => {
    const { usesSdk } = query as { usesSdk?: string }
    const at = (moment: string) => moment === usesSdk && getCurrentScope()
    at('first')
    await inSpan(
      { op: 'getData', name: '/kinds/:id', attributes: { attempt: 1, url: '/x?token=abc&page=1' } },
      async () => {
        await turn()
        at('inside')
        inSpan({ op: 'http.client', name: 'GET http://127.0.0.1/x', attributes: { none: undefined } }, turn, () => ({
          status: 503
        }))
        await turn()
        await inSpan({ op: 'deeper', name: 'd' }, turn)
      }
    )
    at('between')
    for (const error of [new Error('fails'), Object.assign(new Error('x'), { statusCode: 502 })])
      await t.rejects(inSpan({ op: 'retry', name: 'r' }, async () => Promise.reject(error)))
    t.throws(() => inSpan({ op: 'guard', name: 'g' }, () => notFound()))
    at('last')
    return 'ok'
  })
}

const visits: Record<string, Omit<InjectOptions, 'query'>> = {
  'a visit': {
    headers: {
      'user-agent': 'Browser/1.0',
      referer: 'http://localhost/?email=ada@example.org',
      cookie: 'a=1; session=s3cr3t',
      authorization: 'Bearer s3cr3t'
    }
  },
  'a form': { method: 'POST', payload: { name: 'Ada', password: 'x' } },
  'a visit that is part of a trace': {
    headers: {
      'sentry-trace': `${'a'.repeat(32)}-${'b'.repeat(16)}-1`,
      baggage: `sentry-trace_id=${'a'.repeat(32)},sentry-sampled=true,sentry-sample_rand=0.5,sentry-environment=web`
    }
  }
}

for (const options of [{}, { sendPii: true }, { sendAddress: true }]) {
  t.test(`with ${JSON.stringify(options)}, the SDK and Hull's recorder create the same transaction`, async (t) => {
    const { send } = await record(t, { ...options, setUp: setUpKinds })
    for (const [name, visit] of Object.entries(visits)) {
      const own = await send({ ...visit, url: '/kinds/7', query: { page: '2', token: 'abc' } })
      t.equal(own.bySdk, 0, `${name}: created by Hull's recorder`)
      t.equal(own.transactions.length, 1)
      t.equal(own.transactions[0]!.spans!.length, 6)
      for (const usesSdk of ['first', 'inside', 'between', 'last']) {
        const theirs = await send({ ...visit, url: '/kinds/7', query: { page: '2', token: 'abc', usesSdk } })
        t.equal(theirs.bySdk, 1, `${name}, SDK used ${usesSdk}: created by the SDK`)
        const [event] = theirs.transactions
        const query = event!.request!.query_string as string
        t.ok(query.endsWith(`&usesSdk=${usesSdk}`))
        event!.request!.query_string = query.replace(`&usesSdk=${usesSdk}`, '')
        t.same(sorted(toComparable(event!)), sorted(toComparable(own.transactions[0]!)), `${name}, SDK used ${usesSdk}`)
      }
    }
  })
}

/** Sorts the spans, so that their order does not depend on which spans the SDK opened. */
function sorted(event: ReturnType<typeof toComparable>) {
  const spans = event.spans.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
  return { ...event, user: Object.keys(event.user ?? {}).length === 0 ? undefined : event.user, spans }
}

t.test('a request without a route also has the same name', async (t) => {
  const { send } = await record(t, {
    setUp: (app) =>
      app.setNotFoundHandler(async ({ query }) => {
        if ('usesSdk' in (query as object)) getCurrentScope()
        return 'nowhere'
      })
  })
  const [own, theirs] = [await send('/nowhere?x=1'), await send('/nowhere?usesSdk=1')]
  t.same([own.bySdk, theirs.bySdk], [0, 1])
  const [a, b] = [own.transactions[0]!, theirs.transactions[0]!]
  t.ok(a.transaction)
  t.same([a.transaction, a.transaction_info], [b.transaction, b.transaction_info])
})

t.test('data that is set with the SDK in a request is in its transaction', async (t) => {
  const { send } = await record(t, {
    setUp: (app) =>
      app.get('/', async () =>
        inSpan({ op: 'ours', name: 'outer' }, async (span) => {
          t.equal(getActiveSpan()!.spanContext().spanId, span!.id)
          setTag('shelf', 'A')
          startSpan({ name: 'theirs' }, () => inSpan({ op: 'ours', name: 'inner' }, () => {}))
          return 'ok'
        })
      )
  })
  const { transactions } = await send('/')
  t.equal(transactions.length, 1)
  t.equal(transactions[0]!.tags!.shelf, 'A')
  const [outer, theirs, inner] = ['outer', 'theirs', 'inner'].map((name) =>
    transactions[0]!.spans!.find(({ description }) => description === name)!
  )
  t.equal(outer!.parent_span_id, transactions[0]!.contexts!.trace!.span_id)
  t.equal(theirs!.parent_span_id, outer!.span_id)
  t.equal(inner!.parent_span_id, theirs!.span_id)
})

t.test('a listener that is added to the client receives every span', async (t) => {
  const { send } = await record(t, { setUp: (app) => app.get('/', async () => 'ok') })
  t.equal((await send('/')).bySdk, 0)
  const seen: unknown[] = []
  getClient()!.on('spanEnd', (span) => seen.push(span))
  t.equal((await send('/')).bySdk, 1)
  t.equal(seen.length, 1)
})

t.test('an integration that is added later processes every transaction', async (t) => {
  const { send } = await record(t, { setUp: (app) => app.get('/', async () => 'ok') })
  getClient()!.addIntegration({ name: 'Theirs', processEvent: (event) => ({ ...event, tags: { integrated: 'yes' } }) })
  t.equal((await send('/')).transactions[0]!.tags!.integrated, 'yes')
})

t.test('a span that ends after its request is sent as a transaction of its own', async (t) => {
  const { app, send, collector } = await record(t, {
    setUp: (app) =>
      app.get('/', async () => {
        inSpan({ op: 'late', name: 'late' }, async () => sleep(150)).catch(() => {})
        return 'ok'
      })
  })
  const [event] = (await send('/')).transactions
  t.strictSame(event!.spans, [])
  await eventually(() => flushed(app, () => collector.transactions.length > 1))
  t.equal(collector.transactions.length, 2)
  const { contexts, transaction } = collector.transactions[1]!
  t.equal(transaction, 'late')
  t.equal(contexts!.trace!.parent_span_id, event!.contexts!.trace!.span_id)
  t.equal(contexts!.trace!.trace_id, event!.contexts!.trace!.trace_id)
})

t.test('work after the response is in the trace of the request', async (t) => {
  const { app, send, collector } = await record(t, {
    setUp: (app) =>
      app.get('/', async (request) => {
        await inSpan({ op: 'getData', name: 'd' }, async (span) => {
          setTimeout(() => {
            captureException(new Error('theirs'))
            request.reportError(new Error('ours'))
            startSpan({ name: 'their span' }, () => {})
            inSpan({ op: 'late', name: 'our span' }, () => {})
          }, 100)
          return span
        })
        return 'ok'
      })
  })
  const { transactions, bySdk } = await send('/')
  t.equal(bySdk, 0)
  const { trace } = transactions[0]!.contexts!
  const [getData] = transactions[0]!.spans!
  await eventually(() => flushed(app, () => collector.transactions.length > 2))
  t.equal(collector.transactions.length, 3)
  for (const { contexts } of collector.transactions.slice(1)) {
    t.equal(contexts!.trace!.trace_id, trace!.trace_id)
    t.equal(contexts!.trace!.parent_span_id, getData!.span_id)
  }
  const [theirs, ours] = ['theirs', 'ours'].map(
    (message) => collector.errors.find(({ exception }) => exception!.values![0]!.value === message)!.contexts!.trace!
  )
  t.match(theirs, { trace_id: trace!.trace_id, parent_span_id: getData!.span_id })
  t.match(ours, { trace_id: trace!.trace_id, span_id: trace!.span_id })
})

t.test('spans that end while the transaction waits for its batch are in the trace of the request', async (t) => {
  const { app, collector } = await record(t, {
    setUp: (app) =>
      app.get('/', async () => {
        setTimeout(() => inSpan({ op: 'late', name: 'late' }, () => setTag('moment', 'late')), 50)
        return 'ok'
      })
  })
  await app.inject('/')
  t.equal(collector.transactions.length, 0)
  await sleep(100)
  await eventually(() => flushed(app, () => collector.transactions.length > 1))
  t.equal(collector.transactions.length, 2)
  const [whole, late] = collector.transactions
  t.same(whole!.spans, [])
  t.match(late, {
    transaction: 'late',
    contexts: { trace: { parent_span_id: whole!.contexts!.trace!.span_id } },
    tags: { moment: 'late' }
  })
})

t.test('spans that are passed to the SDK keep their times', async (t) => {
  const { send } = await record(t, {
    setUp: (app) =>
      app.get('/', async () => {
        await inSpan({ op: 'getData', name: 'd' }, async () => sleep(40))
        await sleep(40)
        setTag('late', 'yes')
        return 'ok'
      })
  })
  const [{ start_timestamp: start, timestamp: end, spans }] = (await send('/')).transactions as [Event]
  const [span] = spans!
  t.ok(end! - start! > 0.07)
  t.ok(span!.start_timestamp - start! < 0.035)
  t.ok(span!.timestamp! - span!.start_timestamp > 0.035)
  t.ok(end! - span!.timestamp! > 0.035)
})

t.test('data that is set globally with the SDK is in every transaction', async (t) => {
  const { send } = await record(t, { setUp: (app) => app.get('/', async () => 'ok') })
  const scopes = { global: getGlobalScope(), isolation: getDefaultIsolationScope() }
  for (const [name, scope] of Object.entries(scopes)) {
    scope.setTag('region', name)
    const [event] = (await send('/')).transactions
    t.equal(event!.tags!.region, name)
    scope.setTag('region', undefined)
  }
  const { transactions, bySdk } = await send('/')
  t.notOk('region' in transactions[0]!.tags!, 'the tag is removed')
  t.equal(bySdk, 0)

  // The event processor stays for the rest of the process.
  addEventProcessor((event) => ({ ...event, tags: { ...event.tags, seen: 'by a processor' } }))
  t.equal((await send('/')).transactions[0]!.tags!.seen, 'by a processor')
})
