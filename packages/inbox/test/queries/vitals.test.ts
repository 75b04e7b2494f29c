import t from 'tap'
import { toBucket } from '../../src/queries/rollups/buckets.ts'
import { Histogram } from '../../src/queries/rollups/histogram.ts'
import { askReleaseRows } from '../../src/queries/releases/releases.ts'
import { listVitalTrend } from '../../src/queries/performance/vital-trend.ts'
import { listVitals } from '../../src/queries/performance/vitals.ts'
import { createIngest, RECEIVED, type ItemLine } from '../helpers/ingest.ts'

const HOUR = 3_600_000
const day = { since: RECEIVED - 24 * HOUR, until: RECEIVED + 1 }

interface Visit {
  page: string
  release?: string
  vitals: Record<string, number>
}

let numbers = 0
function pageload({ page, release, vitals }: Visit): ItemLine {
  const number = (++numbers).toString(16)
  return [
    { type: 'transaction' },
    {
      transaction: page,
      transaction_info: { source: 'route' },
      platform: 'javascript',
      release,
      start_timestamp: RECEIVED / 1e3 - 2,
      timestamp: RECEIVED / 1e3 - 1,
      contexts: {
        trace: {
          trace_id: number.padStart(32, '0'),
          span_id: number.padStart(16, '0'),
          op: 'pageload'
        }
      },
      measurements: Object.fromEntries(Object.entries(vitals).map(([name, value]) => [name, { value }]))
    }
  ]
}

const close = (value: number | undefined, exact: number) =>
  value !== undefined && Math.abs(value - exact) / exact < 0.06

t.test('a page has the p75 of each vital, and the shares of good and poor visits', async (t) => {
  const { takeItems, store } = createIngest(t)
  takeItems(
    Array.from({ length: 100 }, (_, i) =>
      pageload({ page: '/shop', vitals: { lcp: (i + 1) * 50, cls: (i + 1) / 400, ttfb: 120 } })
    )
  )
  takeItems([pageload({ page: '/cart', vitals: { lcp: 900 } })])
  const [shop, cart] = listVitals(store, { view: day })
  t.match(shop, { page: '/shop', samples: 100, vitals: { LCP: { samples: 100 }, CLS: { samples: 100 } } })
  const { LCP, CLS, TTFB } = shop!.vitals
  t.ok(close(LCP!.p75, 3_750), `LCP is ${LCP!.p75}`)
  t.ok(close(CLS!.p75, 0.1875), `CLS is ${CLS!.p75}`)
  t.ok(Math.abs(LCP!.good - 0.5) < 0.03 && Math.abs(LCP!.poor - 0.2) < 0.03, JSON.stringify(LCP))
  t.ok(Math.abs(LCP!.good + LCP!.middling + LCP!.poor - 1) < 1e-9)
  t.equal(TTFB!.good, 1)
  t.match(cart, { page: '/cart', samples: 1, vitals: { INP: undefined } })
})

t.test('a page that painted without a shift has one sample of CLS, which is 0 until a shift is reported', async (t) => {
  const { takeItems, store } = createIngest(t)
  const still = pageload({ page: '/still', vitals: { lcp: 900 } })
  takeItems([still])
  takeItems([pageload({ page: '/unpainted', vitals: { ttfb: 9 } })])
  const [header, body] = pageload({ page: '/firefox', vitals: { lcp: 900 } }) as [object, object]
  const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  takeItems([[header, { ...body, request: { headers } }] as ItemLine])
  const clsOf = (page: string) => listVitals(store, { view: day }).find((row) => row.page === page)?.vitals.CLS
  t.match(clsOf('/still'), { p75: 0, samples: 1, good: 1 })
  t.equal(clsOf('/unpainted'), undefined)
  t.equal(clsOf('/firefox'), undefined, 'Firefox does not measure shifts')
  const { trace_id, span_id } = (still[1] as { contexts: { trace: Record<string, string> } }).contexts.trace
  const late = {
    trace_id,
    span_id: 'f'.repeat(16),
    parent_span_id: span_id,
    name: 'Cumulative Layout Shift',
    start_timestamp: RECEIVED / 1e3 - 0.5,
    end_timestamp: RECEIVED / 1e3 - 0.5,
    attributes: {
      'sentry.op': { value: 'ui.webvital.cls', type: 'string' },
      'browser.web_vital.cls.value': { value: 0.3, type: 'double' }
    }
  }
  takeItems([[{ type: 'span' }, { version: 2, items: [late] }]])
  t.ok(close(clsOf('/still')!.p75, 0.3), JSON.stringify(clsOf('/still')))
  t.equal(clsOf('/still')!.samples, 1)
})

