import t from 'tap'
import type { TraceView } from '../../../src/queries/traces/trace-types.ts'
import { toTraceSpans } from '../../../src/queries/traces/trace-tree.ts'
import type { SpanDetail } from '../../../src/store/model.ts'
import { toWaterfall } from '../../../src/web/view-models/waterfall.ts'
import { makeSpan, TRACE_START } from '../../helpers/span.ts'

const ms = (number: number) => number * 1_000

/** Creates a span from its start and end in milliseconds. A span without a parent is a segment. */
const span = (id: string, parent: string | undefined, from: number, to: number, more: Partial<SpanDetail> = {}) =>
  makeSpan(id, parent, ms(from), ms(to), { isSegment: parent === undefined, ...more })

const view = (spans: SpanDetail[], over: Partial<TraceView> = {}): TraceView => ({
  traceId: 'a'.repeat(32),
  start: TRACE_START,
  duration: ms(1e3),
  spans: toTraceSpans(spans),
  omitted: 0,
  vitals: [],
  errors: [],
  hasMoreErrors: false,
  logs: [],
  hasMoreLogs: false,
  ...over
})

t.test('shows the attempts of a request in one row, numbered, each with its result', async (t) => {
  const attempt = (number: number, from: number, status: SpanDetail['status']) =>
    span(`try${number}`, 'data', from, from + 50, {
      op: 'http.client',
      name: 'GET /stock',
      status,
      attributes: { attempt: number }
    })
  const { rows } = toWaterfall(
    view([
      span('data', undefined, 0, 1_000),
      attempt(1, 10, 'error'),
      attempt(2, 200, 'error'),
      attempt(3, 700, 'ok'),
      span('other', 'data', 300, 320, { op: 'http.client', name: 'GET /stock', attributes: { attempt: 1 } })
    ])
  )
  t.equal(rows.length, 3)
  t.match(rows[1], { name: 'GET /stock', start: 10, duration: 740 })
  t.same(
    rows[1]!.bars.map(({ attempt, status }) => [attempt, status]),
    [
      [1, 'error'],
      [2, 'error'],
      [3, 'ok']
    ]
  )
  t.equal(rows[2]!.bars[0]!.attempt, undefined)
})

t.test('the axis of a trace with a duration of 0 has different labels', async (t) => {
  const { ticks } = toWaterfall(view([span('root', undefined, 0, 0)], { duration: 0 }))
  t.equal(new Set(ticks.map((tick) => tick.ms.toFixed(2))).size, ticks.length)
})

t.test('only the parts of a bar in which no child runs are darker', async (t) => {
  const { rows } = toWaterfall(
    view([span('root', undefined, 0, 1_000), span('a', 'root', 100, 300), span('b', 'root', 250, 600)])
  )
  const own = rows[0]!.self.toFixed(0)
  t.equal(own, '500')
  t.same(
    rows[0]!.bars[0]!.self.map((stretch) => stretch.map(Math.round)).toSorted((a, b) => a[0]! - b[0]!),
    [
      [0, 10],
      [59, 40]
    ]
  )
  t.same(rows[1]!.bars[0]!.self, [], 'a span without children has no darker parts')
})

t.test('shows errors at their spans, and errors without a span separately', async (t) => {
  const error = (eventId: string, spanId?: string) => ({
    issue: 1,
    eventId,
    type: 'Error',
    value: 'v'.repeat(1e4),
    at: TRACE_START / 1e3 + 500,
    side: 'server' as const,
    ...(spanId && { spanId })
  })
  const { rows, errors } = toWaterfall(
    view([span('root', undefined, 0, 1_000)], { errors: [error('one', 'root'), error('two', 'gone'), error('three')] }),
    { error: 'one' }
  )
  t.match(rows[0]!.errors, [{ eventId: 'one', isCurrent: true }])
  t.equal(Math.round(rows[0]!.errors[0]!.at), 50)
  t.ok(JSON.stringify(rows[0]!.errors).length < 200, 'without the texts, of which the drawing shows none')
  t.same(
    errors.map(({ eventId }) => eventId),
    ['two', 'three']
  )
})

t.test('keeps everything on the axis, whatever the spans contain', async (t) => {
  const { rows, marks, ticks } = toWaterfall(
    view([span('root', undefined, 0, 1_000), span('late', 'root', 900, 90_000), span('early', 'root', -500, 10)], {
      vitals: [
        { name: 'LCP', value: 1, at: TRACE_START / 1_000 + 900 },
        { name: 'FCP', value: 1, at: TRACE_START / 1_000 + 910 },
        { name: 'INP', value: 1, at: TRACE_START / 1_000 + 1e9 }
      ]
    })
  )
  for (const { bars } of rows) for (const { at } of bars) t.ok(at[0] >= 0 && at[0] <= 100)
  for (const { at } of marks) t.ok(at >= 0 && at <= 100)
  t.equal(new Set(marks.map(({ line }) => line)).size, 3, 'labels do not overlap')
  t.ok(ticks.length >= 4 && ticks.length <= 8)
})

t.test('draws the first 2000 rows of a very long trace, and counts the others', async (t) => {
  const spans = Array.from({ length: 4_000 }, (_, i) => span(`s${i}`, i === 0 ? undefined : 's0', i / 10, i / 10 + 1))
  const { rows, omitted } = toWaterfall(view(spans, { omitted: 7 }))
  t.same([rows.length, omitted], [2_000, 2_007])
})

t.test('a trace without spans has no rows', async (t) => {
  t.match(toWaterfall(view([], { duration: 0 })), { rows: [], errors: [] })
})
