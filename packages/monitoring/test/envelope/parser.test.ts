import t, { type Test } from 'tap'
import { MonitoringMalformed, MonitoringTooLarge } from '../../src/errors.ts'
import type { EnvelopeHeader } from '../../src/envelope/headers.ts'
import { EnvelopeParser } from '../../src/envelope/parser.ts'
import { fixtures, inPieces } from '@hull/test-helpers/envelopes.ts'

const MIB = 1024 ** 2
const SIZES = [[Infinity], [1], [7, 1, 300, 2, 64], [4096]]

interface Parsed {
  header: EnvelopeHeader
  rest: Buffer
  counts: Record<string, number>
}

function parse(bytes: string | Buffer, sizes: readonly number[] = [Infinity]): Parsed {
  let header: EnvelopeHeader | undefined
  const parser = new EnvelopeParser((parsed) => {
    header = parsed
  })
  const rest: Buffer[] = []
  for (const piece of inPieces(Buffer.from(bytes as string), sizes)) {
    const after = parser.push(piece)
    if (after) rest.push(after)
  }
  parser.end()
  return { header: header!, rest: Buffer.concat(rest), counts: parser.counts }
}

/** Asserts that the parser throws an error with this code, however the envelope is split. */
function refuses(t: Test, bytes: string | Buffer, code: string, name: string) {
  for (const sizes of SIZES) t.throws(() => parse(bytes, sizes), { code }, `${name} in pieces of ${sizes.join()}`)
}
const MALFORMED = 'APP_MONITORING_MALFORMED'
const TOO_LARGE = 'APP_MONITORING_TOO_LARGE'

t.test('envelopes of real SDKs pass unchanged, however they are split', async (t) => {
  for (const { name, bytes, header, rest } of fixtures) {
    const whole = parse(bytes)
    t.ok(whole.rest.equals(rest), name)
    t.same(whole.header.fields, pick(header))
    t.equal(whole.header.sentAt, header.sent_at === undefined ? undefined : Date.parse(header.sent_at as string))
    for (const sizes of SIZES) t.same(parse(bytes, sizes), whole)
  }
})

t.test('counts envelopes of real SDKs by data category', async (t) => {
  const counted = Object.fromEntries(
    fixtures.map(({ name, bytes }) => [name.slice(name.indexOf('-') + 1), parse(bytes).counts])
  )
  t.same(counted['browser-static-08-transaction'], { transaction: 1 })
  t.same(counted['browser-stream-01-session'], { session: 1 })
  t.same(counted['browser-stream-04-event+attachment'], { error: 1, attachment: 1 })
  t.same(counted['browser-stream-05-feedback'], { feedback: 1 })
  t.same(counted['browser-stream-08-span'], { span: 14 })
  t.same(counted['browser-stream-10-log'], { log_item: 1 })
  t.same(counted['browser-stream-12-replay_event+replay_recording'], { replay: 2 })
  t.same(counted['node-stream-02-check_in'], { monitor: 1 })
  t.same(counted['node-stream-03-client_report'], { internal: 1 })
  t.same(counted['node-stream-08-trace_metric'], { trace_metric: 2 })
})

t.test('an item ends after its length, at a newline or at the end of the envelope', async (t) => {
  for (const [text, counts] of [
    ['{}', {}],
    ['{}\n', {}],
    ['{}\n\n\n', {}],
    [' {} \r\n{"type":"event"}\r\n{}', { error: 1 }],
    ['{}\n{"type":"event"}\n{}', { error: 1 }],
    ['{}\n{"type":"event"}\n{}\n', { error: 1 }],
    ['{}\n{"type":"event"}\n{}\n\n\n{"type":"event"}\n{}\n\n', { error: 2 }],
    ['{}\n{"type":"event"}', { error: 1 }],
    ['{}\n{"type":"event"}\n', { error: 1 }],
    ['{}\n{"type":"event"}\n\n{"type":"session"}\n{}', { error: 1, session: 1 }],
    ['{}\n{"type":"event","length":2}\n{}', { error: 1 }],
    ['{}\n{"type":"event","length":2}\n{}\n', { error: 1 }],
    ['{}\n{"type":"attachment","length":3}\n\n\n\n\n{"type":"event"}\n{}', { attachment: 1, error: 1 }],
    ['{}\n{"type":"attachment","length":0}', { attachment: 1 }],
    ['{}\n{"type":"attachment","length":0}\n', { attachment: 1 }],
    ['{}\n{"type":"attachment","length":0}\n\n{"type":"attachment","length":0}\n\n', { attachment: 2 }],
    ['{}\n{"type":"event","length":null}\n{}', { error: 1 }]
  ] as const)
    for (const sizes of SIZES) {
      const { rest, counts: counted } = parse(text, sizes)
      t.same(counted, counts, JSON.stringify(text))
      t.equal(rest.toString(), text.includes('\n') ? text.slice(text.indexOf('\n') + 1) : '')
    }
})

