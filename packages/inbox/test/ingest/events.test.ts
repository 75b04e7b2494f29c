import t from 'tap'
import { DAY, HOUR } from '@hull/common/time.ts'
import { InboxWriter } from '../../src/store/writer.ts'
import { createEnvelope, createRawEvent, createRawException, openWriter } from '../helpers/writer.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const at = (ms: number) => ({ timestamp: ms / 1_000 })

t.test('an event', async (t) => {
  t.test('creates an issue with its search text, its key and its first activity', async (t) => {
    const { send, store, detailOf, writer } = openWriter(t)
    const event = createRawEvent()
    t.same(send(event), ['stored'])
    t.match(store.all('SELECT * FROM issue'), [
      {
        project: 1,
        type: 'TypeError',
        value: 'cart is undefined',
        culprit: 'https://shop.example/app.js:submit',
        level: 'error',
        side: 'browser',
        state: 'unresolved',
        events: 1,
        version: 1
      }
    ])
    t.match(store.all('SELECT issue, algorithm, why FROM issue_key'), [{ issue: 1, why: /"by":"message"/ }])
    t.match(store.all('SELECT issue, kind, who FROM activity'), [{ issue: 1, kind: 'created', who: null }])
    t.match(detailOf(event.event_id), {
      url: 'https://shop.example/items/7',
      route: '/items/[id]',
      browser: 'Chrome 140',
      os: 'Linux'
    })
    t.match(store.all(`SELECT rowid FROM issue_search WHERE issue_search MATCH ?`, '"cart"'), [{ rowid: 1 }])
    t.same(writer.takeNews(), { issues: [1] })
    t.equal(writer.takeNews(), undefined)
  })

  t.test('changes nothing when it is received again', async (t) => {
    const { send, store, count } = openWriter(t)
    const event = createRawEvent({ user: { id: '7' } })
    send(event)
    const before = ['issue', 'event', 'issue_hour', 'issue_tag', 'figure_hour'].map((table) =>
      store.all(`SELECT * FROM ${table}`)
    )
    t.same(send(event), ['stored'])
    send({ ...event, event_id: event.event_id.toUpperCase() })
    t.same(
      ['issue', 'event', 'issue_hour', 'issue_tag', 'figure_hour'].map((table) => store.all(`SELECT * FROM ${table}`)),
      before
    )
    t.equal(count('event_payload'), 1)
  })

  t.test('is counted for its issue and its project, by hour', async (t) => {
    const { send, store } = openWriter(t, { now: () => NOW })
    const receivedAt = NOW
    send(createRawEvent(at(NOW - 3 * HOUR)), { receivedAt })
    send(createRawEvent(at(NOW - 1_000)), { receivedAt })
    send(createRawEvent(at(NOW)), { receivedAt })
    send(createRawEvent({ ...at(NOW), level: 'info' }), { receivedAt })
    const hour = NOW / HOUR
    t.same(
      store.all('SELECT hour, events FROM issue_hour').map((row) => ({ ...row })),
      [
        { hour: hour - 3, events: 1 },
        { hour: hour - 1, events: 1 },
        { hour, events: 2 }
      ]
    )
    t.match(store.get('SELECT first_seen, last_seen, events FROM issue'), {
      first_seen: NOW - 3 * HOUR,
      last_seen: NOW,
      events: 4
    })
    t.same(
      store.all(`SELECT hour, quantity FROM figure_hour WHERE name = 'errors'`).map((row) => ({ ...row })),
      [
        { hour: hour - 3, quantity: 1 },
        { hour: hour - 1, quantity: 1 },
        { hour, quantity: 1 }
      ],
      'a message is no error'
    )
  })

  t.test('of an unknown project is refused, and the others of the batch are stored', async (t) => {
    const { writer, count } = openWriter(t)
    const envelopes = [
      createEnvelope([['event', createRawEvent()]]),
      createEnvelope([['event', createRawEvent()]], { project: 9 }),
      createEnvelope([['event', createRawEvent()]], { dsn: 'nonsense' })
    ]
    t.same(writer.ingest(envelopes), ['stored', 'refused', 'refused'])
    t.equal(count('event'), 1)
  })

  t.test('that cannot be parsed is dropped and counted, and the rest of its envelope is stored', async (t) => {
    const { writer, store, count } = openWriter(t)
    const good = createRawEvent()
    writer.ingest([
      createEnvelope([
        ['event', Buffer.from('{"exception":')],
        ['event', []],
        ['event', Buffer.from('[1,2]')],
        ['event', good]
      ])
    ])
    t.equal(count('event'), 1)
    t.match(store.all('SELECT origin, reason, category, quantity FROM drop_hour'), [
      { origin: 'inbox', reason: 'invalid', category: 'error', quantity: 3 }
    ])
    t.match(writer.stats, { stored: { event: 1 }, drops: [{ reason: 'invalid', category: 'error', quantity: 3 }] })
  })

  t.test('belongs to the same issue whatever its message and lines', async (t) => {
    const { send, store } = openWriter(t)
    for (const line of [1, 2, 3]) {
      const frames = [{ filename: '/srv/shop/cart.ts', function: 'submit', lineno: line, in_app: true }]
      send(
        createRawEvent({
          platform: 'node',
          exception: { values: [createRawException({ value: `order ${line} failed`, stacktrace: { frames } })] }
        })
      )
    }
    t.match(
      store.all('SELECT value, events FROM issue'),
      [{ value: 'order 3 failed', events: 3 }],
      'named after the newest event'
    )
  })

  t.test('without an exception names the issue after its message', async (t) => {
    const { send, store } = openWriter(t)
    send(createRawEvent({ exception: undefined, message: 'took 3 s', level: 'warning' }))
    send(createRawEvent({ exception: undefined, logentry: { formatted: 'took 4 s' }, level: 'warning' }))
    t.match(store.all('SELECT type, value, culprit, level, events FROM issue'), [
      { type: 'took 4 s', value: '', culprit: '/items/[id]', level: 'warning', events: 2 }
    ])
  })
})

