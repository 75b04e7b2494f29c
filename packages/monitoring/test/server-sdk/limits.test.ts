import { mock } from 'node:test'
import {
  getClient,
  parseEnvelope,
  spanToJSON,
  startInactiveSpan,
  startNewTrace,
  withScope,
  type Event
} from '@sentry/core'
import { startIdleSpan } from '@sentry/core/browser'
import t, { type Test } from 'tap'
import {
  CHILD_SPAN_TIMEOUT,
  FINAL_TIMEOUT,
  IDLE_TIMEOUT,
  MAX_STACK_FRAMES,
  MAX_TRANSACTION_SPANS,
  PREVIOUS_TRACE_MAX_AGE,
  TRANSPORT_QUEUE_SIZE
} from '../../../common/src/constants.ts'
import { readOwnEnvelope } from '../../src/delivery/own-envelope.ts'
import { createContext, runInContext } from '../../src/tracing/context.ts'
import { openTelemetry } from '../../src/server-sdk/open.ts'
import type { RecordedSpan, Recording } from '../../src/server-sdk/recording.ts'
import type { EnvelopeAnswer } from '../../src/server-sdk/telemetry.ts'
import { formatBaggage } from '../../src/tracing/baggage.ts'
import { readPropagation } from '../../src/tracing/incoming.ts'
import { RequestTrace } from '../../src/tracing/request-trace.ts'
import { createSampler } from '../../src/tracing/sampling.ts'
import { inSpan } from '../../src/tracing/span.ts'
import { TraceHead } from '../../src/tracing/trace-head.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'

/*
 * Tests each limit at its value and one above, with Hull's configuration of the SDK. If the SDK has no option for a
 * limit, a new version with another limit fails these tests.
 */

function open(t: Test, answer?: () => Promise<EnvelopeAnswer | void>, sendPii = false) {
  const collector = createCollector(answer)
  const telemetry = openTelemetry({ ...collector.to, environment: 'test', release: '1', sampleRate: 1, sendPii })
  t.teardown(() => telemetry.close(100))
  return { collector, telemetry }
}

/** Runs `fn` in a sampled request. */
function inRequest(
  telemetry: ReturnType<typeof openTelemetry>,
  fn: () => void,
  headers: Parameters<typeof readPropagation>[0] = {}
) {
  const trace = new RequestTrace(readPropagation(headers), new Set(), {
    recorder: telemetry,
    head: new TraceHead(telemetry.facts, 1)
  })
  trace.decide(createSampler({ rate: 1 }))
  const context = createContext({ trace, span: undefined })
  trace.root = telemetry.enter(context, { op: 'http.server', name: '/' })
  runInContext(context, fn)
  trace.end(200)
}

t.test('spans of an endless request need limited memory, and dropped spans are counted', async (t) => {
  const { collector, telemetry } = open(t)
  let recording: Recording | undefined
  inRequest(telemetry, () => {
    for (let i = 0; i < 5_000; i++)
      inSpan({ op: 'db', name: 'poll' }, (span) => (recording = (span as RecordedSpan).recording))
    t.ok(recording!.spans.length < MAX_TRANSACTION_SPANS + 10, `${recording!.spans.length} spans`)
  })
  await telemetry.flush(60_000)
  t.equal(collector.transactions[0]!.spans!.length, MAX_TRANSACTION_SPANS)
  t.match(telemetry.drops, [{ reason: 'buffer_overflow', category: 'span', quantity: 4_000 }])
})

t.test('a transaction keeps 1000 spans, and the 1001st is counted as dropped', async (t) => {
  const { collector, telemetry } = open(t)
  for (const spans of [MAX_TRANSACTION_SPANS, MAX_TRANSACTION_SPANS + 1]) {
    inRequest(telemetry, () => {
      for (let i = 0; i < spans; i++) inSpan({ op: 'work', name: `${i}` }, () => {})
    })
    await telemetry.flush(60_000)
  }
  const [exact, above] = collector.transactions as unknown as Array<{ spans: Array<{ description: string }> }>
  t.equal(exact!.spans.length, 1_000)
  t.equal(above!.spans.length, 1_000)
  t.notOk(
    above!.spans.some(({ description }) => description === '1000'),
    'the first 1000 spans are kept'
  )
  await telemetry.flush(60_000)
  const dropped = collector.reports.flatMap((report) => report.discarded_events)
  t.same(dropped, [{ reason: 'buffer_overflow', category: 'span', quantity: 1 }])
})

