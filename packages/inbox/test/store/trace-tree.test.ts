import t from 'tap'
import type { SpanDetail } from '../../src/store/model.ts'
import { toTraceSpans } from '../../src/queries/traces/trace-tree.ts'
import { makeSpan, TRACE_START } from '../helpers/span.ts'

const segment = { isSegment: true } as const
const browser = { side: 'browser' } as const

const outline = (spans: SpanDetail[]) => toTraceSpans(spans).map(({ depth, spanId }) => `${' '.repeat(depth)}${spanId}`)

t.test('orders spans below their parents, by start, whatever the order of arrival', async (t) => {
  const spans = [
    makeSpan('root', undefined, 0, 100, segment),
    makeSpan('second', 'root', 50, 90),
    makeSpan('first', 'root', 10, 40),
    makeSpan('inner', 'first', 20, 30)
  ]
  const expected = ['root', ' first', '  inner', ' second']
  t.same(outline(spans), expected)
  t.same(outline(spans.toReversed()), expected)
})

t.test('puts browser spans above the server spans that they caused', async (t) => {
  const spans = [
    makeSpan('server', 'request', 20, 60, segment),
    makeSpan('data', 'server', 30, 50),
    makeSpan('request', 'page', 10, 70, browser),
    makeSpan('page', undefined, 0, 100, { ...segment, ...browser })
  ]
  t.same(outline(spans), ['page', ' request', 'server', ' data'])
})

t.test('puts a span whose parent is missing below its segment, and marks it', async (t) => {
  const spans = [
    makeSpan('root', 'elsewhere', 0, 100, segment),
    makeSpan('lost', 'gone', 10, 20, { segmentId: 'root' }),
    makeSpan('stray', 'gone', 30, 40)
  ]
  const tree = toTraceSpans(spans)
  t.same(
    tree.map(({ spanId, depth, isOrphan }) => [spanId, depth, isOrphan]),
    [
      ['root', 0, false],
      ['lost', 1, true],
      ['stray', 0, true]
    ]
  )
})

t.test('spans whose parents form a cycle, or that are their own parents, are each shown once', async (t) => {
  const spans = [
    makeSpan('a', 'b', 0, 10),
    makeSpan('b', 'c', 1, 9),
    makeSpan('c', 'a', 2, 8),
    makeSpan('self', 'self', 20, 30),
    makeSpan('below', 'c', 3, 4),
    makeSpan('a', undefined, 0, 99)
  ]
  t.same(outline(spans).toSorted(), ['  below', '  b', ' c', 'a', 'self'].toSorted())
})

t.test('a chain of 5000 spans, and 2500 cycles of two, are ordered', async (t) => {
  const chain = Array.from({ length: 5_000 }, (_, i) =>
    makeSpan(`s${i}`, i === 0 ? undefined : `s${i - 1}`, i, 10_000 - i)
  )
  t.equal(toTraceSpans(chain).at(-1)!.depth, 4_999)
  const circles = Array.from({ length: 5_000 }, (_, i) => makeSpan(`s${i}`, `s${i ^ 1}`, i, i + 1))
  t.equal(toTraceSpans(circles).length, 5_000)
})

t.test('the own time of a span is the time without a running child, also if children overlap', async (t) => {
  const [root] = toTraceSpans([
    makeSpan('root', undefined, 0, 100, segment),
    makeSpan('one', 'root', 10, 40),
    makeSpan('two', 'root', 30, 50),
    makeSpan('late', 'root', 90, 150),
    makeSpan('early', 'root', -20, 5)
  ])
  t.equal(root!.self, 100 - 5 - 40 - 10)
  t.equal(root!.children, 4)
})

t.test('a server whose clock differs is shifted into its request, with all spans of the server', async (t) => {
  const spans = [
    makeSpan('page', undefined, 0, 1_000, { ...segment, ...browser }),
    makeSpan('fetch', 'page', 100, 300, browser),
    makeSpan('server', 'fetch', 50_100, 50_200, segment),
    makeSpan('data', 'server', 50_120, 50_150)
  ]
  const [, , server, data] = toTraceSpans(spans)
  t.match(server, { spanId: 'server', start: TRACE_START + 150, shifted: 150 - 50_100 })
  t.match(data, { spanId: 'data', start: TRACE_START + 170, shifted: 150 - 50_100 })
})

t.test('the server span of a document that begins before the request for it is shifted into the request', async (t) => {
  const spans = [
    makeSpan('server', undefined, -5_000, -4_900, segment),
    makeSpan('page', 'server', 0, 1_000, { ...segment, ...browser, op: 'pageload' }),
    makeSpan('asked', 'page', 20, 220, { ...browser, op: 'browser.request' })
  ]
  t.match(
    toTraceSpans(spans).find(({ spanId }) => spanId === 'server'),
    { start: TRACE_START + 70, shifted: 5_070 }
  )
})

t.test('interactions and layout shifts, reported as separate segments, do not shift a document', async (t) => {
  const spans = [
    makeSpan('server', undefined, 30, 200, segment),
    makeSpan('page', 'server', 0, 1_000, { ...segment, ...browser, op: 'pageload' }),
    makeSpan('asked', 'page', 20, 220, { ...browser, op: 'browser.request' }),
    makeSpan('shift', 'server', 3_000, 3_000, { ...segment, ...browser, op: 'ui.webvital.cls' }),
    makeSpan('click', 'server', 4_600, 4_900, { ...segment, ...browser, op: 'ui.interaction.click' })
  ]
  for (const order of [spans, spans.toReversed()])
    for (const { spanId, shifted } of toTraceSpans(order)) t.equal(shifted, undefined, spanId)
})

t.test('spans of clocks that agree are not shifted', async (t) => {
  const spans = [
    makeSpan('page', undefined, 0, 1_000, { ...segment, ...browser }),
    makeSpan('fetch', 'page', 100, 300, browser),
    makeSpan('server', 'fetch', 110, 290, segment)
  ]
  for (const { shifted } of toTraceSpans(spans)) t.equal(shifted, undefined)
})
