import { zstdCompressSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { Side } from '../../src/store/model.ts'
import { getHeatMap, listRoutes } from '../../src/queries/performance/routes.ts'
import { askTrace } from '../../src/queries/traces/trace.ts'
import { locate } from '../../src/queries/locate.ts'
import { listLogs } from '../../src/queries/logs.ts'
import { listTraces } from '../../src/queries/traces/trace-list.ts'
import { createIngest, RECEIVED, type ItemLine } from '../helpers/ingest.ts'

const HOUR = 3_600_000
const day = { since: RECEIVED - 24 * HOUR, until: RECEIVED + 1 }
const hex = (number: number, length: number) => number.toString(16).padStart(length, '0')

interface Made {
  number: number
  route?: string
  side?: Side
  /** Milliseconds. */
  duration?: number
  /** Milliseconds before now. */
  ago?: number
  environment?: string
  release?: string
  fails?: boolean
  trace?: number
  parent?: number
}

function transaction(made: Made): ItemLine {
  const { number, route = '/', side = 'server', duration = 100, ago = 60_000, environment, release, fails } = made
  const end = (RECEIVED - ago) / 1_000
  return [
    { type: 'transaction' },
    {
      type: 'transaction',
      transaction: route,
      transaction_info: { source: 'route' },
      environment,
      release,
      platform: side === 'browser' ? 'javascript' : 'node',
      start_timestamp: end - duration / 1e3,
      timestamp: end,
      contexts: {
        trace: {
          trace_id: hex(made.trace ?? number, 32),
          span_id: hex(number, 16),
          ...(made.parent !== undefined && { parent_span_id: hex(made.parent, 16) }),
          op: side === 'browser' ? 'pageload' : 'http.server',
          status: fails ? 'internal_error' : 'ok'
        }
      }
    }
  ]
}

function seed(t: Test, ...made: Made[]) {
  const ingest = createIngest(t)
  ingest.takeItems(made.map(transaction))
  return ingest
}

const range = (count: number, make: (i: number) => Omit<Made, 'number'>) =>
  Array.from({ length: count }, (_, i): Made => ({ number: i + 1, ...make(i) }))

t.test('routes have their number of requests, failures and percentiles', async (t) => {
  const { store } = seed(
    t,
    ...range(100, (i) => ({ route: '/slow', duration: (i + 1) * 10, fails: i < 5 })),
    { number: 900, route: '/fast', duration: 3 },
    { number: 901, route: '/slow', side: 'browser', duration: 2_000 }
  )
  const routes = listRoutes(store, { view: day })
  t.match(routes, [
    { route: '/slow', side: 'server', requests: 100, errors: 5 },
    { route: '/fast', side: 'server', requests: 1, errors: 0 },
    { route: '/slow', side: 'browser', requests: 1 }
  ])
  const [slow] = routes
  for (const [name, exact] of [
    ['p50', 500],
    ['p75', 750],
    ['p95', 950]
  ] as const)
    t.ok(Math.abs(slow![name] - exact) / exact < 0.06, `${name} is ${slow![name]}`)
  t.match(listRoutes(store, { view: day, sort: 'p95' })[0], { side: 'browser' })
  t.match(listRoutes(store, { view: day, side: 'browser' }), [{ route: '/slow', side: 'browser' }])
  t.equal(listRoutes(store, { view: day, limit: 1 }).length, 1)
})

t.test('routes with the same number of requests have the same order in every view', async (t) => {
  const { store } = seed(
    t,
    { number: 1, side: 'server', ago: 3 * HOUR },
    { number: 2, side: 'browser', ago: 2 * HOUR },
    { number: 3, side: 'server' },
    { number: 4, side: 'browser' }
  )
  for (const since of [day.since, RECEIVED - HOUR])
    t.match(listRoutes(store, { view: { ...day, since } }), [{ side: 'browser' }, { side: 'server' }])
})

t.test('the view limits routes by time, environment, release and project', async (t) => {
  const { store } = seed(
    t,
    { number: 1, environment: 'production', release: '1' },
    { number: 2, environment: 'staging', release: '2', ago: 5 * HOUR },
    { number: 3, environment: 'production', release: '2', ago: 30 * HOUR }
  )
  const count = (over: object) => listRoutes(store, { view: { ...day, ...over } })[0]?.requests ?? 0
  t.equal(count({}), 2)
  t.equal(count({ since: RECEIVED - 7 * 24 * HOUR }), 3)
  t.equal(count({ since: RECEIVED - HOUR / 2 }), 1)
  t.equal(count({ environment: 'staging' }), 1)
  t.equal(count({ release: '1' }), 1)
  t.equal(count({ release: 'none' }), 0)
  t.equal(count({ project: 1 }), 2)
  t.equal(count({ project: 2 }), 0)
})

t.test('a heat map counts every request once, in its hour and its range of durations', async (t) => {
  const { store } = seed(t, ...range(60, (i) => ({ route: '/a', duration: 2 ** (i % 10), ago: i * 0.3 * HOUR })), {
    number: 900,
    route: '/b'
  })
  const heat = getHeatMap(store, { view: day, route: '/a', side: 'server' })
  t.equal(
    heat.counts.flat().reduce((sum, count) => sum + count, 0),
    60
  )
  t.equal(heat.step, HOUR)
  t.equal(heat.counts.length, 24)
  t.ok(heat.rows.length > 5 && heat.rows.length <= 14)
  t.ok(heat.low < heat.rows[0]!)
  t.same(
    heat.rows,
    heat.rows.toSorted((a, b) => a - b)
  )
  const last = Math.floor((RECEIVED - heat.start) / HOUR)
  t.equal(
    heat.counts[last]!.reduce((sum, count) => sum + count, 0) +
      heat.counts[last - 1]!.reduce((sum, count) => sum + count, 0) >
      0,
    true
  )
  t.same(getHeatMap(store, { view: day, route: '/none', side: 'server' }).rows, [])
})

/** Reads all pages. */
function walk(store: ReturnType<typeof seed>['store'], input: Omit<Parameters<typeof listTraces>[1], 'cursor'>) {
  const pages: string[][] = []
  for (let cursor: string | undefined; ;) {
    const { traces, next } = listTraces(store, { ...input, ...(cursor !== undefined && { cursor }) })
    pages.push(traces.map(({ traceId }) => traceId))
    if (next === undefined) return pages
    cursor = next
  }
}

t.test('a heat map may have more cells than a function has arguments', async (t) => {
  const { store } = createIngest(t)
  const since = RECEIVED - 400 * 24 * HOUR
  store.run(
    "INSERT INTO project (id, name, key, created) SELECT CAST(value AS BIGINT), value, value, 1 FROM json_each('[2,3,4,5]')"
  )
  store.run(
    `INSERT INTO latency_day (project, day, side, route, environment, release, bucket, requests, errors)
     WITH RECURSIVE day (day) AS (SELECT CAST(?1 AS BIGINT) UNION ALL SELECT day + 1 FROM day WHERE day < CAST(?1 AS BIGINT) + 398),
       bucket (bucket) AS (SELECT 0 UNION ALL SELECT bucket + 1 FROM bucket WHERE bucket < 99)
     SELECT project.id, day, 'server', '/', '', 0, bucket, 1, 0 FROM project, day, bucket`,
    Math.floor(since / (24 * HOUR)) + 1
  )
  const { rows } = getHeatMap(store, { view: { since, until: RECEIVED }, route: '/', side: 'server' })
  t.ok(rows.length > 0 && rows.length <= 14)
})

t.test('pages of traces, newest or slowest first, contain every trace once', async (t) => {
  const { store } = seed(t, ...range(95, (i) => ({ ago: i * 10 * 60_000, duration: ((i * 37) % 95) + 1 })))
  for (const sort of ['newest', 'slowest'] as const) {
    const pages = walk(store, { view: day, sort, limit: 20 })
    t.same(
      pages.map((page) => page.length),
      [20, 20, 20, 20, 15],
      sort
    )
    t.equal(new Set(pages.flat()).size, 95)
    t.equal(listTraces(store, { view: day, sort, limit: 20 }).total, 95)
  }
  const { traces } = listTraces(store, { view: day, sort: 'slowest', limit: 200 })
  const durations = traces.map(({ duration }) => Math.round(duration))
  t.same(
    durations,
    durations.toSorted((a, b) => b - a)
  )
  t.equal(durations[0], 95)
})

t.test('traces with the same start and the same duration are paged without gaps', async (t) => {
  const { store } = seed(t, ...range(30, () => ({ ago: 1_000, duration: 50 })))
  for (const sort of ['newest', 'slowest'] as const)
    t.equal(new Set(walk(store, { view: day, sort, limit: 7 }).flat()).size, 30, sort)
})

t.test('lists a trace once, by the segment in the browser if there is one', async (t) => {
  const { store } = seed(
    t,
    { number: 1, trace: 7, side: 'server', route: '/page', duration: 40 },
    { number: 2, trace: 7, side: 'browser', route: '/page', duration: 900, parent: 1, release: '1.0' },
    { number: 3, trace: 7, side: 'server', route: '/api', duration: 20, parent: 2 },
    { number: 4, trace: 8, side: 'server', route: '/api', duration: 30 }
  )
  for (const sort of ['newest', 'slowest'] as const)
    t.match(
      listTraces(store, { view: day, sort }).traces.toSorted((a, b) => b.duration - a.duration),
      [
        { traceId: hex(7, 32), name: '/page', side: 'browser', duration: 900, release: '1.0' },
        { traceId: hex(8, 32), name: '/api', side: 'server', duration: 30 }
      ],
      sort
    )
  t.equal(listTraces(store, { view: day, limit: 1 }).total, 2, 'a trace is counted once')
  t.equal(listTraces(store, { view: day, route: '/api', limit: 1 }).total, 2)
  t.same(
    listTraces(store, { view: day, route: '/api', sort: 'slowest' }).traces.map(({ duration }) => Math.round(duration)),
    [30, 20]
  )
  t.equal(listTraces(store, { view: day, route: '/none' }).traces.length, 0)

  store.run("INSERT INTO project (id, name, key, created) VALUES (2, 'API', 'api', 1)")
  store.run("UPDATE span SET project = 2 WHERE name = '/api'")
  for (const [project, name, traces] of [
    [1, '/page', 1],
    [2, '/api', 2]
  ] as const) {
    const list = listTraces(store, { view: { ...day, project } })
    t.same(
      list.traces.map((trace) => trace.name),
      Array.from({ length: traces }, () => name),
      `project ${project} has its own part of a trace`
    )
    t.equal(list.total, traces)
  }
  store.run("UPDATE span SET environment = 'api' WHERE name = '/api'")
  const list = listTraces(store, { view: { ...day, environment: 'api' } })
  t.match({ total: list.total, names: list.traces.map((trace) => trace.name) }, { total: 2, names: ['/api', '/api'] })
  t.match(listTraces(store, { view: { ...day, release: '1.0' } }), { total: 1, traces: [{ name: '/page' }] })
})

t.test('lists a trace by a segment in the time range and in a project that was not removed', async (t) => {
  const { store } = seed(
    t,
    { number: 1, trace: 7, side: 'browser', route: '/page', ago: 3 * HOUR },
    { number: 2, trace: 7, route: '/poll', ago: HOUR / 2, parent: 1 },
    { number: 3, trace: 7, route: '/poll', ago: HOUR / 4, parent: 1 },
    { number: 4, trace: 8, side: 'browser', route: '/other', ago: HOUR / 2 },
    { number: 5, trace: 8, route: '/poll', ago: HOUR / 2, parent: 4 }
  )
  store.run("INSERT INTO project (id, name, key, created, removed) VALUES (2, 'Former', 'former', 1, 2)")
  store.run("UPDATE span SET project = 2 WHERE name = '/other'")
  for (const sort of ['newest', 'slowest'] as const) {
    const { traces, total } = listTraces(store, { view: { ...day, since: RECEIVED - HOUR }, sort })
    t.same(traces.map(({ traceId, name }) => `${traceId} ${name}`).toSorted(), [
      `${hex(7, 32)} /poll`,
      `${hex(8, 32)} /poll`
    ])
    t.equal(total, 2)
    t.match(
      listTraces(store, { view: day, sort }).traces.find(({ traceId }) => traceId === hex(7, 32)),
      { name: '/page' }
    )
  }
})

t.test('a trace with several segments of a route is on only one page', async (t) => {
  const { store } = seed(
    t,
    ...range(36, (i) => ({
      trace: (i % 12) + 1,
      route: '/api',
      ago: 1_000 + ((i * 7) % 36) * 60_000,
      duration: 10 + ((i * 11) % 36)
    }))
  )
  for (const sort of ['newest', 'slowest'] as const) {
    const pages = walk(store, { view: day, route: '/api', sort, limit: 5 })
    t.same(
      pages.map((page) => page.length),
      [5, 5, 2],
      sort
    )
    t.equal(new Set(pages.flat()).size, 12, sort)
    const full = walk(store, { view: day, route: '/api', sort, limit: 6 })
    t.same(
      full.map((page) => page.length),
      [6, 6],
      'only full pages'
    )
    t.equal(listTraces(store, { view: day, route: '/api', sort, limit: 5 }).total, 12, sort)
  }
})

t.test('a rare environment is found, and an invalid cursor is refused', async (t) => {
  const { store } = seed(
    t,
    ...range(400, (i) => ({ environment: i === 399 ? 'staging' : 'production', ago: i * 1_000 }))
  )
  for (const sort of ['newest', 'slowest'] as const)
    t.equal(walk(store, { view: { ...day, environment: 'staging' }, sort, limit: 10 }).flat().length, 1, sort)
  t.throws(() => listTraces(store, { view: day, cursor: "' OR 1", limit: 3 }), { code: 'APP_INBOX_CURSOR_INVALID' })
})

t.test('a rare environment is found among thousands of other traces', async (t) => {
  const { store } = seed(
    t,
    { number: 1, environment: 'staging', ago: 500 },
    { number: 2, environment: 'staging', ago: HOUR }
  )
  store.run(
    `INSERT INTO span (project, trace_id, span_id, is_segment, side, name, op, status, start, duration, received, environment,
       attributes)
     WITH RECURSIVE counter (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 9000)
     SELECT 1, 'trace ' || number, 'span ' || number, 1, 'server', '/', 'http.server', 'ok', CAST(?1 AS BIGINT) - number * 1000, 1,
       CAST(?2 AS BIGINT), 'production', '{}' FROM counter`,
    (RECEIVED - 1_000) * 1_000,
    RECEIVED
  )
  for (const route of [undefined, '/'])
    t.equal(walk(store, { view: { ...day, environment: 'staging' }, route }).flat().length, 2)
})

t.test('the slowest traces of an environment and of a release are found among many others', async (t) => {
  const others = range(300, () => ({ duration: 900 }))
  const rare = range(5, (i) => ({ duration: i + 1, environment: 'staging', release: '1.0' }))
  const { store } = seed(t, ...others, ...rare.map((made) => ({ ...made, number: 1_000 + made.number })))
  for (const view of [
    { ...day, environment: 'staging' },
    { ...day, release: '1.0' }
  ])
    t.equal(listTraces(store, { view, sort: 'slowest' }).traces.length, 5)
  t.equal(
    walk(store, { view: day, sort: 'slowest', limit: 200 }).flat().length,
    305,
    'all pages, also if one hour has more than 200 traces'
  )
})

t.test('a trace contains spans of browser and server, with its vitals, errors and log lines', async (t) => {
  const { takeFixture, store } = createIngest(t)
  takeFixture('browser-stream-08-span')
  takeFixture('browser-stream-10-log')
  const traceId = '375357609f074436aa4f8cb527921d1d'
  store.run(
    "INSERT INTO issue (id, project, type, value, culprit, level, side, first_seen, last_seen) VALUES (5, 1, 'TypeError', 'it', '', 'error', 'browser', 1, 1)"
  )
  store.run(
    `INSERT INTO event (project, event_id, issue, key, at, received, level, environment, trace_id, span_id)
      VALUES (1, 'e1', 5, 1, 1, 1, 'error', '', ?, '82e73c4279227384')`,
    traceId
  )
  const trace = askTrace(store, { traceId })()
  t.equal(trace.spans.length, 14)
  t.match(trace.spans[0], { depth: 0, isSegment: true, op: 'pageload', children: 13 })
  t.match(trace, { traceId, start: 1795223084561700, omitted: 0 })
  t.ok(trace.duration >= 640_000)
  t.same(
    trace.vitals.map(({ name }) => name),
    ['TTFB', 'FCP']
  )
  t.match(trace.errors, [{ issue: 5, type: 'TypeError', spanId: '82e73c4279227384' }])
  t.match(trace.logs, [{ level: 'warn', body: 'browser log' }])
})

t.test('errors of a trace have the side of their event, or of their issue if the event has no payload', async (t) => {
  const { store } = createIngest(t)
  const traceId = hex(1, 32)
  store.run(
    "INSERT INTO issue (id, project, type, value, culprit, level, side, first_seen, last_seen) VALUES (5, 1, 'TypeError', 'it', '', 'error', 'server', 1, 1)"
  )
  for (const id of [1, 2, 3])
    store.run(
      `INSERT INTO event (id, project, event_id, issue, key, at, received, level, environment, trace_id)
        VALUES (?, 1, ?, 5, 1, 1, 1, 'error', '', ?)`,
      id,
      `e${id}`,
      traceId
    )
  for (const [id, side] of [
    [1, 'server'],
    [2, 'browser']
  ] as const)
    store.run(
      "INSERT INTO event_payload (event, codec, body) VALUES (?, 'zstd', ?)",
      id,
      zstdCompressSync(JSON.stringify({ side }))
    )
  const { errors } = askTrace(store, { traceId })()
  t.same(
    errors.map(({ eventId, side }) => [eventId, side]),
    [
      ['e1', 'server'],
      ['e2', 'browser'],
      ['e3', 'server']
    ]
  )
  t.notOk('id' in errors[0]!)
})

t.test('a trace without spans shows its log lines; an unknown trace is not found', async (t) => {
  const { takeFixture, store } = createIngest(t)
  takeFixture('node-stream-07-log')
  const trace = askTrace(store, { traceId: '355beffedaca4816a27df7307e55a3ec' })()
  t.same([trace.spans.length, trace.logs.length, Number.isFinite(trace.start)], [0, 1, true])
  const { traceId } = trace
  t.same(locate(store, { text: traceId }), { kind: 'trace', traceId })
  t.throws(() => askTrace(store, { traceId: '0'.repeat(32) })(), { code: 'APP_INBOX_TRACE_NOT_FOUND', statusCode: 404 })
})

t.test('a search finds log lines by numbers, as the lines show them', (t) => {
  const { store } = createIngest(t)
  const numbers = [7, -7, 0.5, 1e-7, 0.00005, 1e21, 12_345_678_901_234_567_000]
  for (const [index, number] of numbers.entries())
    store.run(
      `INSERT INTO log (project, at, received, level, body, attributes, environment) VALUES (1, ?1, ?1, 'info', ?2, ?3, '')`,
      RECEIVED - index,
      `line ${index}`,
      JSON.stringify({ number, text: String(number), isSet: true, nothing: null })
    )
  const find = (query: string) => listLogs(store, { view: day, query }).lines.map(({ body }) => body)
  for (const [index, number] of numbers.entries()) {
    t.same(find(`number=${number}`), [`line ${index}`], `${number}`)
    t.same(find(`text=${number}`), [`line ${index}`], `${number} as text`)
    t.equal(find(`-number=${number}`).length, numbers.length - 1)
  }
  for (const query of ['number=', 'number=07', 'number=seven', 'number=NaN', 'number=true', 'text=07', 'isSet=1'])
    t.same(find(query), [], query)
  t.equal(find('isSet=true').length, numbers.length)
  t.end()
})

t.test('log lines are found by their release', (t) => {
  const { store, takeItems } = createIngest(t)
  const toLine = (release?: string) => ({
    timestamp: RECEIVED / 1_000,
    level: 'info',
    body: `line of ${release}`,
    attributes: release === undefined ? {} : { 'sentry.release': { value: release, type: 'string' } }
  })
  takeItems([[{ type: 'log' }, { items: [toLine('1.0'), toLine('1.1'), toLine()] }]])
  const find = (view: object, query = '') =>
    listLogs(store, { view: { ...day, ...view }, query }).lines.map(({ body }) => body)
  t.equal(find({}).length, 3)
  t.same(find({ release: '1.0' }), ['line of 1.0'])
  t.same(find({}, 'sentry.release=1.1'), ['line of 1.1'])
  t.end()
})

t.test('a search finds log lines by values with spaces, in quotes', (t) => {
  const { store } = createIngest(t)
  for (const [index, city] of ['New York', 'New Delhi', 'York', 'the "Big" one'].entries())
    store.run(
      `INSERT INTO log (project, at, received, level, body, attributes, environment) VALUES (1, ?1, ?1, 'info', ?2, ?3, '')`,
      RECEIVED - index,
      `line ${index}`,
      JSON.stringify({ city })
    )
  const find = (query: string) => listLogs(store, { view: day, query }).lines.map(({ body }) => body)
  t.same(find('city="New York"'), ['line 0'])
  t.same(find('-city="New York" city=York'), ['line 2'])
  t.same(find(String.raw`city="the \"Big\" one" line`), ['line 3'])
  t.same(find('"city=York"'), [], 'a filter in quotes is text')
  t.end()
})

t.test('a trace shows its first 5000 spans and counts the others', async (t) => {
  const { store, takeItems } = createIngest(t)
  for (let part = 0; part < 6; part++)
    takeItems([
      [
        { type: 'span' },
        {
          items: Array.from({ length: 1_000 }, (_, i) => ({
            trace_id: hex(1, 32),
            span_id: hex(part * 1e3 + i + 1, 16),
            name: 'step',
            start_timestamp: RECEIVED / 1e3 - 1,
            end_timestamp: RECEIVED / 1e3
          }))
        }
      ]
    ])
  const { spans, omitted } = askTrace(store, { traceId: hex(1, 32) })()
  t.same([spans.length, omitted], [5_000, 1_000])
})

t.test('of a long trace, the spans that began first are shown, and so their parents', async (t) => {
  const { store, takeItems } = createIngest(t)
  const toItem = (id: number, after: number, over: object = {}) => ({
    trace_id: hex(1, 32),
    span_id: hex(id, 16),
    name: 'step',
    start_timestamp: RECEIVED / 1e3 - 60 + after / 1e3,
    end_timestamp: RECEIVED / 1e3,
    ...over
  })
  const root = 9_999
  for (let part = 0; part < 6; part++) {
    const items = Array.from({ length: 1_000 }, (_, i) => part * 1_000 + i + 1)
    takeItems([
      [{ type: 'span' }, { items: items.map((id) => toItem(id, 6_001 - id, { parent_span_id: hex(root, 16) })) }]
    ])
  }
  takeItems([[{ type: 'span' }, { items: [toItem(root, 0, { is_segment: true })] }]])
  const { spans, omitted } = askTrace(store, { traceId: hex(1, 32) })()
  t.same([spans.length, omitted], [5_000, 1_001])
  t.match(spans[0], { spanId: hex(root, 16), isOrphan: false, children: 4_999 })
  t.equal(spans.at(-1)!.spanId, hex(1_002, 16), 'the latest ones are left out')
})

t.test('rows of hidden projects do not use up the limits of a trace or of an error code', async (t) => {
  const { store, takeItems } = createIngest(t)
  const traceId = hex(1, 32)
  const toSpans = (from: number, count: number): ItemLine => [
    { type: 'span' },
    {
      items: Array.from({ length: count }, (_, i) => ({
        trace_id: traceId,
        span_id: hex(from + i + 1, 16),
        name: 'step',
        start_timestamp: RECEIVED / 1e3 - 1,
        end_timestamp: RECEIVED / 1e3
      }))
    }
  ]
  const addBeside = (project: number, id: string) => {
    store.run(
      `INSERT INTO event (project, event_id, issue, key, at, received, level, environment, trace_id, digest)
        VALUES (?, ?, ?, 1, 1, 1, 'error', '', ?, 'ABC123')`,
      project,
      id,
      project,
      traceId
    )
    store.run(
      "INSERT INTO log (project, at, level, trace_id, body, attributes, environment, received) VALUES (?, 1, 'warn', ?, ?, '{}', '', 1)",
      project,
      traceId,
      id
    )
  }
  store.run("INSERT INTO project (id, name, key, created) VALUES (2, 'Other', 'other', 0)")
  for (const project of [1, 2])
    store.run(
      `INSERT INTO issue (id, project, type, value, culprit, level, side, first_seen, last_seen)
        VALUES (?1, ?1, 'TypeError', 'it', '', 'error', 'browser', 1, 1)`,
      project
    )
  addBeside(1, 'first')
  for (let i = 0; i < 200; i++) addBeside(2, `hidden-${i}`)
  addBeside(1, 'last')
  for (let part = 0; part < 6; part++) takeItems([toSpans(part * 1e3, 1_000)])
  store.run('UPDATE span SET project = 2')
  takeItems([toSpans(6_000, 1)])
  store.run("UPDATE event SET digest = 'OTHER1' WHERE event_id = 'last'")
  store.runFor({ role: 'none', projects: { 1: 'viewer' } }, () => {
    const trace = askTrace(store, { traceId })()
    t.same([trace.spans.length, trace.omitted], [1, 0])
    t.same(
      trace.errors.map(({ eventId }) => eventId),
      ['first', 'last']
    )
    t.same(
      trace.logs.map(({ body }) => body),
      ['first', 'last']
    )
    t.match(locate(store, { text: 'ABC123' }), { eventId: 'first' })
  })
})