t.test('a stack keeps the 50 innermost frames', async (t) => {
  const { collector, telemetry } = open(t)
  t.equal(Error.stackTraceLimit, MAX_STACK_FRAMES, 'Node records as many frames')
  for (const frames of [MAX_STACK_FRAMES, MAX_STACK_FRAMES + 1]) {
    const error = new Error(`${frames} frames`)
    error.stack = [
      `Error: ${error.message}`,
      ...Array.from({ length: frames }, (_, i) => `    at f${i} (/app/a.js:${i + 1}:1)`)
    ].join('\n')
    telemetry.captureError({ error, digest: 'D' })
  }
  await telemetry.flush(60_000)
  const stacks = collector.errors.map(({ exception }) =>
    exception!.values![0]!.stacktrace!.frames!.map((frame) => frame.function)
  )
  t.same(
    stacks.map((stack) => stack.length),
    [50, 50]
  )
  for (const stack of stacks) t.same([stack[0], stack.at(-1)], ['f49', 'f0'], 'the oldest frame is first')
})

t.test('64 envelopes are sent at the same time, and the 65th waits', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { collector, telemetry } = open(t, () => released)
  for (let i = 0; i <= TRANSPORT_QUEUE_SIZE; i++) telemetry.captureError({ error: new Error(`${i}`), digest: `${i}` })
  await new Promise(setImmediate)
  t.equal(collector.errors.length, 64)
  release()
  await telemetry.flush(60_000)
  t.equal(collector.errors.length, 65)
  await telemetry.flush(60_000)
  t.same([collector.reports, telemetry.drops], [[], []])
})

t.test("the SDK's baggage and Hull's baggage are equal at 8192 and at 8193 characters", async (t) => {
  const { dynamicSamplingContextToSentryBaggageHeader: format } = await import('@sentry/core')
  for (const length of [8_192, 8_193]) {
    const facts = { trace_id: 'a', release: 'x'.repeat(length - 'sentry-trace_id=a,sentry-release='.length) }
    t.equal(formatBaggage(facts), format(facts))
    t.equal(formatBaggage(facts).length, length === 8_192 ? 8_192 : 'sentry-trace_id=a'.length)
  }
})

for (const sendPii of [false, true])
  t.test(`an error with a message above the size of an event is sent, with SEND_PII: ${sendPii}`, async (t) => {
    const { collector, telemetry } = open(t, undefined, sendPii)
    telemetry.captureError({ error: new Error('x'.repeat(2 * 1024 ** 2), { cause: 'y' }), digest: 'D' })
    await telemetry.flush(60_000)
    t.match(readOwnEnvelope(Buffer.from(collector.texts[0]!)), { counts: { error: 1 } })
    t.match(collector.errors[0]!.exception!.values!.at(-1)!.value, /^x{32000,33000}\D*$/)
  })

t.test('an envelope in a trace with the longest baggage has a header that the tunnel accepts', async (t) => {
  const { collector, telemetry } = open(t)
  // JSON needs six characters for each of these control characters.
  const baggage = `sentry-a=${'%01'.repeat(2_727)}`
  const headers = { 'sentry-trace': '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1', baggage }
  inRequest(telemetry, () => telemetry.captureError({ error: new Error('x'), digest: 'D' }), headers)
  await telemetry.flush(60_000)
  t.equal(collector.texts.length, 2)
  for (const text of collector.texts)
    t.match(readOwnEnvelope(Buffer.from(text)), { header: { trace: { a: '\u0001'.repeat(2_727) } } })
})

