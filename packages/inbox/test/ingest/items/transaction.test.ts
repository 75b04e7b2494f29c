import t from 'tap'
import { createIngest, RECEIVED } from '../../helpers/ingest.ts'
import { refuseRows } from '../../helpers/store.ts'

const TRACE = 'a'.repeat(32)
const AT = RECEIVED / 1_000 - 10

function transaction(changes: object = {}, trace: object = {}) {
  return {
    type: 'transaction',
    transaction: '/items/[id]',
    transaction_info: { source: 'route' },
    platform: 'node',
    release: '1.0.0',
    environment: 'production',
    start_timestamp: AT,
    timestamp: AT + 0.2,
    contexts: { trace: { trace_id: TRACE, span_id: 'b'.repeat(16), op: 'http.server', status: 'ok', ...trace } },
    spans: [],
    ...changes
  }
}

const child = (number: number, changes: object = {}) => ({
  trace_id: TRACE,
  span_id: number.toString(16).padStart(16, '0'),
  parent_span_id: 'b'.repeat(16),
  description: `step ${number}`,
  op: 'getData',
  start_timestamp: AT + 0.01,
  timestamp: AT + 0.02,
  ...changes
})

t.test('a transaction of the browser is stored as its segment, its spans, its vitals and a duration', async (t) => {
  const { takeFixture, all, drops } = createIngest(t)
  takeFixture('browser-static-08-transaction')
  const spans = all('SELECT side, is_segment, name, op, status, duration, parent_id, environment FROM span ORDER BY id')
  t.equal(spans.length, 14)
  t.match(spans[0], { side: 'browser', is_segment: 1, name: '/', op: 'pageload', status: 'error', duration: 672_000 })
  t.match(spans[1], { is_segment: 0, op: 'http.client', duration: 10_000, parent_id: 'a205e15563c3da90' })
  t.same(all('SELECT name, round(value) AS value, page FROM vital ORDER BY name'), [
    { name: 'CLS', value: 0, page: '/' },
    { name: 'FCP', value: 672, page: '/' },
    { name: 'LCP', value: 672, page: '/' },
    { name: 'TTFB', value: 105, page: '/' }
  ])
  t.match(all('SELECT side, route, requests, errors FROM latency_hour ORDER BY side, route'), [
    { side: 'browser', route: '/', requests: 1, errors: 1 }
  ])
  t.same(drops(), [])
})

t.test('a transaction that is received again changes nothing', async (t) => {
  const { takeFixture, all } = createIngest(t)
  const figures = () => [
    all('SELECT count(*) AS spans FROM span'),
    all('SELECT sum(requests) AS requests FROM latency_hour'),
    all('SELECT sum(requests) AS requests FROM latency_day'),
    all('SELECT sum(samples) AS samples FROM vital_hour')
  ]
  takeFixture('browser-static-08-transaction')
  const before = figures()
  takeFixture('browser-static-08-transaction')
  t.same(figures(), before)
})

t.test('404 and 499 are no errors of the server', async (t) => {
  const { takeItems, all } = createIngest(t)
  const answers = [404, 499, 500]
  answers.forEach((code, i) => {
    const trace = {
      span_id: `${i + 1}`.repeat(16),
      status: 'unknown_error',
      data: { 'http.response.status_code': code }
    }
    takeItems([[{ type: 'transaction' }, transaction({}, trace)]])
  })
  t.same(
    all('SELECT status FROM span ORDER BY id').map(({ status }) => status),
    ['ok', 'cancelled', 'error']
  )
  t.match(all('SELECT sum(requests) AS requests, sum(errors) AS errors FROM latency_hour'), [
    { requests: 3, errors: 1 }
  ])
})

t.test('the status of a request is also read from its name, and from the older attribute', async (t) => {
  const { takeItems, all } = createIngest(t)
  const traces = [
    { status: 'not_found' },
    { status: 'permission_denied' },
    { status: 'internal_error' },
    { status: 'unknown_error', data: { 'http.status_code': 404 } },
    { status: 'not_found', op: 'rpc.server' }
  ]
  traces.forEach((trace, i) =>
    takeItems([[{ type: 'transaction' }, transaction({}, { span_id: `${i + 1}`.repeat(16), ...trace })]])
  )
  takeItems([
    [
      { type: 'transaction' },
      transaction({ tags: { 'http.status_code': '404' } }, { span_id: 'f'.repeat(16), status: 'unknown_error' })
    ]
  ])
  t.same(
    all('SELECT status FROM span ORDER BY id').map(({ status }) => status),
    ['ok', 'ok', 'error', 'ok', 'error', 'ok']
  )
})