t.test('search', async (t) => {
  t.test('finds an issue by its current message', async (t) => {
    const { send, store } = openWriter(t)
    const find = (words: string) =>
      store.all(`SELECT rowid AS id FROM issue_search WHERE issue_search MATCH ?`, `"${words}"`).map(({ id }) => id)
    const event = (value: string, ms: number) =>
      createRawEvent({
        fingerprint: ['one'],
        ...at(Date.now() + ms),
        exception: { values: [createRawException({ value })] }
      })
    send(event('the basket is empty', -3_000))
    send(event('the cart is empty', -2_000))
    t.same(find('cart'), [1])
    t.same(find('basket'), [])
    send(event('an older one about socks', -10_000))
    t.same(find('socks'), [], 'an event that arrives late does not rename the issue')
    t.same(find('submit'), [1], 'by its function')
  })
})

t.test('releases', async (t) => {
  t.test('are listed in the order of their first events, after the running one', async (t) => {
    const { send, store } = openWriter(t, { release: '2.0.0' })
    for (const release of ['1.0.0', '3.0.0', '1.0.0']) send(createRawEvent({ release }))
    t.same(
      store.all('SELECT version FROM release ORDER BY id').map(({ version }) => version),
      ['2.0.0', '1.0.0', '3.0.0']
    )
    t.match(store.get('SELECT first_release, last_release FROM issue'), { first_release: 2, last_release: 3 })
    t.same(
      store.all('SELECT new_issues FROM release ORDER BY id').map((row) => row.new_issues),
      [0, 1, 0]
    )
  })

  t.test('of a project are limited', async (t) => {
    const { writer, store, count } = openWriter(t)
    const envelopes = Array.from({ length: 1_100 }, (_, index) =>
      createEnvelope([['event', createRawEvent({ release: `r${index}` })]])
    )
    writer.ingest(envelopes)
    t.equal(count('release'), 1_000)
    t.equal(count('event'), 1_100)
    t.match(store.get('SELECT count(*) AS rows FROM event WHERE release IS NULL'), { rows: 101 })
  })

  t.test('that run or are declared are stored even after events have used up the limit', async (t) => {
    const { writer, store, send } = openWriter(t)
    const now = Date.now()
    writer.ingest(
      Array.from({ length: 1_000 }, (_, index) =>
        createEnvelope([['event', createRawEvent({ release: `made-up-${index}` })]])
      )
    )
    store.run(
      `UPDATE issue SET state = 'resolved', resolved_in_next = 1, resolved_release = (SELECT max(id) FROM release)`
    )
    writer.change('declareRelease', { version: 'deployed', projects: [1], creates: true, at: now })
    const settings = { maxBytes: 2 ** 28, retentionDays: 30, release: 'running' }
    new InboxWriter(store, settings)
    const versions = store.all('SELECT version FROM release ORDER BY id DESC LIMIT 2').map(({ version }) => version)
    t.same(versions, ['running', 'deployed'])
    send(createRawEvent({ release: 'deployed' }))
    t.match(store.get('SELECT state FROM issue'), { state: 'regressed' })
  })

  t.test('that are no longer used are deleted for new ones, oldest first', async (t) => {
    let now = NOW
    const { writer, store, count, tidy } = openWriter(t, { now: () => now, release: 'old-boot' })
    const send = (...releases: string[]) =>
      writer.ingest(
        releases.map((release) =>
          createEnvelope([['event', createRawEvent({ release, fingerprint: [release], ...at(now) })]], {
            receivedAt: now
          })
        )
      )
    const has = (version: string) => store.get('SELECT id FROM release WHERE version = ?', version) !== undefined
    send('deployed', 'resolved', ...Array.from({ length: 997 }, (_, index) => `made-up-${index}`))
    const deploy = { environment: 'production', finished: NOW }
    writer.change('addDeploy', { version: 'deployed', projects: [1], ...deploy })
    store.run(`UPDATE issue SET state = 'resolved', resolved_release = first_release
      WHERE first_release = (SELECT id FROM release WHERE version = 'resolved')`)
    send('too-early')
    t.notOk(has('too-early'), 'all releases have events')

    now += 32 * DAY
    tidy()
    send('1.0.0', '1.0.1')
    t.equal(count('release'), 1_000)
    for (const version of ['1.0.0', '1.0.1', 'deployed', 'resolved', 'made-up-1']) t.ok(has(version), version)
    for (const version of ['old-boot', 'made-up-0']) t.notOk(has(version), version)
  })
})

