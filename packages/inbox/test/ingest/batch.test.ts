import t from 'tap'
import { createEnvelope, openWriter } from '../helpers/writer.ts'

const TRACE = 'a'.repeat(32)

/** A page load with one request, as an older SDK sends it. */
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

t.test('what comes twice in one batch counts once', async (t) => {
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

t.test('an item that cannot be written is dropped alone, and what it counted too', async (t) => {
  const opened = openWriter(t)
  const { writer, store, count } = opened
  store.db.exec(`CREATE TRIGGER refuse BEFORE INSERT ON span WHEN new.name = '/refused' BEGIN
    SELECT raise(ABORT, 'refused'); END`)
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

t.test('a batch that the disk refuses leaves nothing behind, in the file or in memory', async (t) => {
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
