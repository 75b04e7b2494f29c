import t from 'tap'
import { commonLimits, createRateLimits, limitsOf, type LimitingAnswer } from '../../src/delivery/rate-limits.ts'
import { createClock } from '@hull/test-helpers/clock.ts'
import { accept, inTurn, openProvider, reply } from '@hull/test-helpers/provider.ts'
import { createTunnel, holds, put, until } from '@hull/test-helpers/tunnel.ts'

const NOW = Date.parse('2026-05-01T12:00:00Z')

t.test('commonLimits returns categories that both receivers limit, with the shorter duration', async (t) => {
  const cases: Array<[one: string | undefined, other: string | undefined, common: string | undefined]> = [
    [undefined, undefined, undefined],
    ['60:error:key', undefined, undefined],
    ['60:error:key', '60:replay:key', undefined],
    ['60:error;replay:key', '3600:replay;profile:organization', '60:replay:organization'],
    ['30::organization', '3600:replay:organization', '30:replay:organization'],
    ['3600:replay:organization', '30::organization', '30:replay:organization'],
    ['30::organization', '5::organization', '5::organization'],
    ['30::organization, 90:replay:key', '60:replay:key', '60:replay:organization'],
    ['', '60::key', undefined]
  ]
  for (const [one, other, common] of cases) t.equal(commonLimits(one, other), common, `${one} and ${other}`)
})

t.test('limitsOf reads the rate limits of a response', async (t) => {
  const cases: Array<[name: string, response: LimitingAnswer, limits: Array<[categories: string, seconds: number]>]> = [
    ['a 200 without limits', { status: 200 }, []],
    ['a server error without limits', { status: 503, retryAfter: '30' }, []],
    ['a bare 429', { status: 429 }, [['', 60]]],
    ['Retry-After in seconds', { status: 429, retryAfter: '17' }, [['', 17]]],
    ['Retry-After as a date', { status: 429, retryAfter: 'Fri, 01 May 2026 12:01:30 GMT' }, [['', 90]]],
    ['an invalid Retry-After', { status: 429, retryAfter: 'later' }, [['', 60]]],
    ['limits on a 200', { status: 200, rateLimits: '10:transaction:key' }, [['transaction', 10]]],
    [
      'limits, which take precedence over Retry-After',
      { status: 429, rateLimits: '10:error:key', retryAfter: '99' },
      [['error', 10]]
    ],
    [
      'several groups',
      { status: 429, rateLimits: '60:transaction;span:organization:quota, 5:replay:key' },
      [
        ['transaction;span', 60],
        ['replay', 5]
      ]
    ],
    [
      'the header sent twice',
      { status: 429, rateLimits: ['1:error:key', '2:session:key'] },
      [
        ['error', 1],
        ['session', 2]
      ]
    ],
    ['no category: all', { status: 200, rateLimits: '60::organization' }, [['', 60]]],
    ['only a duration', { status: 200, rateLimits: '60' }, [['', 60]]],
    ['all by name', { status: 200, rateLimits: '60:all:organization' }, [['', 60]]],
    ['fractions', { status: 200, rateLimits: '1.5:error:key' }, [['error', 1.5]]],
    ['an invalid duration', { status: 200, rateLimits: 'soon:error:key' }, [['error', 60]]],
    ['a negative duration', { status: 200, rateLimits: '-5:error:key' }, [['error', 60]]],
    ['namespaces', { status: 200, rateLimits: '9:metric_bucket:key:quota:custom' }, [['metric_bucket', 9]]],
    ['invalid categories next to a valid one', { status: 200, rateLimits: '9:error;a b;:key' }, [['error', 9]]],
    ['only invalid categories, which do not limit everything', { status: 200, rateLimits: '9:%00;a b:key' }, []],
    ['an empty header on a 429', { status: 429, rateLimits: '' }, [['', 60]]],
    ['a header of commas on a 429', { status: 429, rateLimits: ', ,' }, [['', 60]]],
    ['an endless duration', { status: 200, rateLimits: `${'9'.repeat(400)}:error:key` }, [['error', 366 * 86_400]]]
  ]
  for (const [name, response, limits] of cases) {
    t.strictSame(
      limitsOf(response, NOW).map(({ categories, duration }) => [categories.join(';'), duration / 1_000]),
      limits,
      name
    )
  }
  t.ok(limitsOf({ status: 200, rateLimits: '9:error:key,'.repeat(10_000) }, NOW).length <= 64)
})