t.test('a rate limit without a time lasts 60 seconds', async (t) => {
  mock.timers.enable({ apis: ['Date'] })
  t.teardown(() => mock.timers.reset())
  const { collector, telemetry } = open(t, async () => ({
    statusCode: 429,
    headers: { 'x-sentry-rate-limits': null, 'retry-after': null }
  }))
  const report = async (n: number) => {
    telemetry.captureError({ error: new Error(`${n}`), digest: `${n}` })
    await telemetry.flush(60_000)
    return collector.errors.length
  }
  t.equal(await report(1), 1)
  mock.timers.tick(59_999)
  t.equal(await report(2), 1)
  mock.timers.tick(2)
  t.equal(await report(3), 2)
})

t.test('the span of a page load', async (t) => {
  const options = { idleTimeout: IDLE_TIMEOUT, finalTimeout: FINAL_TIMEOUT, childSpanTimeout: CHILD_SPAN_TIMEOUT }

  function openIdle(t: Test) {
    open(t)
    mock.timers.enable({ apis: ['setTimeout', 'Date'] })
    t.teardown(() => mock.timers.reset())
    let span!: ReturnType<typeof startIdleSpan>
    let child: (() => ReturnType<typeof startInactiveSpan>) | undefined
    withScope(() => {
      span = startIdleSpan({ name: '/', op: 'pageload' }, options)
      child = () => startInactiveSpan({ name: 'child', parentSpan: span })
    })
    return { span, child: child!, isOpen: () => span.isRecording() }
  }

  t.test('ends after 1 s without a child', async (t) => {
    const { isOpen } = openIdle(t)
    mock.timers.tick(999)
    t.ok(isOpen())
    mock.timers.tick(1)
    t.notOk(isOpen())
  })

  t.test('ends after 15 s if a child span is still open', async (t) => {
    const { isOpen, child } = openIdle(t)
    child()
    mock.timers.tick(14_999)
    t.ok(isOpen())
    mock.timers.tick(1)
    t.notOk(isOpen())
  })

  t.test('ends after 30 s, even if new child spans are opened', async (t) => {
    const { isOpen, child } = openIdle(t)
    child()
    for (let s = 1; s < 30; s++) {
      mock.timers.tick(s === 29 ? 999 : 1_000)
      t.ok(isOpen(), `${s} s`)
      child()
    }
    mock.timers.tick(1_000)
    t.ok(isOpen())
    mock.timers.tick(1)
    t.notOk(isOpen())
  })
})

t.test('a trace is linked to the previous trace for an hour', async (t) => {
  // The package does not export the file that contains the limit.
  const file = '../../../../node_modules/@sentry/browser/build/npm/esm/prod/tracing/linkedTraces.js'
  const { linkTraces } = (await import(file)) as { linkTraces: (client: unknown, options: object) => void }
  const begin = () =>
    startNewTrace(() => {
      const span = startInactiveSpan({ name: '/', forceTransaction: true })
      span.end()
      return spanToJSON(span).links?.length ?? 0
    })
  // The first trace begins less than a second after the clock was stopped.
  for (const [age, links] of [
    [PREVIOUS_TRACE_MAX_AGE, 1],
    [PREVIOUS_TRACE_MAX_AGE + 1_000, 0]
  ] as const) {
    open(t)
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    linkTraces(getClient(), { linkPreviousTrace: 'in-memory' })
    t.equal(begin(), 0)
    mock.timers.tick(age)
    t.equal(begin(), links, `after ${age} ms`)
    mock.timers.reset()
  }
})

t.test('the SDK itself can parse an envelope', async (t) => {
  const { collector, telemetry } = open(t)
  telemetry.captureError({ error: new Error('x'), digest: 'DIGEST' })
  await telemetry.flush(60_000)
  const [, items] = parseEnvelope(collector.texts[0]!)
  t.match(items[0]![1] as Event, { tags: { digest: 'DIGEST' }, platform: 'node' })
})
