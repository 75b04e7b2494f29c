import t from 'tap'
import { createIngest, RECEIVED } from '../../helpers/ingest.ts'

const TRACE = 'a'.repeat(32)
const PAGE = 'b'.repeat(16)
const AT = RECEIVED / 1_000 - 10

const attributes = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, type: typeof value }]))

function container(...items: object[]) {
  return [
    { type: 'span', content_type: 'application/vnd.sentry.items.span.v2+json' },
    { version: 2, items }
  ] as const
}

const pageload = (values: object = {}) => ({
  trace_id: TRACE,
  span_id: PAGE,
  name: '/shop',
  is_segment: true,
  status: 'ok',
  start_timestamp: AT,
  end_timestamp: AT + 1,
  attributes: attributes({ 'sentry.op': 'pageload', 'sentry.segment.name.source': 'route', ...values })
})

/** Creates a span as the SDK sends it whenever INP grows, also in addition to transactions. */
const interaction = (number: number, inp: number) => ({
  trace_id: TRACE,
  span_id: `${number}`.repeat(16),
  parent_span_id: PAGE,
  name: 'button#buy',
  is_segment: false,
  status: 'ok',
  start_timestamp: AT + 2,
  end_timestamp: AT + 2 + inp / 1_000,
  attributes: attributes({
    'sentry.op': 'ui.interaction.click',
    'sentry.segment.name': '/shop',
    'browser.web_vital.inp.value': inp
  })
})

t.test('spans of the newer format are stored like spans of a transaction', async (t) => {
  const { takeFixture, all, drops } = createIngest(t)
  takeFixture('browser-stream-08-span')
  takeFixture('node-stream-05-span')
  t.match(all('SELECT side, name, op, status, is_segment FROM span WHERE is_segment = 1 ORDER BY id'), [
    { side: 'browser', name: '/', op: 'pageload', status: 'error' },
    { side: 'server', name: 'GET /boom', op: 'http.server', status: 'error' },
    { side: 'server', name: 'GET /e404', op: 'http.server', status: 'ok' },
    { side: 'server', name: 'manual', op: 'task', status: 'ok' }
  ])
  t.match(all('SELECT count(*) AS count FROM span'), [{ count: 24 }])
  t.match(all('SELECT name, value, page FROM vital ORDER BY name'), [
    { name: 'CLS', value: 0, page: '/' },
    { name: 'FCP', page: '/' },
    { name: 'TTFB', page: '/' }
  ])
  t.match(all('SELECT route FROM latency_hour ORDER BY route'), [
    { route: '/' },
    { route: 'GET /boom' },
    { route: 'GET /e404' }
  ])
  const [{ attributes: kept }] = all("SELECT attributes FROM span WHERE op = 'browser.dns'") as [{ attributes: string }]
  t.same(JSON.parse(kept), { 'url.full': 'http://127.0.0.1:9921/?m=stream&r=1&tp=1' })
  t.same(drops(), [])
})

t.test('a request whose span is named only by its method gets its path, without ids', async (t) => {
  const { takeItems, all } = createIngest(t)
  const request = (number: number, name: string, values: object) => ({
    ...pageload(),
    span_id: `${number}`.repeat(16),
    name,
    attributes: attributes({ 'sentry.op': 'http.server', 'http.request.method': name, ...values })
  })
  takeItems([
    container(
      request(1, 'GET', { 'url.path': '/cart/123456' }),
      request(2, 'POST', { 'url.full': 'https://shop.example/cart?token=1' }),
      request(3, 'DELETE', {}),
      request(4, 'IMPORT', { 'http.request.method': 'GET', 'url.path': '/products' })
    )
  ])
  t.same(
    all('SELECT name FROM span ORDER BY span_id').map(({ name }) => name),
    ['GET /cart/*', 'POST /cart', 'DELETE', 'IMPORT']
  )
})

t.test('the sample rate of a visit is not an attribute of its navigations', async (t) => {
  const { takeItems, all } = createIngest(t)
  takeItems([container(pageload({ 'sentry.previous_trace_sample_rate': 0.1, 'shop.theme': 'dark' }))])
  t.same(all('SELECT attributes FROM span'), [{ attributes: '{"shop.theme":"dark"}' }])
})

t.test('spans of an SDK with one name for both sides have the side that sent them', async (t) => {
  const { takeItems, all } = createIngest(t)
  const request = {
    ...interaction(1, 0),
    name: 'GET /api/cart',
    attributes: attributes({ 'sentry.op': 'http.client', 'sentry.sdk.name': 'sentry.javascript.nextjs' })
  }
  const [header, payload] = container(request)
  takeItems([[header, { ...payload, ingest_settings: { infer_ip: 'never', infer_user_agent: 'never' } }]])
  takeItems([container({ ...request, span_id: '2'.repeat(16) })])
  t.match(all('SELECT side FROM span ORDER BY span_id'), [{ side: 'browser' }, { side: 'server' }])
})

