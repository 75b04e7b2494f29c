import t from 'tap'
import { refuseRows } from '../helpers/store.ts'
import { createEnvelope, createRawEvent, openWriter } from '../helpers/writer.ts'

const TRACE = 'a'.repeat(32)

/** Creates a page load with one request, as an older SDK sends it. */
function createTransaction(over: Record<string, unknown> = {}) {
  const now = Date.now() / 1_000
  return {
    type: 'transaction',
    transaction: '/cart',
    platform: 'javascript',
    start_timestamp: now - 1,
    timestamp: now,
    contexts: { trace: { trace_id: TRACE, span_id: 'b'.repeat(16), op: 'pageload' } },
    measurements: { lcp: { value: 1_200 }, inp: { value: 80 } },
    spans: [{ span_id: 'c'.repeat(16), op: 'http.client', start_timestamp: now - 0.5, timestamp: now }],
    ...over
  }
}

function sumOf({ store }: ReturnType<typeof openWriter>, sql: string): number | null {
  return store.get<{ sum: number | null }>(sql)!.sum
}

t.test('a transaction and a session that are sent twice in one batch are counted once', async (t) => {
  const opened = openWriter(t)
  const { writer, count } = opened
  const session = (status: string) => ({ sid: 'd'.repeat(32), status, started: new Date().toISOString() })
  writer.ingest([
    createEnvelope([
      ['transaction', createTransaction()],
      ['session', session('ok')]
    ]),
    createEnvelope([
      ['transaction', createTransaction({ measurements: { inp: { value: 200 } } })],
      ['session', session('crashed')]
    ])
  ])
  t.equal(count('span'), 2)
  t.equal(sumOf(opened, 'SELECT sum(requests) AS sum FROM latency_hour'), 1)
  t.equal(sumOf(opened, `SELECT value AS sum FROM vital WHERE name = 'INP'`), 200)
  t.equal(sumOf(opened, `SELECT sum(samples) AS sum FROM vital_hour WHERE vital = 'INP'`), 1)
  t.equal(sumOf(opened, `SELECT sum(quantity) AS sum FROM figure_hour WHERE name = 'sessions'`), 1)
  t.equal(sumOf(opened, `SELECT sum(quantity) AS sum FROM figure_hour WHERE name = 'sessions_crashed'`), 1)
})

t.test('values that a database cannot store do not keep other envelopes from being stored', async (t) => {
  const { writer, count } = openWriter(t)
  // Too long for a key of an index in PostgreSQL, because no character repeats.
  const path = Array.from({ length: 1_900 }, (_none, index) => String.fromCharCode(0x4e00 + index * 7)).join('')
  const long = createRawEvent({ request: { url: `https://shop.example/${path}` } })
  // Names that end in different surrogate pairs after they are cut; PostgreSQL stores no lone surrogates.
  const segments = ['\u{1F600}', '\u{1F916}'].map((last, index) => {
    const trace = { trace_id: `${index + 1}`.repeat(32), span_id: `${index + 1}`.repeat(16), op: 'pageload' }
    const transaction = `/${'a'.repeat(198)}${last}`
    return createTransaction({ transaction, transaction_info: { source: 'route' }, contexts: { trace }, spans: [] })
  })
  const outcomes = writer.ingest([
    createEnvelope([['event', long]]),
    createEnvelope(segments.map((segment) => ['transaction', segment])),
    createEnvelope([['event', createRawEvent()]])
  ])
  t.same(outcomes, ['stored', 'stored', 'stored'])
  t.ok(count('event') >= 1)
  t.equal(count('span'), 2)
})

t.test('only the item that cannot be written is dropped, with its counts', async (t) => {
  const opened = openWriter(t)
  const { writer, store, count } = opened
  refuseRows(t, store, 'span', 'name', '/refused')
  const other = { trace_id: 'e'.repeat(32), span_id: 'f'.repeat(16), op: 'pageload' }
  const outcomes = writer.ingest([
    createEnvelope([['log', { items: [{ body: 'before' }] }]]),
    createEnvelope([
      ['transaction', createTransaction({ transaction: '/refused' })],
      ['log', { items: [{ body: 'after' }] }]
    ]),
    createEnvelope([['transaction', createTransaction({ contexts: { trace: other } })]])
  ])
  t.same(outcomes, ['stored', 'stored', 'stored'])
  t.equal(count('log'), 2)
  t.equal(count('span'), 2)
  t.equal(sumOf(opened, 'SELECT sum(requests) AS sum FROM latency_hour'), 1)
  t.equal(sumOf(opened, `SELECT count(*) AS sum FROM known_name WHERE name = '/refused'`), 0)
  t.same(writer.stats.drops, [{ reason: 'invalid', category: 'transaction', quantity: 1 }])
  t.match(writer.stats.stored, { log: 2, transaction: 1 })
})