t.test('names that are addresses are counted together, without ids', async (t) => {
  const { takeItems, all } = createIngest(t)
  const names = ['/orders/41', '/orders/42?a=1', '/orders/0b6f3e5c-4d1b-4b7e-9a53-0d7d86c1f0aa/print']
  names.forEach((name, i) =>
    takeItems([
      [
        { type: 'transaction' },
        transaction({ transaction: name, transaction_info: { source: 'url' } }, { span_id: `${i + 1}`.repeat(16) })
      ]
    ])
  )
  t.same(all('SELECT route, sum(requests) AS requests FROM latency_hour GROUP BY route ORDER BY route'), [
    { route: '/orders/*', requests: 2 },
    { route: '/orders/*/print', requests: 1 }
  ])
})

t.test('requests of an older Ruby SDK are requests, and their actions are separate routes', async (t) => {
  const { takeItems, all } = createIngest(t)
  const requests = [
    ['OrdersController#show', 'ok'],
    ['OrdersController#list', 'not_found'],
    ['GET /orders/41#top', 'internal_error']
  ] as const
  requests.forEach(([name, status], i) => {
    const trace = { op: 'rails.request', span_id: `${i + 1}`.repeat(16), status }
    const sent = transaction({ transaction: name, transaction_info: undefined, platform: 'ruby' }, trace)
    takeItems([[{ type: 'transaction' }, sent]])
  })
  t.same(all('SELECT route, requests, errors FROM latency_hour ORDER BY route'), [
    { route: 'GET /orders/*', requests: 1, errors: 1 },
    { route: 'OrdersController#list', requests: 1, errors: 0 },
    { route: 'OrdersController#show', requests: 1, errors: 0 }
  ])
})

t.test('a project has at most 500 routes; the others are counted together', async (t) => {
  const { takeItems, all } = createIngest(t)
  takeItems(
    Array.from({ length: 520 }, (_, i) => [
      { type: 'transaction' },
      transaction({ transaction: `/route-${i}` }, { span_id: (i + 1).toString(16).padStart(16, '0') })
    ])
  )
  t.match(all('SELECT count(DISTINCT route) AS routes, sum(requests) AS requests FROM latency_hour'), [
    { routes: 501, requests: 520 }
  ])
  t.match(all("SELECT sum(requests) AS requests FROM latency_hour WHERE route = '(others)'"), [{ requests: 20 }])
})

t.test('the first 1000 spans are stored, and the others counted', async (t) => {
  const { takeItems, all, drops } = createIngest(t)
  const spans = Array.from({ length: 10_000 }, (_, i) => child(i + 1))
  takeItems([[{ type: 'transaction' }, transaction({ spans })]])
  t.match(all('SELECT count(*) AS count FROM span'), [{ count: 1_001 }])
  t.same(drops(), ['too_many_spans span 9000'])
})

t.test('invalid spans are dropped and counted, and the others stored', async (t) => {
  const { takeItems, all, drops } = createIngest(t)
  const spans = [
    child(1),
    child(1, { description: 'the same id' }),
    child(2, { span_id: 'no hex' }),
    child(3, { start_timestamp: 'NaN' }),
    child(4, { start_timestamp: 0, timestamp: 1 }),
    child(5, { timestamp: 4_102_444_800 }),
    child(6, { trace_id: 'c'.repeat(32) }),
    child(7, { start_timestamp: AT + 0.05, timestamp: AT + 0.01, description: 'backwards' }),
    null,
    'span',
    [[]]
  ]
  takeItems([[{ type: 'transaction' }, transaction({ spans })]])
  t.same(all('SELECT name, duration FROM span WHERE is_segment = 0 ORDER BY id'), [
    { name: 'step 1', duration: 10_000 },
    { name: 'backwards', duration: 0 }
  ])
  t.same(drops(), ['invalid span 8'])
})

