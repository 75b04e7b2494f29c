import { HOUR } from '@hull/common/time.ts'
import type { Breadcrumb, EventDetail, RequestDetail } from '../store/model.ts'
import type { SampleError } from './sample-errors.ts'
import type { SeedEvent } from './seed-writer.ts'
import type { Random } from './random.ts'

export const BROWSERS = [
  'Chrome 142',
  'Safari 19.1',
  'Mobile Safari 19.0',
  'Chrome Mobile 142',
  'Firefox 145',
  'Edge 142',
  'Samsung Internet 29',
  'Chrome 139',
  'Firefox 140'
]
const SYSTEMS: [browser: RegExp, systems: string[]][] = [
  [/^Mobile Safari/, ['iOS 19.1', 'iOS 18.6']],
  [/^Safari/, ['macOS 16.1', 'macOS 15.6']],
  [/Mobile|Samsung/, ['Android 16', 'Android 15']],
  [/./, ['Windows 11', 'macOS 16.1', 'Windows 10', 'Linux']]
]
const NAMES = [
  'Ines Duarte',
  'Tomasz Wrona',
  'Leila Haddad',
  'Owen Price',
  'Aiko Mori',
  'Bram de Wit',
  'Zoë Lindqvist',
  'Nia Okafor'
]

export const systemOf = (browser: string, random: Random): string =>
  random.pick(SYSTEMS.find(([pattern]) => pattern.test(browser))![1])

/** Returns the payload of an event. */
export function makeDetail(
  sample: SampleError,
  event: SeedEvent & { version?: string },
  random: Random,
  value: string
): EventDetail {
  const user = event.visitor !== undefined && !/^[0-9a-f]{32}$/.test(event.visitor) ? event.visitor : undefined
  const { cause } = sample
  const isBrowser = sample.side === 'browser'
  return {
    eventId: event.eventId,
    at: event.at,
    level: event.level,
    side: sample.side,
    platform: isBrowser ? 'javascript' : 'node',
    ...(sample.isMessage && { message: value }),
    exceptions: sample.isMessage
      ? []
      : [
          ...(cause ? [{ ...cause, handled: true, mechanism: 'chained' }] : []),
          {
            type: sample.type,
            value,
            handled: sample.handled ?? false,
            mechanism: sample.mechanism,
            frames: sample.frames
          }
        ],
    ...(event.version !== undefined && { release: event.version }),
    environment: event.environment,
    route: sample.route,
    ...(event.url && { url: event.url }),
    ...(event.browser !== undefined && { browser: event.browser }),
    ...(event.os !== undefined && { os: event.os }),
    ...(user !== undefined && { user: { id: user, name: NAMES[Number(user.replace(/\D/g, '')) % NAMES.length]! } }),
    ...(event.traceId !== undefined && { traceId: event.traceId, spanId: event.spanId! }),
    ...(event.digest !== undefined && { digest: event.digest }),
    tags: (event.tags ?? []).map(([name, value]) => [name, value]),
    breadcrumbs: isBrowser ? browserCrumbs(sample, event, random) : serverCrumbs(sample, event, random),
    ...(event.url && { request: makeRequest(sample, event, random) }),
    contexts: makeContexts(sample, event, random),
    extra: sample.type === 'FetchFailed' ? { attempts: '4', deadline: '8000 ms' } : {},
    ...(sample.components && {
      components: sample.components.map((name) => ({ file: '', function: name, inApp: !/Suspense|Lazy/.test(name) }))
    }),
    sdk: isBrowser ? 'sentry.javascript.browser 11.11.0' : 'sentry.javascript.node-core 11.11.0'
  }
}

function makeContexts(sample: SampleError, event: SeedEvent, random: Random): EventDetail['contexts'] {
  if (sample.side === 'server')
    return {
      runtime: { name: 'node', version: 'v24.21.0' },
      os: { name: 'Linux', version: '6.12' },
      app: {
        memory: `${random.between(90, 240)} MB`,
        started: new Date(event.at - random.between(1, 40) * HOUR).toISOString()
      }
    }
  const [name = '', version = ''] = (event.browser ?? '').split(/ (?=[\d.]+$)/)
  return {
    browser: { name, version },
    os: { name: event.os ?? '' },
    device: { family: /Mobile|Samsung/.test(name) ? 'phone' : 'desktop', memory: `${random.pick([4, 8, 16])} GB` },
    culture: {
      locale: random.pick(['en-GB', 'de-DE', 'pt-PT', 'nl-NL', 'pl-PL']),
      timezone: random.pick(['Europe/London', 'Europe/Berlin', 'Europe/Lisbon'])
    }
  }
}

