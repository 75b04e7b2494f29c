import fc from 'fast-check'
import t from 'tap'
import { MAX_BAGGAGE_MEMBERS, MAX_PROPAGATION_LENGTH, MAX_TRACESTATE_MEMBERS } from '../../../common/src/constants.ts'
import { formatBaggage, parseBaggage } from '../../src/tracing/baggage.ts'
import { readPropagation } from '../../src/tracing/incoming.ts'
import { formatSentryTrace, formatTraceparent, parseSentryTrace, parseTraceparent } from '../../src/tracing/parent.ts'
import { cleanTracestate } from '../../src/tracing/tracestate.ts'

const traceId = fc
  .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 })
  .filter((id) => !/^0+$/.test(id))
const spanId = fc
  .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 16, maxLength: 16 })
  .filter((id) => !/^0+$/.test(id))
const headerText = fc.string({ unit: 'binary-ascii', maxLength: 300 })
/** Random text that is more similar to a header than random characters. */
const nearHeader = fc
  .array(
    fc.oneof(
      fc.constantFrom('sentry-', 'a', '=', ',', ';', '%', '%41', '%zz', ' ', '\t', '"', '\\', 'é', '__proto__', 'x=1'),
      headerText
    ),
    { maxLength: 40 }
  )
  .map((parts) => parts.join(''))

const membersOf = (header: string) => (header === '' ? [] : header.split(','))
const isWithinLimits = (header: string) =>
  header.length <= MAX_PROPAGATION_LENGTH && membersOf(header).length <= MAX_BAGGAGE_MEMBERS

t.test('sentry-trace and traceparent are unchanged after formatting and parsing', async (t) => {
  fc.assert(
    fc.property(traceId, spanId, fc.option(fc.boolean(), { nil: undefined }), (traceId, spanId, sampled) => {
      const parent = { traceId, spanId, sampled }
      const random = { ...parent, sampled: sampled === true, isRandom: true }
      t.strictSame(parseSentryTrace(formatSentryTrace(parent)), parent)
      t.strictSame(parseTraceparent(formatTraceparent(random)), random)
      t.strictSame(parseTraceparent(formatTraceparent(parent)), { ...random, isRandom: false })
    }),
    { numRuns: 50 }
  )
})

t.test('only exactly valid headers are parsed', async (t) => {
  fc.assert(
    fc.property(fc.oneof(headerText, nearHeader), (text) => {
      const parent = parseSentryTrace(text)
      return parent === undefined || formatSentryTrace(parent) === text
    })
  )
  const good = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  t.ok(parseTraceparent(good))
  t.match(
    parseTraceparent('cc' + good.slice(2) + '-what-comes-later'),
    { sampled: true },
    'a later version may have more fields'
  )
  t.match(
    parseTraceparent(good.slice(0, -2) + 'fe'),
    { sampled: false },
    'only the lowest bit is the sampling decision'
  )
  for (const bad of [
    good + '-x',
    good.slice(1),
    good + ' ',
    good.toUpperCase(),
    'cc' + good.slice(2) + 'x',
    good.repeat(2),
    ''
  ])
    t.equal(parseTraceparent(bad), undefined, bad)
})

t.test('baggage', async (t) => {
  t.test('with any content is unchanged after formatting and parsing', async (t) => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ unit: fc.constantFrom(...'abcdefgh_'), minLength: 1 }).filter((key) => key !== '__proto__'),
          fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
          { maxKeys: 8 }
        ),
        (facts) => {
          const { facts: back = {}, foreign } = parseBaggage(formatBaggage(facts))
          const expected = Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, value.toWellFormed()]))
          t.same(back, expected)
          t.same(foreign, [])
        }
      ),
      { numRuns: 100 }
    )
  })

  t.test("never exceeds the limits, never truncates a member, and has Hull's members first", async (t) => {
    fc.assert(
      fc.property(nearHeader, nearHeader, fc.nat(12_000), (one, two, filler) => {
        const { facts, foreign } = parseBaggage(`${one},big=${'x'.repeat(filler)},${two}`)
        const sent = formatBaggage({ ...facts, transaction: one.toWellFormed() || 'x' }, foreign)
        t.ok(isWithinLimits(sent))
        const members = membersOf(sent)
        const firstForeign = members.findIndex((member) => !member.startsWith('sentry-'))
        if (firstForeign !== -1) t.notOk(members.slice(firstForeign).some((member) => member.startsWith('sentry-')))
        for (const member of foreign) t.match(member, /^[^\s,;="\\]+[ \t]*=[\x20-\x7e\t]*$/)
        t.same(parseBaggage(sent).foreign, members.slice(firstForeign === -1 ? members.length : firstForeign))
      }),
      { numRuns: 200 }
    )
  })

  t.test('with long runs of white space is read in limited time', async (t) => {
    const began = performance.now()
    for (const space of [' ', '\t'])
      for (const text of [
        `a=${space}é`,
        `a${space}=${space}é`,
        `a=b${space}é`,
        `a=b${space};${space}é`,
        `a=${space};é`
      ]) {
        const header = text.replaceAll(space, space.repeat(7_000))
        for (let i = 0; i < 40; i++) t.same(parseBaggage(header).foreign, [])
      }
    t.same(parseBaggage(`a=${' '.repeat(1_000)}b${' '.repeat(1_000)};c`).foreign.length, 1)
    t.ok(performance.now() - began < 5_000)
  })

  t.test('may have 8192 characters, and loses the whole member that exceeds them', async (t) => {
    const ours = 'sentry-release=1'
    const fits = `${ours},big=${'x'.repeat(MAX_PROPAGATION_LENGTH - ours.length - ',big='.length)}`
    t.equal(fits.length, 8192)
    t.equal(parseBaggage(fits).foreign.length, 1)
    t.same(parseBaggage(`${fits}x`).foreign, [])
    t.same(parseBaggage(`${fits}x`).facts, { release: '1' })
    const { foreign } = parseBaggage(fits.slice(ours.length + 1))
    t.equal(formatBaggage({ release: '1' }, foreign).length, 8192)
    t.equal(formatBaggage({ release: '12' }, foreign), 'sentry-release=12', 'characters are counted after merging')
    t.equal(
      formatBaggage({ release: 'x'.repeat(9_000), environment: 'e' }, ['a=1']),
      'sentry-environment=e,a=1',
      'the header has no leading comma'
    )
  })

  t.test("may have 64 members, of which Hull's members take precedence", async (t) => {
    const foreign = Array.from({ length: 64 }, (_, i) => `k${i}=${i}`)
    t.equal(parseBaggage(foreign.join(',')).foreign.length, 64)
    const parsed = parseBaggage([...foreign, 'sentry-release=1'].join(','))
    t.same(parsed.facts, { release: '1' })
    t.same(parsed.foreign, foreign.slice(0, 63))
    t.equal(membersOf(formatBaggage({ release: '1' }, foreign)).length, 64)
  })

  t.test('loses malformed members, and keeps others unchanged', async (t) => {
    const header =
      ' a = 1 ; p=2;q , b=%zz, c="x", d\\=1, =1, e, f=é, g=%41;;, sentry-x=%ff, sentry-=1, sentry-__proto__=1, h=1=2'
    t.same(parseBaggage(header), { facts: undefined, foreign: ['a = 1 ; p=2;q', 'g=%41;;', 'h=1=2'] })
  })

  t.test('is parsed also for headers that could cause catastrophic backtracking', async (t) => {
    for (const piece of ['a=;', 'a = ', '; ', '%', 'a=b;c'])
      t.ok(parseBaggage(piece.repeat(16_000 / piece.length) + '"'), piece)
  })
})