t.test('corrects a clock of 1970 or 2100, for the whole transaction', async (t) => {
  const { takeItems, all } = createIngest(t)
  for (const [i, at] of [1, 4_102_444_800].entries())
    takeItems([
      [
        { type: 'transaction' },
        transaction(
          {
            start_timestamp: at,
            timestamp: at + 0.2,
            spans: [child(i + 1, { start_timestamp: at + 0.1, timestamp: at + 0.15 })]
          },
          { span_id: `${i + 1}`.repeat(16) }
        )
      ]
    ])
  for (const { start, duration, is_segment } of all('SELECT start, duration, is_segment FROM span')) {
    t.equal(Math.round(Number(duration) / 1e4), is_segment ? 20 : 5)
    t.equal(Math.round((RECEIVED - Number(start) / 1_000) / 10), is_segment ? 20 : 10)
  }
})

t.test('the time of sending corrects a clock that differs', async (t) => {
  const { takeItems, all } = createIngest(t)
  const ahead = 3_600
  const raw = transaction({ start_timestamp: AT + ahead, timestamp: AT + ahead + 0.2 })
  takeItems([[{ type: 'transaction' }, raw]], { sentAt: RECEIVED + ahead * 1_000 })
  t.equal(Math.round(Number(all('SELECT start FROM span')[0]!['start']) / 1e6), Math.round(AT))
})

t.test('attributes are limited, are strings, numbers and booleans, and contain no address or cookie', async (t) => {
  const { takeItems, all } = createIngest(t)
  const deep: Record<string, unknown> = {}
  let inner = deep
  for (let i = 0; i < 1_000; i++) inner = inner['a'] = {} as Record<string, unknown>
  const data = {
    ...Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => [`name${i}`, 'x'])),
    long: 'y'.repeat(1e5),
    'client.address': '192.0.2.7',
    'http.request.header.cookie': ['id=secret']
  }
  const evil = JSON.parse(
    '{"__proto__": {"polluted": true}, "constructor": "text", "nul": "a\\u0000b", "half": "\\ud800"}'
  )
  takeItems([
    [
      { type: 'transaction' },
      transaction({
        spans: [child(1, { data: { ...data } }), child(2, { data: Object.assign(evil, { deep, list: [1, 'b', {}] }) })]
      })
    ]
  ])
  const [, first, second] = all('SELECT attributes FROM span ORDER BY id').map(({ attributes }) => String(attributes))
  t.equal(Object.keys(JSON.parse(first!)).length, 100)
  t.notMatch(first, /192\.0\.2\.7|secret/)
  t.same(JSON.parse(second!), { constructor: 'text', nul: 'a\ufffdb', half: '\ufffd', list: '1, b' })
  t.equal(({} as Record<string, unknown>)['polluted'], undefined)
})

t.test('attributes with addresses, credentials or trace headers are not stored, whatever the SDK names them', (t) => {
  const { takeItems, all } = createIngest(t)
  const kept = { 'net.peer.name': 'api.example', 'http.request.header.x_forwarded_proto': 'https', 'http.route': '/a' }
  const omitted = [
    'client.address',
    'http.client_ip',
    'net.peer.ip',
    'net.sock.peer.addr',
    'http.request.header.cookie.session',
    'http.request.header.x-forwarded-for',
    'http.request.header.x_forwarded_for',
    'http.request.header.cf_connecting_ip',
    'http.request.header.proxy_authorization',
    'http.request.header.x_api_key',
    'http.request.header.sentry_trace',
    'http.response.header.set_cookie.session'
  ]
  const data = { ...Object.fromEntries(omitted.map((name) => [name, 'secret'])), ...kept }
  takeItems([[{ type: 'transaction' }, transaction({ spans: [child(1, { data })] })]])
  const [, span] = all('SELECT attributes FROM span ORDER BY id')
  t.same(JSON.parse(String(span!['attributes'])), kept)
  t.end()
})