t.test('a batch that the disk refuses leaves nothing in the file or in memory', async (t) => {
  const opened = openWriter(t)
  const { writer, store, count } = opened
  const envelopes = [createEnvelope([['transaction', createTransaction()]])]
  const insertRows = store.insertRows.bind(store)
  store.insertRows = (into, rows, rest) => {
    if (into.includes('known_name')) throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
    insertRows(into, rows, rest)
  }
  t.throws(() => writer.ingest(envelopes, 'a'), /disk I\/O error/)
  t.equal(count('span'), 0)
  store.insertRows = insertRows
  t.same(writer.ingest(envelopes, 'a'), ['stored'])
  t.equal(count('span'), 2)
  t.equal(count('known_name'), 1)
  t.equal(sumOf(opened, 'SELECT sum(requests) AS sum FROM latency_hour'), 1)
})

t.test('events of one batch', async (t) => {
  t.test('are counted once if they are sent twice, with their issues and visitors', async (t) => {
    const opened = openWriter(t)
    const { writer, count, store } = opened
    const [first, other] = [createRawEvent({ user: { id: 'ada' } }), createRawEvent({ user: { id: 'ada' } })]
    const envelopes = [first, other, first].map((event) => createEnvelope([['event', event]]))
    const statements: string[] = []
    const run = store.run.bind(store)
    store.run = (sql, ...values) => {
      statements.push(sql)
      return run(sql, ...values)
    }
    writer.ingest(envelopes)
    writer.ingest(envelopes.slice(1))
    t.notOk(statements.includes('SAVEPOINT attempt'), 'no batch is stored item by item')
    t.equal(count('event'), 2)
    t.equal(count('event_payload'), 2)
    t.match(store.all('SELECT events, visitors FROM issue'), [{ events: 2, visitors: 1 }])
    t.match(store.all('SELECT events FROM issue_hour'), [{ events: 2 }])
    t.match(store.all(`SELECT events FROM issue_tag WHERE name = 'release'`), [{ events: 2 }])
    t.equal(sumOf(opened, `SELECT sum(quantity) AS sum FROM figure_hour WHERE name = 'visitor_days'`), 1)
    t.equal(count('activity'), 1)
  })

  t.test('in several hours count their visitor once a day', async (t) => {
    const now = Date.UTC(2026, 10, 21, 12)
    const opened = openWriter(t, { now: () => now })
    const at = (hours: number) => now / 1_000 - hours * 3_600
    opened.writer.ingest(
      [0, 1, 2, 0, 30].map((hours) =>
        createEnvelope([['event', createRawEvent({ timestamp: at(hours), user: { id: 'ada' } })]], { receivedAt: now })
      )
    )
    t.equal(sumOf(opened, `SELECT sum(quantity) AS sum FROM figure_hour WHERE name = 'visitors'`), 4)
    t.equal(sumOf(opened, `SELECT sum(quantity) AS sum FROM figure_hour WHERE name = 'visitor_days'`), 2)
  })

  t.test('are stored even if one of them cannot be written', async (t) => {
    const { writer, store, count } = openWriter(t)
    refuseRows(t, store, 'event', 'route', '/refused')
    const refused = createRawEvent({
      transaction: '/refused',
      release: '9.9.9',
      exception: { values: [{ type: 'A' }] }
    })
    const events = [createRawEvent(), refused, createRawEvent()]
    writer.ingest(events.map((event) => createEnvelope([['event', event]])))
    t.equal(count('event'), 2)
    t.match(store.all('SELECT type, events FROM issue'), [{ type: 'TypeError', events: 2 }])
    t.equal(store.get(`SELECT 1 FROM release WHERE version = '9.9.9'`), undefined)
    t.same(writer.stats.drops, [{ reason: 'invalid', category: 'error', quantity: 1 }])
    t.equal(writer.takeNews()!.issues.length, 1)
  })

  t.test('reopen an issue once, and later events are counted for the reopened issue', async (t) => {
    const { writer, store, send } = openWriter(t)
    store.run(`INSERT INTO alert_rule (project, channel, kind, created) VALUES (1, 1, 'regressed', 0)`)
    send(createRawEvent())
    store.run(`UPDATE issue SET state = 'resolved', resolved_release = (SELECT max(id) FROM release)`)
    writer.ingest(Array.from({ length: 3 }, () => createEnvelope([['event', createRawEvent({ release: '2.0.0' })]])))
    t.match(store.all('SELECT state, events FROM issue'), [{ state: 'regressed', events: 4 }])
    t.equal(store.all(`SELECT 1 FROM alert_fact WHERE kind = 'regressed'`).length, 1)
    t.match(store.all('SELECT events FROM issue_hour'), [{ events: 4 }])
  })
})