t.test('items of unknown types pass, with any name', async (t) => {
  for (const type of ['future', '__proto__', 'constructor', 'toString', 'Event', ' event', '\u0000'])
    t.same(parse(`{}\n${JSON.stringify({ type })}\nanything`).counts, { default: 1 }, type)
})

t.test('payloads with NUL, lone surrogates and invalid UTF-8 pass unchanged', async (t) => {
  const payload = Buffer.from([0, 0xed, 0xa0, 0x80, 0xff, 0xfe, 0xc0, 0x80, 0x0d, 0, 0xef, 0xbb, 0xbf])
  for (const header of [
    '{"type":"event"}',
    `{"type":"event","length":${payload.length}}`,
    '{"type":"x","name":"\\ud800"}'
  ])
    for (const sizes of SIZES) {
      const rest = Buffer.concat([Buffer.from(`${header}\n`), payload, Buffer.from('\n')])
      t.ok(parse(Buffer.concat([Buffer.from('{}\n'), rest]), sizes).rest.equals(rest), header)
    }
})

t.test('only event_id, dsn, sdk, trace and sent_at are read from the header', async (t) => {
  const id = 'ccacc961cef246dcbbf55edf6b79b7f3'
  const take = (text: string) => parse(text).header
  t.same(
    take(
      `{"event_id":"${id}","dsn":"x","sdk":{"name":"a"},"trace":{"b":"c"},"sent_at":"2026-11-21T01:04:45.170Z",
      "__proto__":{"polluted":1},"forwarded_for":"1.2.3.4","remote_addr":"1.2.3.4","meta":{},"retention":5}`.replaceAll(
        '\n',
        ' '
      )
    ),
    {
      fields: { event_id: id, dsn: 'x', sdk: { name: 'a' }, trace: { b: 'c' } },
      sentAt: Date.parse('2026-11-21T01:04:45.170Z')
    }
  )
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
  t.same(take('{"sdk":"x","trace":[1],"sent_at":"soon","event_id":null,"dsn":null}'), { fields: {} })
  t.same(
    take('{"event_id":"CCACC961-cef2-46dc-bbf5-5edf6b79b7f3"}').fields.event_id,
    'CCACC961-cef2-46dc-bbf5-5edf6b79b7f3'
  )
})

t.test('an invalid envelope header is malformed', async (t) => {
  for (const text of [
    '',
    '\n{}',
    '[]\n',
    'null\n',
    '"{}"\n',
    '{\n',
    '{}{}\n',
    '{"a":1}x\n',
    'nonsense',
    '\ufeff{}\n',
    '{"event_id":1}\n',
    '{"event_id":"ccacc961"}\n',
    '{"event_id":"ccacc961cef246dcbbf55edf6b79b7f3\\n"}\n',
    '{"event_id":"ccacc961-cef246dcbbf55edf6b79b7f3"}\n',
    '{"dsn":5}\n',
    `{"trace":${'{"a":'.repeat(20)}1${'}'.repeat(20)}}\n`,
    `{"trace":{"a":${'['.repeat(8_000)}${']'.repeat(8_000)}}}\n`
  ])
    refuses(t, text, MALFORMED, JSON.stringify(text.slice(0, 40)))
  refuses(t, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x0a]), MALFORMED, 'invalid UTF-8')
})

t.test('an invalid item is malformed', async (t) => {
  for (const items of [
    '{}\n',
    '{"type":5}\n{}',
    '{"type":""}\n{}',
    '{"type":null}\n{}',
    '{"length":0}\n',
    '[]\n{}',
    'nonsense\n{}',
    ' \n',
    '{"type":"event"\n{}',
    '{"type":"event","length":-1}\n{}',
    '{"type":"event","length":1.5}\n{}',
    '{"type":"event","length":"2"}\n{}',
    '{"type":"event","length":1e300}\n{}',
    '{"type":"event","length":true}\n{}',
    '{"type":"event","length":3}\n{}',
    '{"type":"event","length":2}',
    '{"type":"event","length":2}\n',
    '{"type":"event","length":1}\n{}',
    '{"type":"event","length":0}\n{}',
    '{"type":"event","length":2}\n{}\r\n',
    '{"type":"event"}\n{}\nnonsense'
  ])
    refuses(t, `{}\n${items}`, MALFORMED, JSON.stringify(items))
})

