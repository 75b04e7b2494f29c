import type { ExceptionDetail, Frame, IssueState, Level, Side } from '../store/model.ts'
import type { Random } from './random.ts'
import { library, own, unmapped } from './sources.ts'

/** A sample error of the made-up shop. */
export interface SampleError {
  project?: number
  side: Side
  level?: Level
  type: string
  value: (random: Random) => string
  route: string
  url: string
  frames: Frame[]
  /** Cause of the exception. */
  cause?: Pick<ExceptionDetail, 'type' | 'value' | 'frames'>
  mechanism: string
  /** @default false */
  handled?: boolean
  /** Reported as a message, without an exception. */
  isMessage?: boolean
  components?: string[]
  tags?: [name: string, value: string][]
  /** Browsers in which the error occurs. @default all */
  browsers?: RegExp
  environments?: string[]
  /** Events per day. */
  rate: number
  /** Days since the first event. */
  age: number
  /** Hours since the last event. */
  quiet?: number
  state?: IssueState
}

const ids = (random: Random) => random.between(10_000, 99_999)

const ERRORS: (Omit<SampleError, 'url'> & { url?: string })[] = [
  {
    side: 'browser',
    type: 'TypeError',
    value: () => "Cannot read properties of undefined (reading 'city')",
    route: '/checkout',
    mechanism: 'react.error_boundary',
    handled: true,
    frames: [own('client/pages/checkout/index.tsx', 'CheckoutPage', 'shipping.city'), ...library('react-dom')],
    components: ['CheckoutPage', 'Suspense', 'ShopLayout', 'Root'],
    tags: [
      ['feature', 'one-page-checkout'],
      ['region', 'eu-west']
    ],
    rate: 140,
    age: 0.4
  },
  {
    side: 'browser',
    type: 'TypeError',
    value: () => "undefined is not an object (evaluating 'discount.percent')",
    route: '/checkout',
    mechanism: 'onunhandledrejection',
    browsers: /Safari/,
    frames: [own('client/pages/checkout/index.tsx', 'applyVoucher', 'discount.percent')],
    tags: [
      ['voucher', 'AUTUMN25'],
      ['region', 'eu-west']
    ],
    rate: 60,
    age: 5,
    state: 'regressed'
  },
  {
    side: 'server',
    type: 'FetchFailed',
    value: (random) => `GET /items/${ids(random)} failed after 4 attempts: status 503`,
    route: '/items/[id]',
    url: 'https://shop.example/items/41822',
    mechanism: 'fastify',
    frames: [
      own('lib/stock.ts', 'ask', 'throw new FetchFailed'),
      own('client/pages/items/[id].tsx', 'getData', 'await server.stock.findItem')
    ],
    tags: [['upstream', 'stock.internal']],
    rate: 90,
    age: 12
  },
  {
    side: 'server',
    type: 'Error',
    value: (random) => `order ${ids(random)} could not be placed`,
    route: 'POST /api/orders',
    mechanism: 'fastify',
    frames: [
      own('lib/orders.ts', 'placeOrder', 'throw new Error'),
      own('routes/orders.ts', 'createOrder', 'await placeOrder'),
      ...library('fastify')
    ],
    cause: {
      type: 'PaymentDeclined',
      value: 'insufficient_funds (order 40217)',
      frames: [
        own('lib/payments.ts', 'charge', 'throw new PaymentDeclined'),
        own('lib/orders.ts', 'placeOrder', 'await charge')
      ]
    },
    tags: [
      ['gateway', 'nordpay'],
      ['currency', 'EUR']
    ],
    rate: 34,
    age: 13
  },
  {
    side: 'browser',
    type: 'TypeError',
    value: () => 'onQuantity is not a function',
    route: '/cart',
    mechanism: 'onerror',
    frames: [own('client/components/cart-line.tsx', 'onChange', 'onQuantity(event'), ...library('react-dom').slice(5)],
    tags: [['region', 'us-east']],
    rate: 25,
    age: 9,
    state: 'resolved',
    quiet: 60
  },
  {
    side: 'browser',
    type: 'TypeError',
    value: () => "Cannot read properties of undefined (reading 'price')",
    route: '/items/[id]',
    url: 'https://shop.example/items/977',
    mechanism: 'react.error_boundary',
    handled: true,
    frames: [own('client/components/price-chart.tsx', 'PriceChart', 'previous.price'), ...library('react-dom')],
    components: ['PriceChart', 'Lazy', 'Suspense', 'ItemPage', 'ShopLayout', 'Root'],
    rate: 48,
    age: 0.8
  },
  {
    side: 'browser',
    type: 'RangeError',
    value: () => 'Invalid time value',
    route: '/account/orders',
    mechanism: 'react.error_boundary',
    handled: true,
    frames: [own('client/components/format.ts', 'formatDay', '.format(new Date(day))'), ...library('react-dom')],
    components: ['OrderList', 'AccountLayout', 'Root'],
    rate: 12,
    age: 13,
    browsers: /Safari/
  },
  {
    side: 'browser',
    type: 'Error',
    value: (random) => `suggestions failed: ${random.pick([500, 502, 504])}`,
    route: '/',
    mechanism: 'onunhandledrejection',
    frames: [own('client/components/search-field.tsx', 'suggest', 'throw new Error')],
    rate: 70,
    age: 10
  },
  {
    side: 'browser',
    type: 'ChunkLoadError',
    value: () => 'Failed to fetch dynamically imported module: https://shop.example/assets/pricechart-1x9k2.js',
    route: '/items/[id]',
    url: 'https://shop.example/items/12',
    mechanism: 'react.error_boundary',
    handled: true,
    frames: library('react-dom').slice(2),
    rate: 18,
    age: 11,
    state: 'ignored'
  },
  {
    side: 'server',
    level: 'fatal',
    type: 'Error',
    value: () => 'SQLITE_BUSY: database is locked',
    route: 'POST /api/orders',
    mechanism: 'onuncaughtexception',
    frames: [
      own('lib/orders.ts', 'insertOrder', 'statement.run'),
      own('lib/orders.ts', 'placeOrder', 'insertOrder(db')
    ],
    rate: 3,
    age: 4
  },
  {
    side: 'server',
    type: 'RangeError',
    value: (random) => `item-${ids(random)}: ${random.between(2, 9)} wanted, ${random.below(2)} left in Rotterdam`,
    route: 'POST /api/orders',
    mechanism: 'fastify',
    handled: true,
    frames: [
      own('lib/stock.ts', 'reserve', 'throw new RangeError'),
      own('lib/orders.ts', 'placeOrder', 'await stock.reserve')
    ],
    rate: 22,
    age: 12,
    state: 'ignored'
  },
  {
    side: 'server',
    level: 'warning',
    type: 'Error',
    value: () => 'the signature of the webhook does not match',
    route: 'POST /api/payments/webhook',
    mechanism: 'generic',
    handled: true,
    frames: [own('lib/payments.ts', 'verifySignature', 'throw new Error'), ...library('fastify')],
    rate: 9,
    age: 8,
    state: 'resolved',
    quiet: 30
  },
  {
    side: 'server',
    type: 'TypeError',
    value: () => "Cannot read properties of null (reading 'name')",
    route: 'GET /api/orders/:id',
    url: 'https://shop.example/api/orders/40217',
    mechanism: 'fastify',
    frames: [own('routes/orders.ts', 'readOrder', 'order.customer.name'), ...library('fastify')],
    rate: 15,
    age: 6,
    state: 'regressed'
  },
  {
    side: 'server',
    type: 'AggregateError',
    value: () => 'connect ECONNREFUSED 10.0.4.17:8080',
    route: '/items/[id]',
    url: 'https://shop.example/items/8',
    mechanism: 'fastify',
    frames: [...library('undici'), own('lib/stock.ts', 'ask', 'await fetch')],
    rate: 6,
    age: 3
  },
  {
    side: 'browser',
    level: 'warning',
    type: 'Error',
    value: () => "Hydration failed because the server rendered HTML didn't match the client.",
    route: '/',
    mechanism: 'react.recoverable',
    handled: true,
    frames: library('react-dom').slice(0, 4),
    components: ['PriceTag', 'HomePage', 'ShopLayout', 'Root'],
    rate: 31,
    age: 13,
    tags: [['extension', 'true']]
  },
  {
    side: 'browser',
    type: 'SyntaxError',
    value: () => `Unexpected token '<', "<!DOCTYPE "... is not valid JSON`,
    route: '/checkout',
    mechanism: 'onunhandledrejection',
    frames: [own('client/pages/checkout/index.tsx', 'applyVoucher', 'await response.json()')],
    rate: 8,
    age: 7
  },
  {
    side: 'browser',
    type: 'SecurityError',
    value: () => "Failed to read the 'localStorage' property from 'Window': Access is denied for this document.",
    route: '/',
    mechanism: 'onerror',
    browsers: /Chrome/,
    frames: [unmapped('https://shop.example/assets/index-9fk2c.js', 'Xt', 1, 48_201)],
    rate: 5,
    age: 13
  },
  {
    project: 2,
    side: 'server',
    type: 'SMTPRecipientsRefused',
    value: () => 'the receipt was rejected for 1 addresses',
    route: 'job send-receipt',
    url: '',
    mechanism: 'generic',
    handled: true,
    frames: [own('lib/mail.ts', 'sendReceipt', 'throw new Error')],
    tags: [
      ['queue', 'mail'],
      ['worker', 'mail-2']
    ],
    rate: 14,
    age: 9,
    environments: ['production']
  },
  {
    project: 2,
    side: 'server',
    level: 'info',
    type: 'message',
    value: (random) => `nightly export took ${random.between(31, 58)} minutes`,
    isMessage: true,
    route: 'job export',
    url: '',
    mechanism: 'generic',
    handled: true,
    frames: [],
    rate: 1,
    age: 12,
    environments: ['production'],
    tags: [['queue', 'export']]
  },
  {
    side: 'browser',
    type: '<img src=x onerror=alert(1)>',
    value: () =>
      '\u202Egnp.tpircs\u202C "><script>alert(document.cookie)</script> \u001b[31mred\u001b[0m zero\u200bwidthjavascript:alert(1)',
    route: '/search',
    mechanism: 'onerror',
    frames: [unmapped('javascript:alert(document.domain)', '</script><script>alert(2)</script>', 1, 1)],
    tags: [
      ['<b>bold</b>', '"><svg onload=alert(3)>'],
      ['javascript:alert(4)', '\u202Eright to left']
    ],
    rate: 2,
    age: 2
  },
  {
    side: 'browser',
    type: 'QuotaExceededError',
    value: () => `The quota has been exceeded: ${'long '.repeat(2_000)}`,
    route: '/account/files',
    mechanism: 'onunhandledrejection',
    frames: [unmapped('https://shop.example/assets/files-2k1.js', 'write', 1, 9_120)],
    rate: 1,
    age: 6
  },
  {
    side: 'browser',
    type: 'ReferenceError',
    value: () => 'gtag is not defined',
    environments: ['staging'],
    route: '/',
    url: 'https://staging.shop.example/',
    mechanism: 'onerror',
    frames: [unmapped('https://staging.shop.example/', 'onclick', 212, 18)],
    rate: 4,
    age: 13
  }
]

/** Most are on the page, or from the request, that their route names. */
export const SAMPLE_ERRORS: SampleError[] = ERRORS.map((error) => ({
  url: `https://shop.example${error.route.replace(/^POST /, '')}`,
  ...error
}))
