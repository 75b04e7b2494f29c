import fc from 'fast-check'
import t from 'tap'
import { normaliseEvent } from '../../src/ingest/normalise/event.ts'
import { readUserAgent } from '../../src/ingest/client.ts'
import { createRawEvent, createRawException, openWriter } from '../helpers/writer.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const DAY = 86_400_000
const normalise = (event: unknown, sentAt?: number) =>
  normaliseEvent(Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)), {
    receivedAt: NOW,
    ...(sentAt !== undefined && { sentAt })
  })
const detailOf = (over: Record<string, unknown>, sentAt?: number) =>
  normalise(createRawEvent({ timestamp: NOW / 1_000, ...over }), sentAt).detail

t.test('every shape that SDKs ever sent', async (t) => {
  t.test('exceptions as a list, as values, as one, and by the old name', async (t) => {
    const exception = createRawException()
    for (const over of [
      { exception: [exception] },
      { exception: { values: [exception] } },
      { exception },
      { exception: undefined, 'sentry.interfaces.Exception': { values: [exception] } }
    ])
      t.match(detailOf(over).exceptions, [
        { type: 'TypeError', value: 'cart is undefined', handled: false, mechanism: 'onerror' }
      ])
  })

  t.test('messages', async (t) => {
    for (const over of [
      { message: 'hello' },
      { message: { formatted: 'hello', message: 'h%s' } },
      { logentry: { message: 'hello' } },
      { logentry: { formatted: 'hello', message: 'h%s', params: ['ello'] } },
      { 'sentry.interfaces.Message': { message: 'hello' } }
    ])
      t.equal(detailOf(over).message, 'hello')
  })

  t.test('templates with their parameters', async (t) => {
    const rows: [template: string, params: unknown, message: string][] = [
      ['user %s bought %d items for %.2f', ['Ada', 3, 9.5], 'user Ada bought 3 items for 9.5'],
      ['100%% of %(what)s', { what: 'orders' }, '100% of orders'],
      ['order {0} of {1}, {0} again', [7, 'Ada'], 'order 7 of Ada, 7 again'],
      ['order {OrderId:D4} of {User}', { OrderId: 7, User: 'Ada' }, 'order 7 of Ada'],
      ['{} then {}', ['a', { b: 1 }], 'a then {"b":1}'],
      ['%s and %s', ['one'], 'one and %s'],
      ['{constructor} {missing}', {}, '{constructor} {missing}'],
      ['nothing to fill in', ['x'], 'nothing to fill in'],
      ['%s', 'no list', '%s']
    ]
    for (const [message, params, expected] of rows)
      t.equal(detailOf({ logentry: { message, params } }).message, expected)
  })

  t.test('an error that an SDK made of a message has no type', async (t) => {
    const made = (over: Record<string, unknown>) =>
      detailOf({ exception: [createRawException(over)] }).exceptions[0]?.type
    t.equal(made({ type: undefined }), '')
    t.equal(made({ type: 'Error', mechanism: { synthetic: true } }), '')
    t.equal(made({ type: 'UnhandledRejection', mechanism: { synthetic: true } }), 'UnhandledRejection')
    t.equal(made({ type: 'Error' }), 'Error')
    t.equal(made({ type: undefined, value: '' }), 'Error')
  })

  t.test('stacks of threads', async (t) => {
    const frames = [{ filename: 'app.py', function: 'main', lineno: 3, in_app: true }]
    const threads = {
      values: [
        { id: 2, stacktrace: { frames } },
        { id: 1, name: 'worker', current: true, stacktrace: { frames } },
        { id: 3, name: 'boom', crashed: true, stacktrace: { frames } },
        { id: 4, name: 'idle' }
      ]
    }
    const ofMessage = detailOf({ exception: undefined, message: 'hello', platform: 'python', threads })
    t.match(ofMessage.threads, [
      { name: 'boom', isCrashed: true, frames: [{ function: 'main', line: 3 }] },
      { name: 'worker', isCurrent: true },
      { name: '2' }
    ])
    t.equal(ofMessage.threads?.length, 3)
    const ofError = detailOf({ exception: [{ type: 'E', value: 'x' }], platform: 'python', threads })
    t.match(ofError.exceptions[0]?.frames, [{ function: 'main' }])
    t.same(
      ofError.threads?.map(({ name }) => name),
      ['worker', '2'],
      'not the one that the error shows'
    )
    const alone = detailOf({ exception: undefined, message: 'hello', platform: 'python', stacktrace: { frames } })
    t.match(alone.threads, [{ name: '', frames: [{ function: 'main' }] }])
    t.equal(detailOf({}).threads, undefined)
  })

  t.test('local variables, without secrets', async (t) => {
    const frame = {
      filename: 'app.py',
      function: 'pay',
      lineno: 3,
      vars: { cart: ['a', 'b'], password: 'hunter2', none: null }
    }
    const { exceptions } = detailOf({ exception: [{ type: 'E', value: 'x', stacktrace: { frames: [frame] } }] })
    t.same(exceptions[0]?.frames[0]?.variables, { cart: '["a","b"]', password: '[Filtered]' })
  })

  t.test('headers with a list of values', async (t) => {
    for (const headers of [
      { Accept: ['text/html', 'text/plain'], Host: 'shop.example' },
      [
        ['Accept', ['text/html', 'text/plain']],
        ['Host', 'shop.example']
      ]
    ])
      t.same(detailOf({ request: { url: 'https://shop.example/', headers } }).request?.headers, [
        ['Accept', 'text/html, text/plain'],
        ['Host', 'shop.example']
      ])
  })

  t.test('tags as an object, as pairs, as names with values', async (t) => {
    for (const tags of [
      { colour: 'red', n: 7 },
      [
        ['colour', 'red'],
        ['n', 7]
      ],
      [
        { key: 'colour', value: 'red' },
        { key: 'n', value: 7 }
      ]
    ])
      t.same(detailOf({ tags }).tags, [
        ['colour', 'red'],
        ['n', '7']
      ])
    t.equal(detailOf({ tags: { digest: '0123456789AB' } }).digest, '0123456789AB')
  })

  t.test('breadcrumbs in both forms, and the user', async (t) => {
    const crumb = { timestamp: NOW / 1_000 - 5, category: 'ui.click', message: 'body > a', data: { x: 1 } }
    for (const breadcrumbs of [[crumb], { values: [crumb] }])
      t.same(detailOf({ breadcrumbs }).breadcrumbs, [
        { at: NOW - 5_000, type: 'default', category: 'ui.click', level: 'info', message: 'body > a', data: { x: '1' } }
      ])
    t.same(detailOf({ user: { id: 7, username: 'ines', email: 'i@example.com', ip_address: '192.0.2.1' } }).user, {
      id: '7',
      name: 'ines',
      email: 'i@example.com'
    })
    t.equal(detailOf({ user: { ip_address: '192.0.2.1' } }).user, undefined)
  })

  t.test('a stack beside the exception: of the thread that crashed, of the event', async (t) => {
    const stacktrace = {
      frames: [
        { filename: 'a.js', function: 'outer' },
        { filename: 'b.js', function: 'inner' }
      ]
    }
    const exception = { values: [createRawException({ stacktrace: undefined })] }
    for (const over of [
      { threads: { values: [{ id: 1 }, { id: 2, crashed: true, stacktrace }] } },
      { threads: [{ id: 2, current: true, stacktrace }] },
      { stacktrace },
      { 'sentry.interfaces.Stacktrace': stacktrace }
    ])
      t.match(
        detailOf({ exception, ...over }).exceptions[0]?.frames,
        [{ function: 'inner' }, { function: 'outer' }],
        'innermost first'
      )
  })

  t.test('a request without its query, its password and its addresses', async (t) => {
    const { request, url } = detailOf({
      request: {
        url: 'https://ines:secret@shop.example/items/7?a=1#top',
        method: 'POST',
        headers: [
          ['Accept', '*/*'],
          ['authorization', 'Bearer x'],
          ['Cookie', 'a=b; c=d=e'],
          ['CF-Connecting-IP', '192.0.2.1']
        ],
        data: { colour: 'red' },
        env: { REMOTE_ADDR: '192.0.2.1' }
      }
    })
    t.equal(url, 'https://shop.example/items/7')
    t.same(request, {
      method: 'POST',
      url: 'https://shop.example/items/7',
      query: 'a=1',
      headers: [
        ['Accept', '*/*'],
        ['authorization', '[Filtered]']
      ],
      cookies: [
        ['a', 'b'],
        ['c', 'd=e']
      ],
      body: '{"colour":"red"}'
    })
  })

  t.test('the route of a server and of a browser are one', async (t) => {
    t.equal(detailOf({ transaction: 'GET /items/[id]' }).route, '/items/[id]')
    t.equal(detailOf({ transaction: '/items/[id]' }).route, '/items/[id]')
    t.equal(detailOf({ transaction: 'job export' }).route, 'job export')
  })

  t.test('which side it ran on', async (t) => {
    const sideOf = (platform: unknown, name: unknown) => detailOf({ platform, sdk: { name } }).side
    t.equal(sideOf('javascript', 'sentry.javascript.react'), 'browser')
    t.equal(sideOf('javascript', 'sentry.javascript.cloudflare'), 'server')
    for (const runtime of ['bun', 'deno', 'cloudflare', 'node'])
      for (const platform of ['javascript', 'node', 'other', undefined])
        t.equal(sideOf(platform, `sentry.javascript.${runtime}`), 'server', `${runtime} on ${platform}`)
    t.equal(sideOf('python', 'sentry.python'), 'server')
    t.equal(sideOf(undefined, undefined), 'server')
  })

  t.test("React's component stack, as Chromium and Firefox write it", async (t) => {
    const stacks = [
      '\n    at Card (https://shop.example/assets/a.js:1:20)\n    at div\n    at Page (https://shop.example/assets/b.js:2:3)',
      'Card@https://shop.example/assets/a.js:1:20\nPage@https://shop.example/assets/b.js:2:3'
    ]
    for (const componentStack of stacks)
      t.match(
        detailOf({ contexts: { react: { componentStack } } }).components?.filter(({ file }) => file !== ''),
        [
          { function: 'Card', file: 'https://shop.example/assets/a.js', line: 1, column: 20 },
          { function: 'Page', line: 2 }
        ]
      )
  })

  t.test('debug ids by file', async (t) => {
    const id = '5e8c0f5e-1f7e-4a5d-9b1c-0123456789ab'
    const images = [
      { type: 'sourcemap', code_file: 'https://shop.example/a.js', debug_id: id.toUpperCase() },
      { type: 'elf', code_file: '/bin/x', debug_id: id },
      { type: 'sourcemap', code_file: 'https://shop.example/b.js', debug_id: 'none' }
    ]
    t.same([...normalise(createRawEvent({ debug_meta: { images } })).debugIds], [['https://shop.example/a.js', id]])
  })
})