t.test('an issue that was resolved or ignored', async (t) => {
  t.test('regresses with an event of the same release, and causes an alert', async (t) => {
    const { send, store, writer } = openWriter(t)
    send(createRawEvent())
    store.run(`UPDATE issue SET state = 'resolved', resolved_release = 2`)
    writer.takeNews()
    send(createRawEvent())
    t.match(store.get('SELECT state, version FROM issue'), { state: 'regressed', version: 2 })
    t.same(writer.takeNews(), { issues: [1] })
    send(createRawEvent())
    t.same(writer.takeNews(), { issues: [1] })
  })

  t.test('is ignored until a date, and reopens at that date', async (t) => {
    let now = NOW
    const { send, store, writer } = openWriter(t, { now: () => now })
    send(createRawEvent(at(NOW)), { receivedAt: NOW })
    store.run(`UPDATE issue SET state = 'ignored', ignored_until = ?`, NOW + HOUR)
    writer.takeNews()
    writer.tidy()
    t.equal(writer.takeNews(), undefined)
    now += HOUR + 60_000
    writer.tidy()
    t.match(store.get('SELECT state FROM issue'), { state: 'unresolved' })
    t.same(writer.takeNews(), { issues: [1] })
  })

  t.test('is announced when it reopens, also if the next batch was stored before', async (t) => {
    let now = NOW
    const { store, writer } = openWriter(t, { now: () => now })
    const batch = [createEnvelope([['event', createRawEvent(at(NOW))]], { receivedAt: NOW })]
    writer.ingest(batch, 'a')
    store.run(`UPDATE issue SET state = 'ignored', ignored_until = ?`, NOW + HOUR)
    writer.takeNews()
    now += HOUR + 60_000
    writer.tidy()
    writer.ingest(batch, 'a')
    t.same(writer.takeNews(), { issues: [1] })
  })
})

t.test('an issue that floods the inbox', async (t) => {
  t.test('is counted exactly, has all its events, and has the details of some', async (t) => {
    const { writer, store, count } = openWriter(t, { now: () => NOW })
    for (let batch = 0; batch < 12; batch++)
      writer.ingest(
        Array.from({ length: 100 }, () => createEnvelope([['event', createRawEvent(at(NOW))]], { receivedAt: NOW }))
      )
    writer.ingest([
      createEnvelope([['event', createRawEvent({ fingerprint: ['another'], ...at(NOW) })]], { receivedAt: NOW })
    ])
    t.match(store.all('SELECT events FROM issue ORDER BY id'), [{ events: 1_200 }, { events: 1 }])
    t.equal(count('event'), 1_201)
    const kept = 100 + 90 + 2 + 1
    t.equal(count('event_payload'), kept)
    t.match(store.all('SELECT origin, reason, quantity FROM drop_hour'), [
      { origin: 'inbox', reason: 'sampled', quantity: 1_201 - kept }
    ])
    t.match(store.get(`SELECT quantity FROM figure_hour WHERE name = 'errors'`), { quantity: 1_201 })
    writer.ingest([createEnvelope([['event', createRawEvent(at(NOW + HOUR))]], { receivedAt: NOW + HOUR })])
    t.equal(count('event_payload'), kept + 1, 'the next hour has its own limit')
  })
})