t.test('tracestate', async (t) => {
  t.test('keeps each key once, in order, and loses empty members', async (t) => {
    t.equal(cleanTracestate('b=1, a@v=2,,b=3 ,\t f=1 2\t'), 'b=1,a@v=2,f=1 2')
    t.equal(cleanTracestate(' , ,'), undefined)
  })

  t.test('is dropped completely if one of its members is illegal', async (t) => {
    const illegal = [
      'NO',
      'foo =1',
      'FOO=1',
      'foo.bar=1',
      '@foo=1',
      '=1',
      'foo',
      'foo=',
      'foo=x=y',
      'é=1',
      'foo=é',
      'foo=1\u00a0',
      '\u00a0foo=1',
      'foo=a\tb'
    ]
    for (const member of illegal)
      for (const header of [member, `a=1,${member}`, `${member},a=1`])
        t.equal(cleanTracestate(header), undefined, header)
  })

  t.test('may have keys and values of 256 characters, and is dropped at 257', async (t) => {
    const long = 'z'.repeat(256)
    t.equal(cleanTracestate(`a=1,${long}=1`), `a=1,${long}=1`)
    t.equal(cleanTracestate(`a=1,${long}z=1`), undefined)
    t.equal(cleanTracestate(`a=${long}`), `a=${long}`)
    t.equal(cleanTracestate(`a=${long}z`), undefined)
  })

  t.test('may have 32 members, and is dropped at 33', async (t) => {
    const many = Array.from({ length: MAX_TRACESTATE_MEMBERS + 1 }, (_, i) => `k${i}=1`)
    const allowed = many.slice(0, -1).join(',')
    t.equal(MAX_TRACESTATE_MEMBERS, 32)
    t.equal(cleanTracestate(allowed), allowed)
    t.equal(cleanTracestate(`${allowed},,`), allowed, 'an empty member does not count')
    t.equal(cleanTracestate(many.join(',')), undefined)
  })

  t.test('may have 8192 characters, and loses the whole member that exceeds them', async (t) => {
    const members = Array.from({ length: 16 }, (_, i) => `${String(i).padStart(255, 'k')}=${'x'.repeat(255)}`)
    const full = members.join(',') + 'x'
    t.equal(full.length, MAX_PROPAGATION_LENGTH)
    t.equal(cleanTracestate(full), full)
    members[0] += 'x'
    t.equal(cleanTracestate(members.join(',') + 'x'), members.slice(0, -1).join(','))
  })

  t.test('stays within the limits for any input', async () => {
    fc.assert(fc.property(nearHeader, (text) => isWithinLimits(cleanTracestate(text) ?? '')))
  })
})

t.test('baggage with a no-break space around a member is malformed', async (t) => {
  t.same(parseBaggage('\u00a0a=1,b=2,c=3\u00a0').foreign, ['b=2'])
})

t.test('any headers are read without an error, and result in valid ids', async (t) => {
  fc.assert(
    fc.property(
      fc.record({
        'sentry-trace': fc.option(nearHeader, { nil: undefined }),
        traceparent: fc.option(nearHeader, { nil: undefined }),
        tracestate: fc.option(nearHeader, { nil: undefined }),
        baggage: fc.option(fc.oneof(nearHeader, fc.array(nearHeader)), { nil: undefined })
      }),
      (headers) => {
        const { parent, facts } = readPropagation(headers)
        t.ok(parent === undefined ? facts === undefined : /^[0-9a-f]{32}$/.test(parent.traceId))
      }
    )
  )
})