t.test('times', async (t) => {
  const atOf = (timestamp: unknown, sentAt?: number) => detailOf({ timestamp }, sentAt).at

  t.test('are read as seconds and as dates', async (t) => {
    t.equal(atOf(NOW / 1_000 - 5), NOW - 5_000)
    t.equal(atOf('2026-11-21T11:59:55Z'), NOW - 5_000)
    t.equal(atOf('2026-11-21T11:59:55.500+00:00'), NOW - 4_500)
  })

  t.test('are set right where the clock of a client is off', async (t) => {
    const wrong = NOW - 3 * 3_600_000
    t.equal(atOf((wrong - 5_000) / 1_000, wrong), NOW - 5_000)
    t.equal(atOf((NOW - 5_000) / 1_000, NOW - 20_000), NOW - 5_000, 'the way here is no drift')
    const crumb = { timestamp: (wrong - 9_000) / 1_000 }
    t.equal(
      detailOf({ timestamp: (wrong - 5_000) / 1_000, breadcrumbs: [crumb] }, wrong).breadcrumbs[0]?.at,
      NOW - 9_000
    )
  })

  t.test('that cannot be are when it came', async (t) => {
    for (const timestamp of [
      0,
      -1,
      1e300,
      4_102_444_800,
      'soon',
      null,
      {},
      NOW / 1_000 + 3_600,
      (NOW - 31 * DAY) / 1_000
    ])
      t.equal(atOf(timestamp), NOW, String(timestamp))
  })
})

