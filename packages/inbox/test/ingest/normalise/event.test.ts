import t from 'tap'
import { groupEvent } from '../../../src/grouping/group.ts'
import { toSentryEvent } from '../../../src/transfer/to-event.ts'
import { detailOf, normalise, NOW } from '../../helpers/normalise.ts'
import { DAY } from '@hull/common/time.ts'

t.test('reads messages', async (t) => {
  for (const over of [
    { message: 'hello' },
    { message: { formatted: 'hello', message: 'h%s' } },
    { logentry: { message: 'hello' } },
    { logentry: { formatted: 'hello', message: 'h%s', params: ['ello'] } },
    { 'sentry.interfaces.Message': { message: 'hello' } }
  ])
    t.equal(detailOf(over).message, 'hello')
})

t.test('fills templates with their parameters', async (t) => {
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
  for (const [message, params, expected] of rows) t.equal(detailOf({ logentry: { message, params } }).message, expected)
})

t.test('groups messages of one template, whatever its parameters are', async (t) => {
  const group = (logentry: object) => groupEvent(detailOf({ exception: undefined, logentry }))
  const { key, why } = group({ message: 'User %s failed', params: ['Ada'] })
  t.same(why, { by: 'message', parts: ['User %s failed'] })
  t.equal(group({ message: 'User %s failed', formatted: 'User Grace failed' }).key, key)
  t.not(group({ message: 'User %s left', params: ['Ada'] }).key, key)
  t.not(group({ message: '%s', params: ['started'] }).key, group({ message: '%s', params: ['stopped'] }).key)
  t.equal(
    group({ message: 'took 4 s' }).key,
    group({ formatted: 'took 5 s' }).key,
    'a text without parameters is grouped without its values'
  )
  const event = detailOf({ exception: undefined, logentry: { message: 'User %s failed', params: ['Ada'] } })
  t.equal(groupEvent(normalise(toSentryEvent(event, null)).detail).key, key, 'also in an inbox that receives an export')
})