t.test('drops an invalid transaction', async (t) => {
  const { takeItems, all, drops } = createIngest(t)
  takeItems([
    [{ type: 'transaction' }, Buffer.from('{"contexts":')],
    [{ type: 'transaction' }, []],
    [{ type: 'transaction' }, transaction({}, { trace_id: 'z' })],
    [{ type: 'transaction' }, transaction({ timestamp: 'never' })],
    [{ type: 'transaction' }, transaction()]
  ])
  t.match(all('SELECT count(*) AS count FROM span'), [{ count: 1 }])
  t.same(drops(), ['invalid transaction 4'])
})

t.test('a transaction of a server runtime has the side of the server, as its errors have', async (t) => {
  const { takeItems, all } = createIngest(t)
  for (const [i, runtime] of ['bun', 'deno', 'cloudflare'].entries())
    takeItems([
      [
        { type: 'transaction' },
        {
          platform: 'javascript',
          sdk: { name: `sentry.javascript.${runtime}` },
          transaction: 'sell',
          start_timestamp: RECEIVED / 1_000 - 1,
          timestamp: RECEIVED / 1_000,
          contexts: {
            trace: { trace_id: String(i + 1).repeat(32), span_id: String(i + 1).repeat(16), op: 'queue.task' }
          }
        }
      ]
    ])
  t.same(
    all('SELECT side FROM span').map(({ side }) => side),
    ['server', 'server', 'server']
  )
})

t.test('a transaction of an app has the side of browsers, as its errors have', async (t) => {
  const { takeItems, all } = createIngest(t)
  takeItems([
    [
      { type: 'transaction' },
      {
        platform: 'java',
        sdk: { name: 'sentry.java.android', version: '8.21.1' },
        transaction: 'CartActivity',
        start_timestamp: RECEIVED / 1_000 - 1,
        timestamp: RECEIVED / 1_000,
        contexts: { trace: { trace_id: '1'.repeat(32), span_id: '1'.repeat(16), op: 'ui.load' } }
      }
    ]
  ])
  t.match(all('SELECT side FROM span'), [{ side: 'browser' }])
})

t.test('requests of one batch are counted by route, in hours, days and totals', async (t) => {
  const { takeItems, all } = createIngest(t)
  const request = (number: number, changes: object) =>
    [
      { type: 'transaction' },
      transaction(changes, { trace_id: String(number).repeat(32), span_id: String(number).repeat(16) })
    ] as const
  takeItems([1, 2, 3, 4].map((number) => request(number, {})))
  takeItems([request(5, {}), request(6, { transaction: '/basket' })])
  const counts = [
    { route: '/basket', requests: 1 },
    { route: '/items/[id]', requests: 5 }
  ]
  t.same(all('SELECT route, requests FROM latency_hour ORDER BY route'), counts)
  t.same(all('SELECT route, requests FROM latency_day ORDER BY route'), counts)
  const [total] = all('SELECT counts FROM latency_total')
  t.same(Object.values(JSON.parse(total!['counts'] as string)), [6])
})

t.test('a transaction that cannot be stored completely is not counted', async (t) => {
  const { takeItems, all, drops, store } = createIngest(t)
  refuseRows(t, store, 'span', 'name', 'refused')
  const refused = transaction({ spans: [child(1, { description: 'refused' })] })
  takeItems([
    [{ type: 'transaction' }, refused],
    [{ type: 'transaction' }, transaction({ spans: [child(1)] })]
  ])
  t.same(drops(), ['invalid transaction 1'])
  t.same(all('SELECT requests FROM latency_hour'), [{ requests: 1 }])
})

t.test('a transaction that began long before it ended is refused', (t) => {
  const { takeItems, all, drops } = createIngest(t)
  for (const start_timestamp of [0, -8e12, 8e12, '1970-01-01T00:00:00Z'])
    takeItems([[{ type: 'transaction' }, transaction({ start_timestamp })]])
  t.same(all('SELECT * FROM span'), [])
  t.same(all('SELECT * FROM latency_hour'), [])
  t.same(drops(), ['invalid transaction 4'])
  takeItems([[{ type: 'transaction' }, transaction({ start_timestamp: AT - 3 * 86_400 })]])
  t.equal(all('SELECT * FROM span').length, 1, 'a machine may have been suspended for some days')
  t.end()
})