function makeRequest(sample: SampleError, event: SeedEvent, random: Random): RequestDetail {
  const method = /^(POST|PUT|DELETE) /.exec(sample.route)?.[1] ?? 'GET'
  return {
    method,
    url: event.url!,
    ...(random.chance(0.3) && { query: random.pick(['sort=price&page=2', 'utm_source=newsletter', 'q=lamp']) }),
    headers: [
      ['accept', method === 'GET' ? 'text/html' : 'application/json'],
      ['accept-language', 'en-GB,en;q=0.9'],
      ['referer', random.pick(['https://shop.example/', 'https://shop.example/cart', 'https://www.google.com/'])],
      ['user-agent', `Mozilla/5.0 (${event.os ?? 'X11; Linux x86_64'}) ${event.browser ?? 'undici'}`]
    ],
    cookies: [],
    ...(method === 'POST' && { body: '{"cart":"c_81922","card":"[removed]"}' })
  }
}

type Crumb = [
  before: number,
  type: string,
  category: string,
  level: string,
  message: string,
  data?: Record<string, string>
]

const toCrumbs = (event: SeedEvent, crumbs: Crumb[]): Breadcrumb[] =>
  crumbs.map(([before, type, category, level, message, data = {}]) => ({
    at: event.at - before,
    type,
    category,
    level,
    message,
    data
  }))

function browserCrumbs(sample: SampleError, event: SeedEvent, random: Random): Breadcrumb[] {
  const path = new URL(sample.url || 'https://shop.example/', 'https://shop.example').pathname
  const slow = random.between(90, 900)
  return toCrumbs(event, [
    [48_200 + slow, 'navigation', 'navigation', 'info', '', { from: '/', to: '/items/12' }],
    [
      47_900,
      'http',
      'fetch',
      'info',
      '',
      { method: 'GET', url: '/-/data/items/12', status_code: '200', duration: `${slow} ms` }
    ],
    [31_050, 'user', 'ui.click', 'info', 'button.add-to-cart > span'],
    [30_800, 'http', 'fetch', 'info', '', { method: 'POST', url: '/api/carts/c_81922/lines', status_code: '201' }],
    [
      12_400,
      'default',
      'console',
      'warning',
      'Image with src "/media/lamp.avif" was lazy and is the LCP element',
      { logger: 'console' }
    ],
    [9_100, 'navigation', 'navigation', 'info', '', { from: '/items/12', to: path }],
    [8_800, 'http', 'fetch', 'info', '', { method: 'GET', url: `/-/data${path}`, status_code: '200' }],
    [2_300, 'user', 'ui.input', 'info', 'input[name="voucher"]'],
    [900, 'user', 'ui.click', 'info', 'form.checkout > button[type="submit"]'],
    [
      40 + random.below(200),
      'http',
      'fetch',
      'error',
      '',
      { method: 'GET', url: '/api/vouchers/AUTUMN25', status_code: random.pick(['200', '404', '503']) }
    ]
  ])
}

function serverCrumbs(sample: SampleError, event: SeedEvent, random: Random): Breadcrumb[] {
  const attempt = (number: number, before: number): Crumb => [
    before,
    'http',
    'http',
    number < 4 ? 'warning' : 'error',
    '',
    { method: 'GET', url: 'https://stock.internal/items', status_code: '503', attempt: String(number) }
  ]
  return toCrumbs(event, [
    [2_600, 'default', 'log', 'info', `incoming request ${sample.route}`],
    [
      2_580,
      'query',
      'db.query',
      'info',
      'SELECT id, total FROM carts WHERE id = ?',
      { duration: `${random.between(1, 9)} ms` }
    ],
    ...(sample.type === 'FetchFailed'
      ? [attempt(1, 2_400), attempt(2, 2_150), attempt(3, 1_500), attempt(4, 200)]
      : [attempt(1, 900)]),
    [8, 'default', 'log', 'error', 'giving up']
  ])
}
