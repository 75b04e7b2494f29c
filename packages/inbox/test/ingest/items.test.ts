import t from 'tap'
import { createIngest, RECEIVED } from '../helpers/ingest.ts'

const EVENT = '1'.repeat(32)

t.test('feedback is stored with the event that it is about', async (t) => {
  const { takeFixture, takeItems, all } = createIngest(t)
  takeFixture('node-stream-09-feedback')
  takeFixture('browser-stream-05-feedback')
  takeItems([
    [{ type: 'user_report' }, { event_id: EVENT, name: 'Ada', email: 'ada@example.org', comments: 'It broke' }]
  ])
  takeItems([[{ type: 'user_report' }, { event_id: EVENT, comments: 'Again' }]])
  t.match(all('SELECT about, name, email, message, url FROM feedback ORDER BY id'), [
    { about: null, name: 'n', email: 'e@example.org', message: 'feedback text' },
    { about: null, name: null, email: 'a@example.org', message: 'hi', url: 'http://127.0.0.1:9921/' },
    { about: EVENT, name: 'Ada', email: 'ada@example.org', message: 'It broke' }
  ])
})

t.test('log lines have a level by the names of any logger, or by the number of OpenTelemetry', async (t) => {
  const { takeItems, all } = createIngest(t)
  const lines = [
    { level: 'critical' },
    { level: 'emergency' },
    { severity_text: 'ERROR2' },
    { severityText: 'Warning' },
    { level: 'notice' },
    { severityText: 'SEVERE', severityNumber: 17 },
    { severity_number: 21 },
    { severityNumber: 99 },
    {}
  ]
  takeItems([
    [{ type: 'log' }, { items: lines.map((line) => ({ ...line, timestamp: RECEIVED / 1_000, body: 'line' })) }]
  ])
  const levels = ['fatal', 'fatal', 'error', 'warn', 'info', 'error', 'fatal', 'info', 'info']
  t.same(
    all('SELECT level FROM log ORDER BY id').map(({ level }) => level),
    levels
  )
})

t.test('feedback without a name or a mail address has those of the user', async (t) => {
  const { takeItems, all } = createIngest(t)
  const user = { id: '7', username: 'ada', email: 'ada@shop.example' }
  const send = (id: string, feedback: object, over: object = {}) =>
    takeItems([[{ type: 'feedback' }, { event_id: id.repeat(32), contexts: { feedback }, user, ...over }]])
  send('1', { message: 'It broke', name: '' })
  send('2', { message: 'Again', name: 'A. L.', contact_email: 'me@home.example' })
  send('3', { message: 'Hello' }, { user: { id: '7', name: 'Ada' } })
  t.same(all('SELECT name, email FROM feedback ORDER BY id'), [
    { name: 'ada', email: 'ada@shop.example' },
    { name: 'A. L.', email: 'me@home.example' },
    { name: 'Ada', email: null }
  ])
})

t.test('all items of a release whose version is too long have the same release', async (t) => {
  const { takeItems, all } = createIngest(t)
  const release = `shop@${'1'.repeat(300)}`
  const times = { start_timestamp: RECEIVED / 1_000 - 1, timestamp: RECEIVED / 1_000 }
  const trace = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) }
  takeItems([[{ type: 'event' }, { event_id: EVENT, message: 'It broke', release }]])
  takeItems([[{ type: 'session' }, { sid: 's', init: true, status: 'ok', attrs: { release, environment: 'test' } }]])
  takeItems([[{ type: 'transaction' }, { transaction: '/', release, contexts: { trace }, spans: [], ...times }]])
  takeItems([[{ type: 'span' }, { ...trace, ...times, description: '/', is_segment: true, data: { release } }]])
  t.match(all('SELECT version FROM release'), [{ version: release.slice(0, 250) }])
})

t.test('an invalid time is replaced with the time of receipt', async (t) => {
  const { takeItems, all } = createIngest(t)
  for (const timestamp of [1e308, -1e308, 1e15, '+999999-01-01']) {
    takeItems([[{ type: 'log' }, { items: [{ timestamp, level: 'info', body: 'line' }] }]])
    takeItems([[{ type: 'otel_log' }, { timeUnixNano: '9'.repeat(300), body: { stringValue: 'line' } }]])
    const feedback = { event_id: `${Math.random()}`.slice(2).padEnd(32, '1').slice(0, 32), timestamp }
    takeItems([[{ type: 'feedback' }, { ...feedback, contexts: { feedback: { message: 'Hello' } } }]])
  }
  t.same(all('SELECT DISTINCT at FROM log'), [{ at: RECEIVED }])
  t.same(all('SELECT DISTINCT at FROM feedback'), [{ at: RECEIVED }])
  t.match(all('SELECT (SELECT count(*) FROM log) AS lines, count(*) AS feedback FROM feedback'), [
    { lines: 8, feedback: 4 }
  ])
})

