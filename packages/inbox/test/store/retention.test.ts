import { statSync } from 'node:fs'
import t from 'tap'
import { removeSome } from '../../src/store/retention/events.ts'
import { createEnvelope, createEventId, createRawEvent, openWriter } from '../helpers/writer.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const MIB = 1024 ** 2

/** Creates an envelope with an event that is received at that time. */
const event = (receivedAt: number, over: Record<string, unknown> = {}) =>
  createEnvelope([['event', createRawEvent({ timestamp: receivedAt / 1_000, ...over })]], { receivedAt })

/** Returns text that cannot be compressed. */
const noise = (length: number) => Array.from({ length }, () => String.fromCharCode(33 + Math.random() * 90)).join('')

t.test('data older than the retention period', async (t) => {
  t.test('is deleted with everything that belongs to it, and younger data is kept', async (t) => {
    let now = NOW - 40 * DAY
    const { writer, store, count, tidy } = openWriter(t, { now: () => now, retentionDays: 30 })
    const old = (fingerprint: string) =>
      event(now, { fingerprint: [fingerprint], user: { id: fingerprint }, tags: { colour: fingerprint } })
    writer.ingest([...Array.from({ length: 1_200 }, () => old('gone')), old('both')])
    now = NOW
    writer.ingest([event(NOW - DAY, { fingerprint: ['both'], user: { id: 'new' }, tags: { colour: 'blue' } })])
    tidy()
    now += 120_000
    tidy()
    t.equal(count('event'), 1)
    t.equal(count('event_payload'), 1)
    t.match(store.all('SELECT id, events, visitors FROM issue'), [{ id: 2, events: 2, visitors: 2 }])
    for (const table of ['issue_key', 'issue_hour', 'issue_visitor', 'activity', 'visitor_hour'])
      t.equal(count(table), 1, table)
    t.same(
      store.all(`SELECT value FROM issue_tag WHERE name = 'colour'`).map(({ value }) => value),
      ['blue']
    )
    t.match(store.all(`SELECT sum(quantity) AS sum FROM figure_hour WHERE name = 'errors'`), [{ sum: 1 }])
    t.match(store.all(`SELECT rowid FROM issue_search WHERE issue_search MATCH ?`, '"cart"'), [{ rowid: 2 }])
    const { value } = store.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'retention'`)!
    t.match(JSON.parse(value), { behind: false })
  })

  t.test('is deleted even if a job fails, such as one of a newer Hull', async (t) => {
    let now = NOW - 40 * DAY
    const { writer, store, count } = openWriter(t, { now: () => now, retentionDays: 30 })
    writer.ingest([event(now)])
    store.run("INSERT INTO issue_chore (kind, issue) VALUES ('unheard-of', 1)")
    now = NOW
    for (let turn = 0; turn < 20; turn++) t.throws(() => writer.tidy(), 'the error is logged')
    t.equal(count('event'), 0)
  })

  t.test('is deleted: spans, logs, sessions, attachments, check-ins and all other items', async (t) => {
    let now = NOW - 40 * DAY
    const { writer, count, tidy } = openWriter(t, { now: () => now })
    const at = now / 1_000
    const hex = (length: number) => 'a'.repeat(length)
    const transaction = {
      event_id: hex(32),
      type: 'transaction',
      transaction: '/',
      platform: 'javascript',
      start_timestamp: at - 1,
      timestamp: at,
      contexts: { trace: { trace_id: hex(32), span_id: hex(16), op: 'pageload' } },
      measurements: { lcp: { value: 100 } }
    }
    writer.ingest([
      createEnvelope(
        [
          ['transaction', transaction],
          [
            'session',
            { sid: hex(32), init: true, started: new Date(now).toISOString(), status: 'ok', attrs: { release: '1' } }
          ],
          ['log', { items: [{ timestamp: at, level: 'info', body: 'line' }] }],
          ['attachment', Buffer.from('x')],
          ['check_in', { check_in_id: hex(32), monitor_slug: 'm', status: 'ok' }],
          ['unheard_of', { a: 1 }]
        ],
        { receivedAt: now, eventId: hex(32) }
      )
    ])
    const tables = ['span', 'log', 'session', 'attachment', 'check_in', 'raw_item']
    for (const table of tables) t.equal(count(table), 1, `${table} has a row`)
    now = NOW
    tidy()
    now += 120_000
    tidy()
    for (const table of [...tables, 'vital', 'latency_hour', 'latency_total', 'vital_hour', 'known_name'])
      t.equal(count(table), 0, table)
  })

  t.test('writes each hour that there was nothing to delete', async (t) => {
    let now = NOW
    const { store, tidy } = openWriter(t, { now: () => now })
    const lastRun = () =>
      JSON.parse(store.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'retention'`)!.value)
    tidy()
    t.match(lastRun(), { at: NOW, rows: 0, behind: false })
    now += HOUR
    tidy()
    t.match(lastRun(), { at: NOW + HOUR })
  })

  t.test('keeps the monitor of a job that runs less often than data is kept', async (t) => {
    let now = NOW - 40 * DAY
    const { writer, store, count, tidy } = openWriter(t, { now: () => now })
    const schedule = { type: 'interval', value: 2, unit: 'month' }
    for (const [slug, over] of Object.entries({ rare: { monitor_config: { schedule } }, 'without a plan': {} })) {
      const checkIn = { check_in_id: createEventId(), monitor_slug: slug, status: 'ok', ...over }
      writer.ingest([createEnvelope([['check_in', checkIn]], { receivedAt: now })])
    }
    tidy()
    t.equal(count('monitor'), 2)
    now = NOW
    for (let times = 0; times < 2; times++) {
      tidy()
      now += 120_000
    }
    t.same(store.all('SELECT slug FROM monitor'), [{ slug: 'rare' }])
  })

  t.test('is deleted with the issues that were merged into an issue', async (t) => {
    let now = NOW - 60 * DAY
    const { writer, store, tidy } = openWriter(t, { now: () => now })
    writer.ingest(['one', 'two'].map((name) => event(now, { fingerprint: [name] })))
    writer.change('mergeIssues', { issues: [{ id: 2 }], into: 1, who: 1 })
    t.ok(store.all('SELECT * FROM activity').length > 0)
    now = NOW
    tidy()
    now += 120_000
    tidy()
    for (const table of ['issue', 'issue_key', 'activity']) t.same(store.all(`SELECT * FROM ${table}`), [], table)
  })

  t.test('keeps resolved and ignored issues for another year', async (t) => {
    let now = NOW - 60 * DAY
    const { writer, store, tidy } = openWriter(t, { now: () => now })
    const states = ['unresolved', 'resolved', 'ignored', 'regressed']
    writer.ingest(states.map((state) => event(now, { fingerprint: [state] })))
    for (const [index, state] of states.entries())
      store.run('UPDATE issue SET state = ? WHERE id = ?', state, index + 1)
    const left = () => store.all('SELECT state FROM issue ORDER BY id').map(({ state }) => state)
    const pass = (to: number) => {
      now = to
      tidy()
      now += 120_000
      tidy()
    }
    pass(NOW)
    t.same(left(), ['resolved', 'ignored'])
    writer.ingest([event(now, { fingerprint: ['ignored'] })])
    t.match(
      store.get('SELECT id, events FROM issue WHERE state = ?', 'ignored'),
      { id: 3, events: 2 },
      'it is still the same issue'
    )
    pass(NOW + 340 * DAY)
    t.same(left(), ['ignored'])
  })
})