t.test('an error does not contain the refused input', async (t) => {
  for (const text of [
    '{"secret"',
    '{"event_id":"secret"}',
    '{}\n{"type":"secret',
    '{}\n{"type":"event","length":"secret"}\n'
  ]) {
    const error = refusalOf(text)
    t.match(error, { code: MALFORMED, cause: undefined })
    t.notMatch(error.message, 'secret')
  }
})

t.test('a header line has at most 24 KiB', async (t) => {
  const header = (length: number) => `{"x":"${'x'.repeat(length - 8)}"}`
  t.same(parse(`${header(24_576)}\n{"type":"event"}\n{}`).counts, { error: 1 })
  refuses(t, `${header(24_577)}\n`, MALFORMED, 'the envelope header')
  refuses(t, 'x'.repeat(MIB), MALFORMED, 'a line without an end')
  const item = (length: number) => `{}\n{"type":"x",${header(length - 11).slice(1)}\n{}\n`
  t.same(parse(item(24_576)).counts, { default: 1 })
  refuses(t, item(24_577), MALFORMED, 'an item header')
})

t.test('refuses envelopes above 20 MiB, whatever they contain', async (t) => {
  const head = Buffer.from('{}\n{"type":"attachment"}\n')
  const of = (size: number) => Buffer.concat([head, Buffer.alloc(size - head.length, 'x')])
  t.same(parse(of(20 * MIB), [65_536]).counts, { attachment: 1 })
  for (const sizes of [[Infinity], [65_536]]) t.throws(() => parse(of(20 * MIB + 1), sizes), { code: TOO_LARGE })
  t.throws(() => parse(Buffer.alloc(20 * MIB + 1, '\n').fill('{}\n', 0, 3), [65_536]), { code: TOO_LARGE }, 'newlines')
  t.throws(
    () => parse('{}\n{"type":"x","length":20971521}\n'),
    { code: TOO_LARGE },
    'a length above the limit is refused before the payload arrives'
  )
})

t.test('an event has at most 1 MiB, while other items may be larger', async (t) => {
  for (const type of ['event', 'transaction', 'feedback', 'replay_event'])
    for (const length of [undefined, true]) {
      const of = (size: number) => `{}\n${JSON.stringify({ type, length: length && size })}\n${'x'.repeat(size)}\n`
      t.ok(parse(of(MIB), [65_536]).rest.length > MIB)
      for (const sizes of [[Infinity], [1_000]]) t.throws(() => parse(of(MIB + 1), sizes), { code: TOO_LARGE }, type)
    }
  for (const type of ['attachment', 'span', 'replay_recording', 'x'])
    t.ok(parse(`{}\n{"type":"${type}"}\n${'x'.repeat(MIB + 1)}`).rest.length > MIB, type)
})

t.test('an envelope has at most 100 sessions, and at most 1,000 items', async (t) => {
  const of = (type: string, count: number) => `{}\n${`{"type":"${type}"}\n{}\n`.repeat(count)}`
  for (const type of ['session', 'sessions']) {
    t.same(parse(of(type, 100)).counts, { session: 100 })
    refuses(t, of(type, 101), TOO_LARGE, type)
  }
  t.same(parse(of('log', 1_000)).counts, { log_item: 1_000 })
  t.throws(() => parse(of('log', 1_001)), { code: TOO_LARGE })
  t.throws(() => parse(of('x', 1_000_000)), { code: TOO_LARGE }, 'a million')
})

t.test('limits the `item_count` of an item', async (t) => {
  const counted = (count: unknown) => parse(`{}\n{"type":"span","item_count":${count}}\n{}`).counts.span
  t.same([3, 0, -1, 1.5, '"9"', 'null', 1e300].map(counted), [3, 1, 1, 1, 1, 1, 1])
  t.equal(counted(1e9), 10_000)
})

t.test("errors of the caller's header check are thrown before any item is read", async (t) => {
  const mine = new Error('mine')
  const parser = new EnvelopeParser(() => {
    throw mine
  })
  t.throws(() => parser.push(Buffer.from('{}\nnonsense\n')), mine)
})

function refusalOf(text: string): Error & { code: string } {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof MonitoringMalformed || error instanceof MonitoringTooLarge) return error
  }
  throw new Error(`The parser accepted: ${text}`)
}

function pick(header: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(header).filter(([key]) => ['event_id', 'dsn', 'sdk', 'trace'].includes(key)))
}