t.test('a check-in and its result are one row', async (t) => {
  const { takeFixture, takeItems, all } = createIngest(t)
  takeFixture('node-stream-02-check_in')
  const id = '4dcd70e2d0dc4652a06d691bae8384bf'
  takeItems([[{ type: 'check_in' }, { check_in_id: id, monitor_slug: 'job', status: 'ok', duration: 4.2 }]])
  takeFixture('node-stream-02-check_in')
  t.match(all('SELECT monitor, status, duration, environment FROM check_in'), [
    { monitor: 'job', status: 'ok', duration: 4.2, environment: 'test' }
  ])
  t.match(all('SELECT slug, every, unit FROM monitor'), [{ slug: 'job', every: 5, unit: 'minute' }])
})

t.test('stores log lines of any SDK', async (t) => {
  const { takeFixture, takeItems, all } = createIngest(t)
  takeFixture('browser-stream-10-log')
  takeFixture('node-stream-07-log')
  const line = {
    timeUnixNano: `${RECEIVED - 1e3}000000`,
    severityText: 'ERROR',
    traceId: 'ab'.repeat(16),
    body: { stringValue: 'from elsewhere\0' }
  }
  takeItems([[{ type: 'otel_log' }, line]])
  t.match(all('SELECT level, trace_id, body, at FROM log ORDER BY id'), [
    { level: 'warn', trace_id: '375357609f074436aa4f8cb527921d1d', body: 'browser log' },
    { level: 'info', body: 'log line %d' },
    { level: 'error', trace_id: 'ab'.repeat(16), body: 'from elsewhere', at: RECEIVED - 1_000 }
  ])
})

t.test('an envelope has a limited number of log lines', async (t) => {
  const { takeItems, all, drops } = createIngest(t)
  const items = Array.from({ length: 1_001 }, () => ({ body: 'line' }))
  takeItems(Array.from({ length: 11 }, () => [{ type: 'log' }, { items }]))
  t.match(all('SELECT count(*) AS lines FROM log'), [{ lines: 10_000 }])
  t.same(drops(), ['too_many_lines log_item 1011'])
})

t.test('drops an item of JSON that would need too much memory, and stores the others', async (t) => {
  const { takeItems, all, drops } = createIngest(t)
  const pad = (json: string, length: number) => Buffer.from(json.slice(0, -1).padEnd(length - 1) + json.at(-1))
  const most = 8 * 1024 ** 2
  for (const type of ['otel_log', 'span', 'sessions', 'client_report', 'check_in'])
    takeItems([[{ type }, pad('{"body":"long"}', most + 1)]])
  takeItems(
    [
      [{ type: 'log', item_count: 3 }, pad('{"items":[{"body":"long"}]}', most + 1)],
      [{ type: 'log' }, pad('{"items":[{"body":"line"}]}', most)],
      [{ type: 'attachment', filename: 'long.txt' }, pad('{}', most + 1)],
      [{ type: 'unknown' }, pad('{}', most + 1)]
    ],
    { eventId: EVENT }
  )
  t.match(all('SELECT body FROM log'), [{ body: 'line' }])
  t.match(all('SELECT filename FROM attachment'), [{ filename: 'long.txt' }])
  t.match(all('SELECT type FROM raw_item'), [{ type: 'unknown' }])
  t.same(drops(), [
    'too_long default 1',
    'too_long span 1',
    'too_long session 1',
    'too_long internal 1',
    'too_long monitor 1',
    'too_long log_item 3',
    'too_large attachment 1'
  ])
})

t.test('counts items that clients dropped, by reason', async (t) => {
  const { takeFixture, takeItems, all } = createIngest(t)
  takeFixture('node-stream-03-client_report')
  const discarded = [
    { reason: 'queue_overflow', category: 'error', quantity: 2 },
    { reason: 'queue_overflow', category: 'error', quantity: '3' },
    { reason: '<script>', category: 'error', quantity: 1 },
    { reason: 'none', category: 'error', quantity: -4 },
    null
  ]
  takeItems([[{ type: 'client_report' }, { timestamp: 1, discarded_events: discarded }]])
  t.match(all('SELECT origin, reason, category, quantity FROM drop_hour ORDER BY reason'), [
    { origin: 'client', reason: 'no_parent_span', category: 'span', quantity: 3 },
    { origin: 'client', reason: 'queue_overflow', category: 'error', quantity: 5 }
  ])
})

t.test('different unknown reasons of drops are counted together, and read with one query', async (t) => {
  const { takeItems, all, store } = createIngest(t)
  let reads = 0
  for (const name of ['all', 'get'] as const) {
    const read = store[name].bind(store)
    store[name] = ((sql: string, ...values: number[]) => {
      if (sql.includes('FROM known_name')) reads++
      return read(sql, ...values)
    }) as never
  }
  const report = (first: number) => ({
    discarded_events: Array.from({ length: 100 }, (_, i) => ({
      reason: `r${first + i}`,
      category: 'error',
      quantity: 1
    }))
  })
  takeItems([0, 100, 200, 300].map((first) => [{ type: 'client_report' }, report(first)]))
  t.match(all("SELECT quantity FROM drop_hour WHERE reason = '(others)'"), [{ quantity: 200 }])
  t.match(all('SELECT count(*) AS reasons FROM drop_hour'), [{ reasons: 201 }])
  t.equal(reads, 1)
})

