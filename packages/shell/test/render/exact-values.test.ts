import t from 'tap'
import { decodePayload, ReceivedValues } from '../../src/client/page-data/payload.ts'
import { emptyPagePayload } from '../../src/routing/payload.ts'
import { Deadline } from '../../src/render/deadline.ts'
import { inspectData } from '../../src/render/inspect-data.ts'
import { encodePageData } from '../../src/render/page-data.ts'

class Money {
  amount = 1
}

class Day extends Date {}

/** Returns the data as the browser receives it, and the errors reported during serialisation. */
async function roundTrip(data: unknown) {
  const reported: unknown[] = []
  const report = (error: unknown) => String(reported.push(error))
  const payload = { ...emptyPagePayload('b', '/x'), page: '/pages/x.tsx', data }
  const deadline = new Deadline(60_000)
  const { body, codec } = await encodePageData(payload, { plain: inspectData(data), deadline, report })
  deadline.stop()
  return { data: decodePayload(body, codec, new ReceivedValues()).data as never, reported }
}

const shared = Buffer.from('secret of another request, and bytes')

const bytes = new Uint8Array([255, 0, 128])

const EXACT: Record<string, unknown> = {
  undefined: undefined,
  'numbers that JSON lacks': [-0, NaN, Infinity, -Infinity],
  'a regular expression': /a\/b/giu,
  'a URL': new URL('https://a.example/?b=c'),
  'boxed values': [Object(1), Object('text'), Object(true), Object(1n)],
  'no prototype': Object.assign(Object.create(null) as object, { constructor: 1 }),
  'typed arrays': [new Uint8Array([1, 2]), new Float64Array([0.5]), new BigInt64Array([1n])],
  'views of one buffer': [bytes, new DataView(bytes.buffer), bytes.buffer],
  'numbers in boxes': [Object(-0), Object(NaN)],
  holes: Object.assign(Array(3), { 1: 1 }),
  'a sparse array': Object.assign([], { 1000: 1 }),
  'sets and maps in each other': new Map<unknown, unknown>([[new Set([1n]), new Map([[undefined, null]])]]),
  'a part of a buffer': new Uint8Array(shared.buffer, shared.byteOffset + 31, 5)
}

for (const [name, value] of Object.entries(EXACT)) {
  t.test(`restores ${name}, in data and as the value of a promise`, async (t) => {
    t.strictSame((await roundTrip({ value })).data, { value })
    const { data, reported } = await roundTrip({ late: Promise.resolve({ value }) })
    t.strictSame(await (data as { late: Promise<unknown> }).late, { value })
    t.same(reported, [])
  })
}

t.test('sends only the bytes of a view, and not its whole buffer', async (t) => {
  const { data } = await roundTrip({ value: EXACT['a part of a buffer'] })
  t.equal((data as { value: Uint8Array }).value.buffer.byteLength, 5)
})

const { proxy, revoke } = Proxy.revocable({}, {})
revoke()

const REFUSED: Record<string, unknown> = {
  'a symbol': Symbol('s'),
  'a function': () => {},
  'a symbol as a key': { [Symbol('s')]: 1 },
  'a hidden property': Object.defineProperty({}, 'hidden', { value: 1 }),
  'a Buffer': Buffer.from('x'),
  'a subclass of Date': new Day(),
  'a subclass of Map': new (class Rows extends Map {})(),
  'a subclass of Array': new (class Rows extends Array {})(),
  'properties of an array': 'text'.match(/t/),
  'properties of a date': Object.assign(new Date(0), { zone: 'UTC' }),
  'an instance of a class': new Money(),
  'an error': new Error('secret'),
  'a getter that throws': {
    get x(): never {
      throw new Error('secret')
    }
  },
  'a revoked proxy': proxy,
  // oxlint-disable-next-line unicorn/no-thenable
  'a thenable that is not a promise': { then() {} }
}

for (const [name, value] of Object.entries(REFUSED)) {
  t.test(`refuses ${name} with path and file, in data and as the value of a promise`, async (t) => {
    const code = 'APP_PAYLOAD_UNSERIALISABLE'
    await t.rejects(roundTrip({ deep: [value] }), { code, message: /\.data\.deep\[0\].* of client\/pages\/x\.tsx/ })
    const { data, reported } = await roundTrip({ late: Promise.resolve({ deep: [value] }) })
    await t.rejects((data as { late: Promise<unknown> }).late, { name: 'ServerFailure', digest: '1' })
    t.match(reported, [{ code, message: /\.data\.late → \.deep\[0\].* of client\/pages\/x\.tsx/ }])
  })
}

t.test('restores an object inside of itself, in each kind of container', async (t) => {
  const map = new Map<string, unknown>()
  const value = { array: [] as unknown[], map, set: new Set<unknown>(), bare: Object.create(null) as { self: unknown } }
  value.array[900] = value
  map.set('self', map)
  value.set.add(value.set)
  value.bare.self = value.bare
  const { data } = (await roundTrip({ value })) as { data: { value: typeof value } }
  t.equal(data.value.array[900], data.value)
  t.equal(data.value.map.get('self'), data.value.map)
  t.ok(data.value.set.has(data.value.set))
  t.equal(data.value.bare.self, data.value.bare)
})

t.test('restores an invalid date', async (t) => {
  const { data } = (await roundTrip({ value: new Date(NaN) })) as { data: { value: Date } }
  t.ok(Number.isNaN(data.value.getTime()))
})

t.test('refuses to decode what the server never sends', async (t) => {
  const decode = (text: string) => () => decodePayload(text, 'devalue', new ReceivedValues())
  for (const text of [
    '[["Function",1],"alert()"]',
    '[["constructor",1],1]',
    '[{"__proto__":1},{}]',
    '["a"',
    '[[null]]'
  ])
    t.throws(decode(text), text)
})
