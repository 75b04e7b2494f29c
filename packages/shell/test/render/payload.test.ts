import fc from 'fast-check'
import t from 'tap'
import { decodePayload, ReceivedValues } from '../../src/client/page-data/payload.ts'
import { Deadline } from '../../src/render/deadline.ts'
import { DeferredValues } from '../../src/render/deferred-values.ts'
import { inspectData } from '../../src/render/inspect-data.ts'
import { encodePayload, escapeScript, MAX_PAYLOAD_LENGTH } from '../../src/render/payload.ts'
import type { DeferredValue, PagePayload } from '../../src/routing/payload.ts'

const payload = (data: unknown): PagePayload => ({
  build: 'b',
  page: '/pages/x.tsx',
  pathname: '/x',
  params: {},
  data,
  layouts: [],
  layoutData: [],
  meta: {}
})

const deadline = new Deadline(60_000)
t.teardown(() => deadline.stop())

const deferredValues = () => new DeferredValues({ deadline, report: () => 'D' })

const encode = (data: unknown, deferred = deferredValues()) => encodePayload(payload(data), inspectData(data), deferred)

const roundTrip = (data: unknown) => {
  const { text, codec } = encode(data)
  return decodePayload(escapeScript(text), codec, new ReceivedValues()).data
}

t.test('writes a plain tree as JSON', async (t) => {
  t.equal(encode({ a: [1, 'two', null, true, { b: 0.5 }] }).codec, 'json')
})

t.test('writes a late value as JSON if it is a plain tree', async (t) => {
  const deferred = deferredValues()
  encode({ plain: Promise.resolve([{ a: '<b>' }]), rich: Promise.resolve([new Date(0)]) }, deferred)
  const values: DeferredValue[] = []
  await deferred.follow((value) => values.push(value))
  t.same(values, [
    [1, true, '[{"a":"<b>"}]', 'json'],
    [2, true, '[[1],["Date","1970-01-01T00:00:00.000Z"]]', 'devalue']
  ])
  const received = new ReceivedValues()
  values.forEach(received.settle)
  t.same(await received.get(1), [{ a: '<b>' }])
  t.same(await received.get(2), [new Date(0)])
})

t.test('uses the other codec for data that JSON would change', async (t) => {
  const shared = {}
  for (const data of [
    { a: undefined },
    [NaN],
    [-0],
    [Infinity],
    new Date(0),
    new Map(),
    new Set(),
    1n,
    Object.assign(Object.create(null) as object, { row: 1 }),
    undefined,
    [shared, shared]
  ]) {
    t.equal(encode(data).codec, 'devalue')
    t.strictSame(roundTrip(data), data)
  }
})

t.test('restores cycles and repeated references', async (t) => {
  const data: { self?: unknown; pair: object[] } = { pair: [] }
  data.self = data
  data.pair = [data, data]
  const arrived = roundTrip(data) as typeof data
  t.equal(arrived.self, arrived)
  t.equal(arrived.pair[0], arrived.pair[1])
})

t.test('restores any JSON value from a script element', async (t) => {
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom('</script>', '<!--', '<script', '</SCRIPT', '\u2028', ']]>', '<s', '<!')
  )
  fc.assert(
    fc.property(fc.dictionary(hostile, fc.oneof(fc.jsonValue(), hostile), { noNullPrototype: true }), (data) => {
      // These values are refused, and another test checks that.
      fc.pre(!JSON.stringify(data).includes('"__proto__":'))
      const { text, codec } = encode(data)
      const escaped = escapeScript(text)
      if (/<[/!s]/i.test(escaped)) throw new Error(`ends the script element: ${escaped}`)
      t.strictSame(decodePayload(escaped, codec, new ReceivedValues()).data, data)
    }),
    { numRuns: 300 }
  )
})

t.test('refuses a value that cannot be encoded and names its path', async (t) => {
  class Money {}
  const cases: Array<[unknown, RegExp]> = [
    [{ deep: [{ value: () => {} }] }, /\.data\.deep\[0\]\.value/],
    [{ deep: new Money() }, /\.data\.deep/],
    [{ key: Symbol('s') }, /\.data\.key/],
    [JSON.parse('{"a": {"__proto__": {"x": 1}}}'), /\.data\.a/]
  ]
  for (const [data, where] of cases)
    t.throws(() => encode(data), { code: 'APP_PAYLOAD_UNSERIALISABLE', message: where })
})

t.test('refuses a payload above the size limit, and data that is nested too deeply', async (t) => {
  t.throws(() => encode('x'.repeat(MAX_PAYLOAD_LENGTH)), { code: 'APP_PAYLOAD_TOO_LARGE' })
  let nested: unknown = null
  for (let i = 0; i < 200_000; i++) nested = [nested]
  t.throws(() => encode(nested), { code: 'APP_PAYLOAD_UNSERIALISABLE' })
})

t.test('numbers the promises in the data, and settles them by number', async (t) => {
  const deferred = deferredValues()
  const { text, codec } = encode({ one: Promise.resolve(1), two: { three: Promise.resolve(3) } }, deferred)
  t.equal(deferred.size, 2)
  const values = new ReceivedValues()
  const { data } = decodePayload(text, codec, values) as {
    data: { one: Promise<number>; two: { three: Promise<number> } }
  }
  values.settle([2, true, '[3]'])
  values.settle([1, false, '{"digest":"D1"}'])
  t.equal(await data.two.three, 3)
  await t.rejects(data.one, { name: 'ServerFailure', digest: 'D1' })
})