t.test('attachments are limited in size and number', async (t) => {
  const { takeFixture, takeItems, all, drops } = createIngest(t)
  takeFixture('node-stream-11-event+attachment')
  const [kept] = all('SELECT filename, content_type, size, body FROM attachment')
  t.match(kept, { filename: 'a.bin', content_type: 'application/octet-stream', size: 5 })
  t.same(kept!['body'], new Uint8Array([0, 10, 13, 255, 123]))

  const small = Buffer.from('x')
  const files = Array.from(
    { length: 12 },
    (_, i) => [{ type: 'attachment', filename: `${i}.txt` }, i === 0 ? Buffer.alloc(2 ** 20 + 1) : small] as const
  )
  takeItems(files, { eventId: EVENT })
  const rows = all('SELECT filename, size, body IS NULL AS cut FROM attachment WHERE event_id = ? ORDER BY id', EVENT)
  t.equal(rows.length, 10)
  t.match(rows[0], { filename: '0.txt', size: 2 ** 20 + 1, cut: 1 })
  t.match(rows[1], { filename: '1.txt', size: 1, cut: 0 })
  t.same(drops(), ['too_large attachment 1', 'too_many_attachments attachment 2'])

  takeItems([[{ type: 'attachment', filename: 'of nothing' }, small]])
  t.ok(drops().includes('invalid attachment 1'))
})

t.test('settings limit the attachments', async (t) => {
  const { takeItems, all, drops } = createIngest(t, { attachments: { maxBytes: 4, perEvent: 2, perProject: 100 } })
  const items = ['1234', '12345', '1'].map(
    (text, i) => [{ type: 'attachment', filename: `${i}` }, Buffer.from(text)] as const
  )
  takeItems(items, { eventId: EVENT })
  t.match(all('SELECT filename, body IS NULL AS cut FROM attachment ORDER BY id'), [
    { filename: '0', cut: 0 },
    { filename: '1', cut: 1 }
  ])
  t.same(drops(), ['too_large attachment 1', 'too_many_attachments attachment 1'])
})

t.test('attachments with the same name are all stored, each once', async (t) => {
  const { takeItems, all } = createIngest(t)
  const files = [
    [{ type: 'attachment', filename: 'screen.png' }, Buffer.from('one')],
    [{ type: 'attachment', filename: 'screen.png' }, Buffer.from('two')],
    [{ type: 'attachment' }, Buffer.from('one')],
    [{ type: 'attachment' }, Buffer.from('two')],
    [{ type: 'attachment', filename: 'logs/a.tar.gz' }, Buffer.from('one')],
    [{ type: 'attachment', filename: 'logs/a.tar.gz' }, Buffer.alloc(2 ** 20 + 1)]
  ] as const
  takeItems(files, { eventId: EVENT })
  takeItems(files, { eventId: EVENT })
  const names = all('SELECT filename FROM attachment ORDER BY id').map(({ filename }) => filename)
  t.same(names, ['screen.png', 'screen (2).png', 'unnamed', 'unnamed (2)', 'logs/a.tar.gz', 'logs/a.tar (2).gz'])
})

t.test('replays, profiles and metrics are counted but not stored, because no page shows them', async (t) => {
  const { takeItems, takeFixture, all, drops } = createIngest(t)
  takeFixture('browser-stream-12-replay_event+replay_recording')
  takeFixture('browser-stream-11-trace_metric')
  takeItems([
    [{ type: 'profile' }, {}],
    [{ type: 'profile_chunk' }, {}],
    [{ type: 'statsd' }, Buffer.from('requests@none:1|c')]
  ])
  t.same(all('SELECT type FROM raw_item'), [])
  t.same(drops().sort(), [
    'unsupported metric_bucket 1',
    'unsupported profile 2',
    'unsupported replay 2',
    'unsupported trace_metric 1'
  ])
})

t.test('an item of an unknown type is stored unchanged, up to a size limit', async (t) => {
  const { takeItems, all } = createIngest(t)
  takeItems([
    [{ type: 'ui_state' }, Buffer.from('requests@none:1|c')],
    [{ type: 'constructor' }, Buffer.from('{}')],
    [{ type: 'heap_dump' }, Buffer.alloc(64 * 1024 + 1)]
  ])
  t.match(all('SELECT type, size, body IS NULL AS cut FROM raw_item ORDER BY id'), [
    { type: 'ui_state', size: 17, cut: 0 },
    { type: 'constructor', size: 2, cut: 0 },
    { type: 'heap_dump', size: 65_537, cut: 1 }
  ])
})