t.test('joins the values of a header', async (t) => {
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

t.test('removes headers with which a proxy sends the address of the visitor', async (t) => {
  const forwarded = ['X-Forwarded-For', 'X-Original-Forwarded-For', 'Forwarded', 'X-Real-IP', 'CF-Connecting-IPv6']
  const others = ['X-Azure-ClientIP', 'X-Azure-SocketIP', 'Fly-Client-IP', 'X-Envoy-External-Address', 'REMOTE_ADDR']
  const kept = ['X-Forwarded-Host', 'X-Forwarded-Proto', 'Accept-Language', 'X-Zip']
  const headers = [...forwarded, ...others, ...kept].map((name) => [name, 'x'])
  const { request } = detailOf({ request: { url: 'https://shop.example/', headers } })
  t.same(
    request?.headers.map(([name]) => name),
    kept
  )
})

t.test('reads tags as an object, as pairs, and as names with values', async (t) => {
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

t.test('the names of server and logger, and the build, are tags', async (t) => {
  const event = { server_name: 'web-3', logger: 'shop.cart', dist: '1042', tags: { colour: 'red', logger: 'own' } }
  t.same(detailOf(event).tags, [
    ['colour', 'red'],
    ['logger', 'own'],
    ['server_name', 'web-3'],
    ['dist', '1042']
  ])
  t.same(detailOf({ server_name: '', logger: null, dist: null }).tags, [])
})

t.test('reads breadcrumbs in both forms, and the user', async (t) => {
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
  t.equal(detailOf({ user: { ip_address: '192.0.2.1', geo: { city: 'Bonn' } } }).user, undefined)
  const event = detailOf({ user: { id: 7, plan: 'gold', teams: [1, 2], data: { seats: 3, ip_address: '192.0.2.1' } } })
  t.same(event.user, { id: '7', data: { plan: 'gold', teams: '[1,2]', seats: '3' } })
  t.same(normalise(toSentryEvent(event, null)).detail.user, event.user, 'also after an export')
})

t.test('removes password, query and addresses from a request', async (t) => {
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

t.test('removes a password with an @ from a URL, and keeps an @ in its path', async (t) => {
  const urlOf = (url: string) => detailOf({ request: { url } }).url
  t.equal(urlOf('https://ines:se@cret@shop.example/items'), 'https://shop.example/items')
  t.equal(urlOf('https://shop.example/@ines/items'), 'https://shop.example/@ines/items')
})

t.test('a route has the same name on the server and in the browser', async (t) => {
  t.equal(detailOf({ transaction: 'GET /items/[id]' }).route, '/items/[id]')
  t.equal(detailOf({ transaction: '/items/[id]' }).route, '/items/[id]')
  t.equal(detailOf({ transaction: 'job export' }).route, 'job export')
})

t.test('derives the side, browser or server, from the SDK', async (t) => {
  const sideOf = (platform: unknown, name: unknown) => detailOf({ platform, sdk: { name } }).side
  t.equal(sideOf('javascript', 'sentry.javascript.react'), 'browser')
  t.equal(sideOf('javascript', 'sentry.javascript.cloudflare'), 'server')
  for (const runtime of ['bun', 'deno', 'cloudflare', 'node'])
    for (const platform of ['javascript', 'node', 'other', undefined])
      t.equal(sideOf(platform, `sentry.javascript.${runtime}`), 'server', `${runtime} on ${platform}`)
  t.equal(sideOf('python', 'sentry.python'), 'server')
  t.equal(sideOf(undefined, undefined), 'server')
  const nextOn = (runtime: string) => {
    const packages = ['nextjs', runtime].map((name) => ({ name: `npm:@sentry/${name}`, version: '11.8.0' }))
    return detailOf({ platform: 'javascript', sdk: { name: 'sentry.javascript.nextjs', packages } }).side
  }
  t.equal(nextOn('react'), 'browser')
  t.equal(nextOn('vercel-edge'), 'server')
})

t.test('apps on devices of visitors have the side of browsers', async (t) => {
  const sideOf = (platform: string, name: string, over = {}) => detailOf({ platform, sdk: { name }, ...over }).side
  const device = { contexts: { device: { model: 'Pixel 10' }, os: { name: 'Android', version: '16' } } }
  for (const [platform, name] of [
    ['cocoa', 'sentry.cocoa'],
    ['cocoa', 'sentry.cocoa.react-native'],
    ['cocoa', 'sentry.cocoa.flutter'],
    ['java', 'sentry.java.android'],
    ['java', 'sentry.java.android.timber'],
    ['native', 'sentry.native.android'],
    ['native', 'sentry.native.android.react-native'],
    ['other', 'sentry.dart.flutter'],
    ['javascript', 'sentry.javascript.react-native'],
    ['javascript', 'sentry.javascript.capacitor'],
    ['csharp', 'sentry.dotnet.unity'],
    ['csharp', 'sentry.dotnet.maui'],
    ['native', 'sentry.native.unreal'],
    ['native', 'sentry.native.godot']
  ] as const)
    t.equal(sideOf(platform, name), 'browser', name)
  t.equal(sideOf('java', 'acme.crashes', device), 'browser', 'by the device')
  t.equal(sideOf('java', 'acme.crashes'), 'server')
  for (const name of ['sentry.java', 'sentry.java.spring-boot.jakarta', 'sentry.java.logback'])
    t.equal(sideOf('java', name), 'server', name)
  const visit = { contexts: { device: { arch: 'x64' }, os: { name: 'Linux' }, client_os: device.contexts.os } }
  t.equal(
    sideOf('php', 'sentry.php.laravel', visit),
    'server',
    'the operating system of a visitor is not that of the server'
  )
  const guessed = { contexts: { os: device.contexts.os } }
  t.equal(
    sideOf('php', 'sentry.php.laravel', guessed),
    'server',
    'Sentry took the operating system from the user agent'
  )
})

t.test('reads levels by name, and by the numbers of Python', async (t) => {
  const levels = ['CRITICAL', 'warn', 'log', 50, 40, 30, 20, 10, 35, 'constructor', undefined]
  t.same(
    levels.map((level) => detailOf({ level }).level),
    ['fatal', 'warning', 'info', 'fatal', 'error', 'warning', 'info', 'debug', 'error', 'error', 'error']
  )
})

t.test('reads the operating system of a phone, and ignores that of a server', async (t) => {
  const systemOf = (platform: string, os: object) =>
    detailOf({ platform, sdk: undefined, request: undefined, contexts: { os } }).os
  t.equal(systemOf('cocoa', { name: 'iOS', version: '26.1' }), 'iOS 26')
  t.equal(systemOf('java', { name: 'Android', version: '16' }), 'Android 16')
  t.equal(systemOf('node', { name: 'Debian', version: '13' }), undefined)
  t.equal(systemOf('javascript', { name: 'macOS', version: '26.1' }), 'macOS 26')
})

t.test('the time of an event', async (t) => {
  const atOf = (timestamp: unknown, sentAt?: number) => detailOf({ timestamp }, sentAt).at

  t.test('is read in seconds and as a date', async (t) => {
    t.equal(atOf(NOW / 1_000 - 5), NOW - 5_000)
    t.equal(atOf('2026-11-21T11:59:55Z'), NOW - 5_000)
    t.equal(atOf('2026-11-21T11:59:55.500+00:00'), NOW - 4_500)
  })

  t.test('is UTC without a time zone, whatever the time zone of the server', async (t) => {
    const { TZ } = process.env
    process.env['TZ'] = 'America/New_York'
    try {
      for (const timestamp of ['2026-11-21T11:59:55', '2026-11-21 11:59:55', '2026-11-21T11:59:55.000000'])
        t.equal(atOf(timestamp), NOW - 5_000, timestamp)
      t.equal(atOf('2026-11-21T06:59:55-05:00'), NOW - 5_000)
    } finally {
      if (TZ === undefined) delete process.env['TZ']
      else process.env['TZ'] = TZ
    }
  })

  t.test('is corrected by the difference of the clocks of client and server', async (t) => {
    const wrong = NOW - 3 * 3_600_000
    t.equal(atOf((wrong - 5_000) / 1_000, wrong), NOW - 5_000)
    t.equal(atOf((NOW - 5_000) / 1_000, NOW - 20_000), NOW - 5_000, 'a delay is no difference between clocks')
    const crumb = { timestamp: (wrong - 9_000) / 1_000 }
    t.equal(
      detailOf({ timestamp: (wrong - 5_000) / 1_000, breadcrumbs: [crumb] }, wrong).breadcrumbs[0]?.at,
      NOW - 9_000
    )
  })

  t.test('is the time of receipt if it is invalid', async (t) => {
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