t.test('a trend has a point for each release, for one page or for all pages', async (t) => {
  const { takeItems, store } = createIngest(t)
  for (const [release, lcp] of [
    ['1.0', 1_000],
    ['1.1', 3_000]
  ] as const)
    takeItems([
      pageload({ page: '/shop', release, vitals: { lcp } }),
      pageload({ page: '/cart', release, vitals: { lcp: 500 } })
    ])
  const shop = listVitalTrend(store, { view: day, page: '/shop' })
  t.same(
    shop.map(({ version }) => version),
    ['1.0', '1.1']
  )
  t.ok(close(shop[0]!.p75.LCP, 1_000) && close(shop[1]!.p75.LCP, 3_000), JSON.stringify(shop))
  t.equal(listVitalTrend(store, { view: { ...day, environment: 'none' } }).length, 0)
  t.equal(listVitalTrend(store, { view: day }).length, 2)
})

t.test('the trend of a past range has its releases, however many releases came later', (t) => {
  const { takeItems, store } = createIngest(t)
  takeItems([pageload({ page: '/shop', release: '1.0', vitals: { lcp: 1_000 } })])
  for (let hour = 1; hour <= 12; hour++)
    store.insert(
      'INSERT INTO release (project, version, first_seen, last_seen) VALUES (1, ?, ?, ?)',
      `2.${hour}`,
      RECEIVED + hour * HOUR,
      RECEIVED + hour * HOUR
    )
  t.same(
    listVitalTrend(store, { view: day }).map(({ version }) => version),
    ['1.0']
  )
  t.end()
})

const sessions = (release: string, counts: object): ItemLine => [
  { type: 'sessions' },
  { aggregates: [{ started: new Date(RECEIVED - HOUR).toISOString(), ...counts }], attrs: { release } }
]

t.test('releases are listed newest first, with sessions, crash-free sessions and adoption', async (t) => {
  const { takeItems, store } = createIngest(t)
  takeItems([sessions('1.0', { exited: 18, crashed: 2 })])
  takeItems([sessions('1.1', { exited: 60 })])
  takeItems([pageload({ page: '/', release: '1.2', vitals: {} })])
  store.run("UPDATE release SET new_issues = 3, regressions = 1 WHERE version = '1.1'")
  const [third, second, first] = askReleaseRows(store, { view: day })()
  t.match(third, { version: '1.2', sessions: 0, crashFree: undefined, adoption: 0 })
  t.match(second, { version: '1.1', sessions: 60, crashFree: 1, adoption: 0.75, newIssues: 3, regressions: 1 })
  t.match(first, { version: '1.0', sessions: 20, crashFree: 0.9, adoption: 0.25 })
  t.equal(
    first!.series.points.reduce((sum: number, point) => sum + (point ?? 0), 0),
    20
  )
  t.match(askReleaseRows(store, { view: { ...day, release: '1.0' } })(), [{ version: '1.0' }])
  t.equal(askReleaseRows(store, { view: day, limit: 2 })().length, 2)
})

t.test('a release has no adoption if there are no sessions', async (t) => {
  const { takeItems, store } = createIngest(t)
  takeItems([pageload({ page: '/', release: '1.0', vitals: {} })])
  const [release] = askReleaseRows(store, { view: day })()
  t.notOk('adoption' in release!)
})

t.test('all percentiles of a single value are equal', (t) => {
  const histogram = new Histogram()
  histogram.add(toBucket(100), 1)
  const found = [0.5, 0.75, 0.95].map((share) => histogram.percentile(share))
  t.equal(new Set(found).size, 1)
  t.ok(close(found[0], 100))
  t.end()
})