t.test('poison', async (t) => {
  t.test('of prototypes does not get further', async (t) => {
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

  t.test('of masses is cut', async (t) => {
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
    t.equal(detail.breadcrumbs.at(-1)?.message, 'm4999', 'the newest')
    t.equal(detail.exceptions.length, 10)
    t.equal(detail.exceptions.at(-1)?.value, 'e499', 'the one that was reported')
    const functions = detail.exceptions[0]!.frames.map((frame) => frame.function)
    t.equal(functions.length, 50)
    t.same([functions[0], functions[24], functions[25], functions[49]], ['f4999', 'f4975', 'f24', 'f0'], 'both ends')
    t.equal(detail.message!.length, 8_192)
    t.ok(JSON.stringify(detail).length < 500_000)
  })

  t.test('of depth is cut', async (t) => {
    const depth = 100_000
    const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const list = `${'['.repeat(depth)}1${']'.repeat(depth)}`
    const { detail } = normalise(
      `{"extra":{"deep":${deep},"list":${list}},"message":"m","tags":{"t":${list}},"exception":${list}}`
    )
    t.match(detail.extra, { deep: '{"a":{"a":{"a":{"a":{"a":…}}}}}', list: '[[[[[…]]]]]' })
    t.equal(detail.message, 'm')
  })

  t.test('of text is mended', async (t) => {
    const { exceptions, tags } = detailOf({
      exception: [{ type: 'A\0B', value: 'half \ud83d and \udc00' }],
      tags: { 'a\0': '\0', b: '\ud83d' }
    })
    const text = JSON.stringify([exceptions, tags])
    t.notOk(text.includes('\\u0000'))
    t.ok(exceptions[0]!.value.isWellFormed())
    t.ok(detailOf({ exception: [{ type: 'E', value: `${'x'.repeat(8_190)}😀` }] }).exceptions[0]!.value.isWellFormed())
  })

  t.test('of numbers is left out', async (t) => {
    const frames = [0, -1, 1.5, 1e300, '7', null, true].map((lineno) => ({ filename: 'a.js', lineno, colno: lineno }))
    for (const frame of detailOf({ exception: [{ stacktrace: { frames } }] }).exceptions[0]!.frames)
      t.same(Object.keys(frame), ['file', 'inApp'])
  })

  t.test('replaces an invalid id with one that stays the same', async (t) => {
    const event = createRawEvent({ event_id: "'; DROP TABLE event; --" })
    const { eventId } = normalise(event).detail
    t.match(eventId, /^[\da-f]{32}$/)
    t.equal(normalise(event).detail.eventId, eventId)
    t.not(normalise({ ...event, message: 'x' }).detail.eventId, eventId)
    t.equal(detailOf({ event_id: 'C1D7A2B6-0F4C-4E53-9F2B-0123456789AB' }).eventId, 'c1d7a2b60f4c4e539f2b0123456789ab')
    const { traceId, spanId } = detailOf({ contexts: { trace: { trace_id: 'zz', span_id: 7 } } })
    t.same([traceId, spanId], [undefined, undefined])
  })
})

t.test('any JSON is stored, or dropped and counted, and leaves the store intact', async (t) => {
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

t.test('recognises a browser by its user agent', async (t) => {
  const cases: [userAgent: string, browser: string | undefined, system: string | undefined][] = [
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'Chrome 140',
      'Windows'
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.1',
      'Edge 140',
      'Windows'
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Safari/605.1.15',
      'Safari 19',
      'macOS'
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
      'Safari 19',
      'iOS 19'
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
      'Chrome 140',
      'iOS 19'
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox 145', 'Linux'],
    [
      'Mozilla/5.0 (Linux; Android 16; SM-S931B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36',
      'Samsung Internet 29',
      'Android 16'
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 OPR/122.0.0.0',
      'Opera 122',
      'Windows'
    ],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36',
      'Chrome Headless 140',
      'Linux'
    ],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Googlebot', undefined],
    ['curl/8.5.0', undefined, undefined]
  ]
  for (const [userAgent, browser, system] of cases) {
    t.same(readUserAgent(userAgent), { browser, system }, userAgent)
    t.same(readUserAgent(userAgent), { browser, system }, 'again')
  }
})