t.test('rate limits', async (t) => {
  t.test('keep the longer of two durations, in any order', async (t) => {
    const clock = createClock(NOW)
    const limits = createRateLimits(clock)
    const limit = (seconds: number) => limits.add([{ categories: ['error'], duration: seconds * 1_000 }])
    limit(60)
    limit(5)
    clock.advance(50_000)
    t.ok(limits.isLimited(['error']))
    limit(30)
    clock.advance(11_000)
    t.ok(limits.isLimited(['error']))
    clock.advance(19_000)
    t.notOk(limits.isLimited(['error']))
  })

  t.test('apply to envelopes with a limited category, or to all envelopes if no category is named', async (t) => {
    const clock = createClock(NOW)
    const limits = createRateLimits(clock)
    limits.add([{ categories: ['attachment'], duration: 1_000 }])
    t.ok(limits.isLimited(['attachment', 'error']))
    t.notOk(limits.isLimited(['error']))
    t.same(limits.blocked(), ['attachment'])
    limits.add([{ categories: [], duration: 1_000 }])
    t.ok(limits.isLimited(['error']))
    t.equal(limits.blocked(), 'all')
    limits.add([{ categories: ['replay'], duration: 3_600_000 }])
    t.equal(limits.delayOf(['error']), 1_000, 'the limit of another category does not count')
    t.equal(limits.delayOf(['error', 'replay']), 3_600_000)
    clock.advance(1_000)
    t.equal(limits.delayOf(['error']), 0)
    clock.advance(3_599_000)
    t.same(limits.blocked(), [])
  })

  t.test('are written to a header with the remaining seconds', async (t) => {
    const clock = createClock(NOW)
    const limits = createRateLimits(clock)
    t.equal(limits.toHeader(), undefined)
    limits.add([
      { categories: ['transaction', 'span'], duration: 60_000 },
      { categories: ['replay'], duration: 10_500 }
    ])
    t.equal(limits.toHeader(), '60:transaction;span:organization, 11:replay:organization')
    clock.advance(10_000)
    t.equal(limits.toHeader(), '50:transaction;span:organization, 1:replay:organization')
    clock.advance(500)
    t.equal(
      limits.toHeader([{ categories: [], duration: 30_000 }]),
      '50:transaction;span:organization, 30::organization'
    )
    t.equal(
      limits.toHeader([{ categories: ['span'], duration: 90_000 }]),
      '50:transaction:organization, 90:span:organization'
    )
    limits.add([{ categories: [], duration: 60_000 }])
    t.equal(limits.toHeader(), '60::organization')
  })

  t.test('are kept for a limited number of categories', async (t) => {
    const limits = createRateLimits(createClock(NOW))
    for (let i = 0; i < 1_000; i++)
      limits.add([{ categories: [`a${'b'.repeat(i % 30)}${'c'.repeat(Math.floor(i / 30))}`], duration: 1_000 }])
    t.ok(limits.toHeader()!.length < 4_000)
  })
})

t.test('a limited envelope waits while others are delivered', async (t) => {
  const provider = await openProvider(t)
  const clock = createClock()
  const { tunnel } = createTunnel(t, { providers: [provider], clock })
  provider.conduct(inTurn(reply(429, { 'x-sentry-rate-limits': '100:transaction;span:organization' }), accept))
  await put(tunnel, provider.dsn, { type: 'transaction' })
  await until(() => tunnel.stats().providers[0]!.attempts.limited === 1)
  t.equal(tunnel.rateLimits(provider.dsn), '100:transaction;span:organization')
  clock.advance(1_000)
  t.equal(tunnel.rateLimits(provider.dsn), '99:transaction;span:organization')
  for (let i = 0; i < 40; i++) await put(tunnel, provider.dsn, { type: 'transaction' })
  for (let i = 0; i < 40; i++) await put(tunnel, provider.dsn)
  await provider.has(40)
  t.equal(provider.seen.length, 41)
  t.ok(provider.received.every(({ items }) => items[0]!.header.type === 'event'))

  clock.advance(98_900)
  await put(tunnel, provider.dsn)
  await provider.has(41)
  t.ok(provider.received.every(({ items }) => items[0]!.header.type === 'event'))
  clock.advance(100)
  await holds(tunnel, 0)
  t.equal(provider.received.length, 82)
  t.equal(tunnel.rateLimits(provider.dsn), undefined)
})

t.test('a 429 without headers delays all envelopes by 60 seconds', async (t) => {
  const provider = await openProvider(t)
  const clock = createClock()
  const { tunnel } = createTunnel(t, { providers: [provider], clock })
  provider.conduct(inTurn(reply(429), accept))
  await put(tunnel, provider.dsn)
  await until(() => tunnel.stats().providers[0]!.attempts.limited === 1)
  t.equal(tunnel.rateLimits(provider.dsn), '60::organization')
  await put(tunnel, provider.dsn, { type: 'session' })
  clock.advance(59_999)
  t.equal(tunnel.rateLimits(provider.dsn), '1::organization')
  await tunnel.flush(1_000)
  t.equal(provider.seen.length, 1)
  clock.advance(1)
  await holds(tunnel, 0)
  t.equal(provider.received.length, 2)
})

t.test('limits on a 200 apply from the next envelope, and only to that provider', async (t) => {
  const [limiting, free] = [await openProvider(t), await openProvider(t)]
  const clock = createClock()
  const { tunnel } = createTunnel(t, { providers: [limiting, free], clock })
  limiting.conduct(reply(200, { 'x-sentry-rate-limits': '60:error:key' }))
  await put(tunnel, limiting.dsn)
  await limiting.has(1)
  await holds(tunnel, 0)
  await put(tunnel, limiting.dsn)
  await put(tunnel, free.dsn)
  await free.has(1)
  t.equal(limiting.seen.length, 1)
  t.equal(tunnel.rateLimits(free.dsn), undefined)
  t.equal(tunnel.rateLimits('https://else@where.example/1'), undefined)
})

t.test('an envelope is retried after 60 seconds if its 429 limits another category', async (t) => {
  const provider = await openProvider(t)
  const clock = createClock()
  const { tunnel } = createTunnel(t, { providers: [provider], clock })
  provider.conduct(inTurn(reply(429, { 'x-sentry-rate-limits': '5:replay:key' }), accept))
  await put(tunnel, provider.dsn)
  await until(() => tunnel.stats().providers[0]!.attempts.limited === 1)
  clock.advance(59_000)
  await tunnel.flush(1_000)
  t.equal(provider.seen.length, 1)
  clock.advance(1_000)
  await provider.has(1)
})