t.test('INP counts once per page, with its largest value, in any order of reports', async (t) => {
  const { takeItems, all } = createIngest(t)
  takeItems([container(pageload())])
  for (const [i, inp] of [80, 320, 120, 320].entries()) takeItems([container(interaction(i + 1, inp))])
  t.match(all('SELECT name, value, page FROM vital'), [{ name: 'INP', value: 320, page: '/shop' }])
  for (const table of ['vital_total', 'vital_total_quarter'])
    t.same(
      all(
        `SELECT key AS bucket, CAST(value AS BIGINT) AS samples FROM ${table}, json_each(counts) WHERE CAST(value AS BIGINT) > 0`
      ).map((row) => ({
        ...row
      })),
      [{ bucket: '67', samples: 1 }]
    )
  for (const table of ['vital_hour', 'vital_day'])
    t.match(all(`SELECT sum(samples) AS samples, max(bucket) AS bucket FROM ${table} WHERE samples > 0`), [
      { samples: 1, bucket: 67 }
    ])
  t.match(all("SELECT count(*) AS count FROM span WHERE op = 'ui.interaction.click'"), [{ count: 4 }])
})

t.test('an interaction in a separate segment is stored with its page, at the time of the slowest one', async (t) => {
  const { takeItems, all } = createIngest(t)
  for (const [i, inp] of [80, 320].entries())
    takeItems([
      container({
        ...interaction(i + 1, inp),
        parent_span_id: undefined,
        is_segment: true,
        start_timestamp: AT + 2 + i
      })
    ])
  t.match(all('SELECT name, value, page, at FROM vital ORDER BY name'), [
    { name: 'INP', value: 320, page: '/shop', at: Math.round((AT + 3) * 1_000) }
  ])
  const old = {
    trace_id: 'd'.repeat(32),
    span_id: PAGE,
    op: 'ui.interaction.click',
    description: 'button#buy',
    is_segment: true,
    start_timestamp: AT,
    timestamp: AT + 0.1,
    data: { 'sentry.segment.name': '/cart/123456' },
    measurements: { inp: { value: 104 } }
  }
  takeItems([[{ type: 'span' }, old]])
  t.match(all('SELECT page FROM vital ORDER BY page'), [{ page: '/cart/*' }, { page: '/shop' }])
})

t.test('a span that only reports a vital is a vital, and no span', async (t) => {
  const { takeItems, all } = createIngest(t)
  const lcp = {
    ...interaction(1, 0),
    start_timestamp: AT,
    end_timestamp: AT + 0.9,
    attributes: attributes({ 'sentry.op': 'ui.webvital.lcp', 'browser.web_vital.lcp.value': 900 })
  }
  takeItems([container(lcp, pageload())])
  t.match(all('SELECT op FROM span'), [{ op: 'pageload' }])
  t.match(all('SELECT name, value, page, at FROM vital ORDER BY name'), [
    { name: 'LCP', value: 900, page: '/shop', at: Math.round((AT + 0.9) * 1_000) }
  ])
})

t.test('invalid vitals are left out', async (t) => {
  const { takeItems, all } = createIngest(t)
  const values = { lcp: Number.NaN, cls: -1, inp: 1e12, ttfb: '120', fcp: 'soon' }
  const named = Object.entries(values).map(([name, value]) => [`browser.web_vital.${name}.value`, value])
  takeItems([container(pageload(Object.fromEntries(named)))])
  t.match(all('SELECT name, value FROM vital'), [{ name: 'TTFB', value: 120 }])
})

t.test('a span of the older format is accepted as a separate item', async (t) => {
  const { takeItems, all } = createIngest(t)
  const old = {
    trace_id: TRACE,
    span_id: PAGE,
    op: 'ui.interaction.click',
    description: 'button',
    is_segment: true,
    start_timestamp: AT,
    timestamp: AT + 0.1,
    data: { 'sentry.release': '1', transaction: '/shop' },
    measurements: {
      inp: {
        value: 104,
        unit: 'millisecond'
      }
    }
  }
  takeItems([[{ type: 'span' }, old]])
  t.match(all('SELECT name, op, duration FROM span'), [{ op: 'ui.interaction.click', duration: 100_000 }])
  t.match(all('SELECT name, value FROM vital'), [{ name: 'INP', value: 104 }])
})

t.test('the first thousand spans of an item are stored', async (t) => {
  const { takeItems, all, drops } = createIngest(t)
  const many = Array.from({ length: 1_500 }, (_, i) => ({
    ...interaction(1, 10),
    span_id: (i + 1).toString(16).padStart(16, '0'),
    attributes: {}
  }))
  takeItems([container(...many)])
  t.match(all('SELECT count(*) AS count FROM span'), [{ count: 1_000 }])
  t.same(drops(), ['too_many_spans span 500'])
})

t.test('an envelope adds at most a hundred releases', async (t) => {
  const { takeItems, all } = createIngest(t)
  const many = Array.from({ length: 300 }, (_, i) => ({
    ...interaction(1, 10),
    span_id: (i + 1).toString(16).padStart(16, '0'),
    attributes: attributes({ 'sentry.release': `shop@${i % 150}` })
  }))
  takeItems([container(...many)])
  t.match(all('SELECT count(*) AS count FROM release'), [{ count: 100 }])
  t.match(all('SELECT count(*) AS count FROM span WHERE release IS NOT NULL'), [{ count: 200 }])
})

t.test('deleting rollups by hour also deletes them from rollups by day and from totals', async (t) => {
  const { takeItems, store, all } = createIngest(t)
  takeItems([container(pageload({ 'browser.web_vital.lcp.value': 900 }))])
  store.run('DELETE FROM latency_hour')
  store.run('DELETE FROM vital_hour')
  const totals = ['latency_total', 'latency_total_quarter', 'vital_total', 'vital_total_quarter']
  for (const table of ['latency_day', 'vital_day', ...totals]) t.same(all(`SELECT * FROM ${table}`), [], table)
})