t.test('above the limit of a project, bodies of the oldest attachments are deleted, not their names', async (t) => {
  let now = NOW
  const attachments = { maxBytes: 1_000, perEvent: 10, perProject: 3_000 }
  const { writer, store, tidy } = openWriter(t, { now: () => now, attachments })
  const send = (number: number) =>
    createEnvelope([['attachment', Buffer.alloc(1_000)]], {
      receivedAt: NOW + number,
      eventId: number.toString(16).padStart(32, '0')
    })
  writer.ingest(Array.from({ length: 60 }, (_, i) => send(i + 1)))
  tidy()
  const kept = () =>
    store
      .all<{ received: number }>('SELECT received FROM attachment WHERE body IS NOT NULL')
      .map(({ received }) => received)
  t.same(kept(), [NOW + 58, NOW + 59, NOW + 60])
  t.match(store.get('SELECT count(*) AS names, sum(size) AS bytes FROM attachment'), { names: 60, bytes: 60_000 })
  t.match(store.get("SELECT quantity FROM drop_hour WHERE reason = 'attachments_full'"), { quantity: 57 })
  writer.ingest([send(61)])
  tidy()
  t.equal(kept().length, 4, 'attachments are checked once a minute')
  now += 61_000
  tidy()
  t.same(kept(), [NOW + 59, NOW + 60, NOW + 61])
})

