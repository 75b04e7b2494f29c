import fc from 'fast-check'
import t from 'tap'
import { detailOf, normalise, NOW } from '../../helpers/normalise.ts'
import { createRawEvent, createRawException, openWriter } from '../../helpers/writer.ts'

t.test('ignores keys that would change a prototype', async (t) => {
  const text = JSON.stringify(createRawEvent()).replace(
    /\}$/,
    `,"__proto__":{"polluted":1},"extra":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}},
      "contexts":{"__proto__":{"polluted":1},"app":{"__proto__":"x","constructor":"y"}},
      "tags":{"__proto__":"x","constructor":"y"},"user":{"__proto__":{"id":"7"}}}`
  )
  const { detail } = normalise(text)
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
  t.notMatch(JSON.stringify(detail), /__proto__/)
  t.same(detail.tags, [['constructor', 'y']])
  t.equal(Object.getPrototypeOf(detail.extra), Object.prototype)
  t.equal(detail.user, undefined)
})

t.test('limits the number and the length of values', async (t) => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, `v${index}`]))
  const frames = Array.from({ length: 5_000 }, (_, index) => ({
    filename: 'a.js',
    function: `f${index}`,
    lineno: index
  }))
  const detail = detailOf({
    tags: many(10_000),
    extra: many(10_000),
    contexts: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`c${index}`, many(100)])),
    breadcrumbs: Array.from({ length: 5_000 }, (_, index) => ({ message: `m${index}` })),
    exception: {
      values: Array.from({ length: 500 }, (_, index) =>
        createRawException({ value: `e${index}`, stacktrace: { frames } })
      )
    },
    fingerprint: Array.from({ length: 1_000 }, () => 'x'.repeat(10_000)),
    message: 'x'.repeat(1_000_000),
    release: 'x'.repeat(10_000)
  })
  t.equal(detail.tags.length, 50)
  t.equal(Object.keys(detail.extra).length, 50)
  t.equal(Object.keys(detail.contexts).length, 20)
  t.equal(detail.breadcrumbs.length, 100)
  t.equal(detail.breadcrumbs.at(-1)?.message, 'm4999', 'the newest breadcrumb')
  t.equal(detail.exceptions.length, 10)
  t.equal(detail.exceptions.at(-1)?.value, 'e499', 'the reported exception')
  const functions = detail.exceptions[0]!.frames.map((frame) => frame.function)
  t.equal(functions.length, 50)
  t.same(
    [functions[0], functions[24], functions[25], functions[49]],
    ['f4999', 'f4975', 'f24', 'f0'],
    'both ends of the stack'
  )
  t.equal(detail.message!.length, 8_192)
  t.ok(JSON.stringify(detail).length < 500_000)
})

t.test('limits the depth of values', async (t) => {
  const depth = 100_000
  const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  const list = `${'['.repeat(depth)}1${']'.repeat(depth)}`
  const { detail } = normalise(
    `{"extra":{"deep":${deep},"list":${list}},"message":"m","tags":{"t":${list}},"exception":${list}}`
  )
  t.match(detail.extra, { deep: '{"a":{"a":{"a":{"a":{"a":…}}}}}', list: '[[[[[…]]]]]' })
  t.equal(detail.message, 'm')
})

t.test('repairs invalid text', async (t) => {
  const { exceptions, tags } = detailOf({
    exception: [{ type: 'A\0B', value: 'half \ud83d and \udc00' }],
    tags: { 'a\0': '\0', b: '\ud83d' }
  })
  const text = JSON.stringify([exceptions, tags])
  t.notOk(text.includes('\\u0000'))
  t.ok(exceptions[0]!.value.isWellFormed())
  t.ok(detailOf({ exception: [{ type: 'E', value: `${'x'.repeat(8_190)}😀` }] }).exceptions[0]!.value.isWellFormed())
})

t.test('leaves out invalid numbers', async (t) => {
  const frames = [0, -1, 1.5, 1e300, '7', null, true].map((lineno) => ({ filename: 'a.js', lineno, colno: lineno }))
  for (const frame of detailOf({ exception: [{ stacktrace: { frames } }] }).exceptions[0]!.frames)
    t.same(Object.keys(frame), ['file', 'inApp'])
})

t.test('replaces an invalid id with a hash of the event', async (t) => {
  const event = createRawEvent({ event_id: "'; DROP TABLE event; --" })
  const { eventId } = normalise(event).detail
  t.match(eventId, /^[\da-f]{32}$/)
  t.equal(normalise(event).detail.eventId, eventId)
  t.not(normalise({ ...event, message: 'x' }).detail.eventId, eventId)
  t.equal(detailOf({ event_id: 'C1D7A2B6-0F4C-4E53-9F2B-0123456789AB' }).eventId, 'c1d7a2b60f4c4e539f2b0123456789ab')
  const { traceId, spanId } = detailOf({ contexts: { trace: { trace_id: 'zz', span_id: 7 } } })
  t.same([traceId, spanId], [undefined, undefined])
})

t.test('any JSON is stored, or dropped and counted, and the store stays intact', async (t) => {
  const { writer, send, store, count } = openWriter(t)
  const KEYS = [
    'event_id',
    'timestamp',
    'platform',
    'level',
    'exception',
    'values',
    'stacktrace',
    'frames',
    'filename',
    'lineno',
    'context_line',
    'pre_context',
    'type',
    'value',
    'message',
    'logentry',
    'formatted',
    'tags',
    'extra',
    'contexts',
    'react',
    'componentStack',
    'trace',
    'trace_id',
    'user',
    'id',
    'request',
    'url',
    'headers',
    'cookies',
    'query_string',
    'breadcrumbs',
    'data',
    'release',
    'environment',
    'transaction',
    'fingerprint',
    'sdk',
    'name',
    'debug_meta',
    'images',
    'threads',
    'mechanism'
  ]
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 6 },
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.double(),
      fc.constantFrom(null, true, '', '\0', '\ud800', NOW / 1_000, '__proto__', 'x'.repeat(3_000)),
      fc.array(tie('any'), { maxLength: 5 }),
      fc.dictionary(
        fc.oneof(fc.constantFrom(...KEYS, '__proto__', 'constructor'), fc.string({ maxLength: 8 })),
        tie('any'),
        { maxKeys: 8 }
      )
    )
  })).any
  const event = fc.dictionary(fc.constantFrom(...KEYS), value, { minKeys: 1, maxKeys: 12 })
  fc.assert(
    fc.property(event, (raw) => {
      t.same(send(raw as Record<string, unknown>), ['stored'])
    }),
    { numRuns: 400 }
  )
  const before = count('event')
  t.ok(before > 300)
  t.equal(
    writer.stats.drops.find(({ reason }) => reason === 'invalid'),
    undefined,
    'an object is always an event'
  )
  t.match(store.get('PRAGMA quick_check'), { quick_check: 'ok' })
  t.equal(store.get<{ sum: number }>('SELECT sum(events) AS sum FROM issue')!.sum, before)
})