t.test('a full store', async (t) => {
  t.test('deletes the oldest data, keeps exact counts, and keeps the file within the limit', async (t) => {
    let now = NOW
    const maxBytes = 6 * MIB
    const { writer, store, file, count, tidy } = openWriter(t, { maxBytes, now: () => now })
    let sent = 0
    for (let batch = 0; batch < 100; batch++) {
      now += 1_000
      const envelopes = Array.from({ length: 20 }, () =>
        event(now, { fingerprint: [`${sent++ % 97}`], extra: { noise: noise(4_000) } })
      )
      t.same(new Set(writer.ingest(envelopes)), new Set(['stored']))
      for (let step = 0; step < 3; step++) writer.tidy()
    }
    t.ok(statSync(file).size <= maxBytes, 'never larger than the limit')
    t.ok(count('event') < sent && count('event') > 300, `${count('event')} of ${sent} are left`)
    t.match(store.get('SELECT max(at) AS at FROM event'), { at: now }, 'the newest event is stored')
    t.match(store.get('SELECT sum(events) AS sum FROM issue'), { sum: sent })
    t.match(store.get(`SELECT sum(quantity) AS sum FROM figure_hour WHERE name = 'errors'`), { sum: sent })
    tidy()
    t.ok(writer.stats.bytes < maxBytes * 0.9)
  })

  t.test('deletes old sessions and web vitals before the errors that came later', async (t) => {
    for (const table of ['session', 'vital'] as const) {
      let now = NOW
      const { writer, store, count } = openWriter(t, { maxBytes: 4 * MIB, now: () => now })
      const pages = () => store.get<{ page_count: number }>('PRAGMA page_count')!.page_count
      const { page_size: size } = store.get<{ page_size: number }>('PRAGMA page_size')!
      while (pages() * size < 3.5 * MIB)
        store.run(
          table === 'session'
            ? `INSERT INTO session (project, sid, started, status, errors, environment)
               SELECT 1, lower(hex(randomblob(16))), ?, 'exited', 0, 'production' FROM json_each(?)`
            : `INSERT INTO vital (trace_id, name, value, at, page, received)
               SELECT lower(hex(randomblob(16))), 'LCP', 1, ?1, '/', ?1 FROM json_each(?2)`,
          NOW,
          JSON.stringify(Array.from({ length: 500 }, () => 0))
        )
      const before = count(table)
      now += HOUR
      let sent = 0
      while (count(table) === before && sent < 2_000) {
        writer.ingest(Array.from({ length: 20 }, () => event(now, { fingerprint: [`${sent++ % 9}`] })))
        writer.tidy()
      }
      t.ok(count(table) < before, `${count(table)} of ${before}`)
      t.equal(count('event'), sent)
    }
  })

  t.test('deletes data immediately when the retention is too slow', async (t) => {
    let now = NOW
    const { writer, store, count } = openWriter(t, { maxBytes: 4 * MIB, now: () => now })
    let sent = 0
    for (let batch = 0; batch < 60; batch++) {
      now += 1_000
      writer.ingest(
        Array.from({ length: 20 }, () => event(now, { fingerprint: [`${sent++ % 9}`], extra: { noise: noise(4_000) } }))
      )
    }
    t.ok(count('event') < sent)
    t.match(store.get('SELECT max(at) AS at FROM event'), { at: now })
    t.match(store.get('PRAGMA quick_check'), { quick_check: 'ok' })
    const { value } = store.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'retention'`)!
    t.match(JSON.parse(value), { behind: true })
  })

  t.test('deletes the oldest issues if each event is a new issue, and stores the received events', async (t) => {
    let now = NOW
    const maxBytes = 4 * MIB
    const { writer, store, count } = openWriter(t, { maxBytes, now: () => now })
    const tags = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`tag${index}`, noise(150)]))
    writer.ingest([event(now, { fingerprint: ['kept'] })])
    store.run("UPDATE issue SET state = 'resolved'")
    const sent = 1_500
    for (let index = 0; index < sent; index += 20) {
      now += 1_000
      const envelopes = Array.from({ length: 20 }, (_, at) => event(now, { fingerprint: [`${index + at}`], tags }))
      t.same(new Set(writer.ingest(envelopes)), new Set(['stored']))
      for (let step = 0; step < 3; step++) writer.tidy()
    }
    t.ok(count('issue') < sent / 2, `${count('issue')} of ${sent} are left`)
    t.ok(count('event') > 50, `${count('event')} events`)
    t.match(store.get("SELECT count(*) AS resolved FROM issue WHERE state = 'resolved'"), { resolved: 1 })
    t.match(store.get('SELECT max(last_seen) AS at FROM issue'), { at: now })
  })

  t.test('deletes an issue with many visitors at once, and its visitors in chunks', async (t) => {
    const { writer, store, count } = openWriter(t, { maxBytes: 4 * MIB, now: () => NOW })
    writer.ingest([event(NOW - HOUR, { fingerprint: ['old'] }), event(NOW, { fingerprint: ['kept'] })])
    store.run('DELETE FROM event WHERE issue = 1')
    const visitors = Array.from({ length: 12_000 }, (_, index) => [`v${index}`, 1, NOW - HOUR])
    store.transaction(() => store.insertRows('INSERT INTO issue_visitor (visitor, issue, last_seen)', visitors))
    t.equal(
      store.transaction(() => removeSome(store)),
      1
    )
    t.same(store.all('SELECT id FROM issue'), [{ id: 2 }])
    t.ok(count('issue_visitor') > 5_000, `${count('issue_visitor')} visitors are left`)
    while (writer.tidy());
    for (const table of ['issue_visitor', 'issue_chore']) t.equal(count(table), 0, table)
    t.same(store.all('SELECT issue FROM issue_hour'), [{ issue: 2 }])
  })

  t.test('stores events, check-ins and feedback without the details of events if nothing can be deleted', async (t) => {
    const { writer, store, count } = openWriter(t, { maxBytes: 4 * MIB, now: () => NOW })
    store.run('CREATE TABLE filler (body BLOB)')
    t.throws(() => {
      for (;;) store.run('INSERT INTO filler VALUES (?)', new Uint8Array(8_000))
    }, /full/)
    store.run('DELETE FROM filler WHERE rowid <= 8')
    const large = { extra: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`e${index}`, noise(4_000)])) }
    const checkIn = createEnvelope(
      [
        ['check_in', { check_in_id: createEventId(), monitor_slug: 'nightly', status: 'ok' }],
        ['feedback', { event_id: createEventId(), contexts: { feedback: { message: 'It hangs' } } }]
      ],
      { receivedAt: NOW }
    )
    t.same(writer.ingest([event(NOW, large), checkIn]), ['stored', 'stored'])
    t.equal(count('event'), 1)
    t.equal(count('event_payload'), 0)
    t.same([count('check_in'), count('feedback')], [1, 1], 'check-ins are stored, so that no monitor is late')
    t.match(store.all(`SELECT reason, quantity FROM drop_hour`), [{ reason: 'full', quantity: 1 }])

    writer.takeNews()
    const many = Array.from({ length: 500 }, (_, index) => event(NOW, { fingerprint: [`${index}`] }))
    t.throws(() => writer.ingest(many), /full/, 'a batch that still does not fit is refused, and the spool keeps it')
    t.equal(count('issue'), 0, 'the refused issues were rolled back')
    t.equal(writer.takeNews(), undefined, 'refused issues are not announced')
    store.run('DROP TABLE filler')
    writer.ingest([event(NOW)])
    t.equal(count('event_payload'), 1, 'events have details again when there is space')
  })
})

t.test('a file whose limit was lowered shrinks to the new limit', async (t) => {
  const { writer, file, store } = openWriter(t, { maxBytes: 64 * MIB, now: () => NOW })
  for (let batch = 0; batch < 20; batch++)
    writer.ingest(
      Array.from({ length: 50 }, (_, index) =>
        event(NOW, { fingerprint: [`${batch} ${index % 25}`], extra: { noise: noise(4_000) } })
      )
    )
  store.run('PRAGMA wal_checkpoint(TRUNCATE)')
  const before = statSync(file).size
  const smaller = openWriter(t, { file, maxBytes: 2 * MIB, now: () => NOW })
  smaller.tidy()
  smaller.store.run('PRAGMA wal_checkpoint(TRUNCATE)')
  t.ok(before > 4 * MIB, `${before} before`)
  t.ok(statSync(file).size <= 2 * MIB, `${statSync(file).size} of ${before}`)
  t.match(smaller.store.get('PRAGMA max_page_count'), { max_page_count: 256 })
})
