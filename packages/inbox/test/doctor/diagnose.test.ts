import { join } from 'node:path'
import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { getHealth } from '../../src/queries/overview/health.ts'
import { createEnvelope, createRawEvent, openWriter } from '../helpers/writer.ts'
import { Refusals } from '../../src/ingest/http/refusals.ts'
import { diagnose } from '../../src/doctor/diagnose.ts'
import type { Examination, Finding, TunnelState } from '../../src/doctor/finding.ts'
import type { StoreHealth } from '../../src/queries/overview/health-types.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const HEALTH: StoreHealth = {
  storage: { bytes: 50, maxBytes: 100, retentionDays: 30, events: 1, spans: 1 },
  lastReceived: { browser: NOW - MINUTE, server: NOW - MINUTE },
  drops: [],
  types: [],
  maps: { maps: 4, releases: 1, bytes: 10, sample: { file: 'client/pages/index.tsx', function: 'getData', line: 7 } },
  unresolved: { frames: 1, of: 100 },
  deadAlerts: { messages: 0 },
  clockAhead: 40,
  retention: { at: NOW - 20 * MINUTE, rows: 3, behind: false }
}

const TUNNEL: TunnelState = {
  available: true,
  bytes: 0,
  envelopes: 0,
  oldestAge: 0,
  drops: [],
  providers: []
}

const INBOX: Examination['inbox'] = {
  available: true,
  stored: {},
  drops: [],
  bytes: 50,
  waiting: { envelopes: 0, bytes: 0 },
  spooled: { envelopes: 0, bytes: 0, oldestAge: 0 },
  lag: 5,
  clockJump: 0,
  clockAhead: 0
}

function examine(health: Partial<StoreHealth> = {}, over: Partial<Examination> = {}): Record<string, Finding> {
  const findings = diagnose({ now: NOW, inbox: INBOX, tunnel: TUNNEL, health: { ...HEALTH, ...health }, ...over })
  return Object.fromEntries(findings.map((finding) => [finding.id, finding]))
}

t.test('a healthy inbox has nothing to do', async (t) => {
  const { replicas, ...findings } = examine()
  for (const { id, verdict, todo } of Object.values(findings)) t.same([verdict, todo], ['good', undefined], id)
  t.equal(replicas!.verdict, 'quiet')
  t.equal(findings['maps']!.sample, 'client/pages/index.tsx:7 in getData')
})

t.test('a clock that differs from that of the database is reported', async (t) => {
  t.notOk('replica-clock' in examine())
  for (const [clockAhead, says] of [
    [5 * MINUTE, 'It is 5.0 minutes ahead'],
    [-2 * MINUTE, 'It is 2.0 minutes behind']
  ] as const)
    t.match(examine({ clockAhead })['replica-clock'], { verdict: 'look', says })
})

t.test('a clock that was changed is reported, with an external provider and without', async (t) => {
  t.notOk('clock' in examine())
  t.match(examine({}, { tunnel: { ...TUNNEL, clockJump: DAY } })['clock'], { says: /^It was set 24\.0 hours ahead/ })
  const { clock } = examine({}, { tunnel: undefined, inbox: { ...INBOX, clockJump: -5 * MINUTE } })
  t.match(clock, { verdict: 'look', says: /^It was set 5\.0 minutes back/ })
  let now = NOW
  let jump = 0
  const { writer, tidy } = openWriter(t, { now: () => now + jump, steady: () => now })
  tidy()
  t.equal(writer.stats.clockJump, 0)
  jump = DAY
  now += MINUTE
  t.equal(writer.stats.clockJump, DAY)
})

t.test(
  'an inbox that did not run for days is not reported as one with a wrong clock, or with a retention that has stopped',
  async (t) => {
    const inbox = { ...INBOX, clockJump: 3 * DAY }
    const retention = { at: NOW - 3 * DAY, rows: 0, behind: false }
    t.match(examine({ retention }, { inbox, tunnel: undefined }), {
      clock: { verdict: 'look', says: /^It was set 72\.0 hours ahead, or the inbox did not run for that time\./ },
      retention: { verdict: 'quiet', check: 'Retention waits', at: retention.at }
    })
  }
)

t.test('a store that refuses events is reported, with the reason', async (t) => {
  const failure = { reason: 'No space left on device', at: NOW - MINUTE }
  const inbox = { ...INBOX, failure, spooled: { envelopes: 3, bytes: 900, oldestAge: 5 } }
  t.match(examine({}, { inbox }).store, { verdict: 'bad', says: 'The file refused some: No space left on device' })
  t.notOk(examine({}, { inbox }).disk, 'there is space in INBOX_MAX_BYTES, but perhaps not on the disk')
  t.ok(examine({ storage: { ...HEALTH.storage, bytes: 99 } }, { inbox }).disk)
  t.match(examine({}, { inbox, isShared: true }).store, { verdict: 'bad', says: /No space left.* 3 envelopes wait/ })
  t.equal(
    examine({}, { inbox: { ...INBOX, failure }, isShared: true }).store!.verdict,
    'good',
    'good when no envelope waits'
  )
  for (const at of [NOW - 6 * MINUTE, NOW + 6 * MINUTE]) {
    const old = { ...failure, at }
    t.equal(examine({}, { inbox: { ...INBOX, failure: old } }).store!.verdict, 'good', 'good after some minutes')
  }
})

t.test('a store that is late is reported, with the setting of the application or of its services', async (t) => {
  const inbox = { ...INBOX, lag: 2 * MINUTE }
  t.match(examine({}, { inbox }).store, { verdict: 'look', todo: /TRACES_SAMPLE_RATE/ })
  t.match(examine({}, { inbox, isAlone: true }).store, { verdict: 'look', todo: /tracesSampleRate/ })
})

t.test('sizes have the same format as on the other pages', async (t) => {
  const storage = { ...HEALTH.storage, bytes: 3 * 2 ** 20, maxBytes: 2 * 2 ** 30 }
  t.match(examine({ storage }).disk, { says: '3 MB of 2 GB used.' })
})

t.test('replicas that do not share a secret are reported', async (t) => {
  t.match(examine({}, { hasOwnSecret: true }), { replicas: { verdict: 'bad', todo: /^Set SESSION_SECRET/ } })
})

t.test('an inbox in a database is shared by all replicas, and has no file and no size limit', async (t) => {
  const storage = { ...HEALTH.storage, maxBytes: 0 }
  t.match(examine({ storage }, { isShared: true }), {
    replicas: { verdict: 'good', says: /^All replicas/ },
    disk: { verdict: 'good', says: '50 B used in the database.' },
    file: undefined
  })
  const spooled = { envelopes: 3, bytes: 900, oldestAge: 5 * MINUTE }
  t.match(examine({}, { isShared: true, inbox: { ...INBOX, spooled } }).store, {
    verdict: 'look',
    says: /^3 envelopes wait/
  })
  const { store } = examine({}, { isShared: true, inbox: { ...INBOX, available: false, spooled } })
  t.match(store, { check: 'The database cannot be reached', verdict: 'bad', says: /3 envelopes wait/ })
})

t.test('names the providers to which the spool delivers, without the inbox', async (t) => {
  const attempts = { delivered: 1, refused: 0, limited: 0, failed: 0 }
  const toStats = (provider: string) => ({ provider, breaker: 'closed' as const, attempts, waiting: 0 })
  const providers = ['inbox.invalid/0', 'errors.example/42', 'errors.example/43'].map(toStats)
  t.match(examine({}, { tunnel: { ...TUNNEL, providers } }), {
    spool: { verdict: 'good', sample: 'errors.example/42, errors.example/43' }
  })
})

t.test('every finding that is not good says what to do, or that nothing is needed', async (t) => {
  const sick = examine(
    {
      lastReceived: {},
      maps: { maps: 0, releases: 0, bytes: 0 },
      drops: [{ origin: 'inbox', reason: 'full', category: 'error', quantity: 3 }],
      retention: { at: NOW, rows: 1, behind: true },
      storage: { ...HEALTH.storage, bytes: 99 },
      corrupt: { at: NOW - DAY, aside: '/data/inbox.db.damaged' },
      deadAlerts: { messages: 1, error: 'The target hangs.' }
    },
    { inbox: { ...INBOX, available: false }, tunnel: { ...TUNNEL, available: false } }
  )
  for (const { id, verdict, todo, drops } of Object.values(sick).filter(({ id }) => id !== 'types')) {
    t.not(verdict, 'good', id)
    if (verdict !== 'quiet') t.ok(todo ?? drops, id)
  }
  t.equal(sick['store']!.verdict, 'bad')
  t.equal(sick['disk']!.verdict, 'bad')
  t.equal(sick['file']!.sample, '/data/inbox.db.damaged')
})

t.test('reports a store that does not answer, and leaves out the checks that need it', async (t) => {
  const findings = diagnose({ now: NOW, inbox: INBOX, tunnel: TUNNEL })
  t.match(findings[0], { id: 'store', verdict: 'bad' })
  for (const left of ['maps', 'drops'])
    t.notOk(
      findings.some(({ id }) => id === left),
      left
    )
  const expired = [{ reason: 'expired', category: 'error', quantity: 1 }] as never
  const found = diagnose({ now: NOW, inbox: INBOX, tunnel: { ...TUNNEL, drops: expired } })
  t.match(
    found.find(({ id }) => id === 'drops'),
    { verdict: 'look', says: '1 item was dropped.' },
    'the drops of the tunnel'
  )
})

t.test('reports that browsers sent nothing for a day, with the last time', async (t) => {
  const at = NOW - 2 * DAY
  t.match(examine({ lastReceived: { browser: at, server: at } }), {
    browser: { verdict: 'look', at },
    server: { verdict: 'quiet', at }
  })
})

t.test('names a provider that does not answer', async (t) => {
  const providers = [{ provider: 'sentry.example/4', breaker: 'open' as const, attempts: {} as never, waiting: 7 }]
  t.match(examine({}, { tunnel: { ...TUNNEL, envelopes: 7, providers } })['spool'], {
    verdict: 'bad',
    sample: 'sentry.example/4',
    says: /7 envelopes are waiting/
  })
  t.match(examine({}, { tunnel: { ...TUNNEL, envelopes: 2, oldestAge: 5 * MINUTE } })['spool'], { verdict: 'look' })
})

t.test('lists unexpected drops first, with the reason; intended drops are no loss', async (t) => {
  const meant = { origin: 'client', reason: 'sample_rate', category: 'transaction', quantity: 900 }
  t.match(examine({ drops: [meant] })['drops'], { verdict: 'good', drops: [{ quantity: 900, isHarmless: true }] })
  const lost = { origin: 'client', reason: 'network_error', category: 'error', quantity: 2 }
  const strange = { origin: 'client', reason: 'constructor', category: '__proto__', quantity: 1 }
  const { drops } = examine({ drops: [meant, strange, lost] })
  t.match(drops, { verdict: 'look', says: /^3 items/ })
  t.match(drops!.drops, [
    { what: 'errors, dropped by clients', why: 'the client could not reach the tunnel' },
    { what: '__proto__, dropped by clients', why: 'constructor' },
    { isHarmless: true }
  ])
  const expired = [{ reason: 'expired', category: 'error', quantity: 1 }] as never
  t.match(examine({}, { tunnel: { ...TUNNEL, drops: expired } })['drops']!.drops, [
    { what: 'errors, dropped by the tunnel' }
  ])
})

t.test('adds up drops that have the same text', async (t) => {
  const kinds = ['trace_metric', 'metric_bucket', 'replay']
  const drops = kinds.map((category) => ({ origin: 'inbox', reason: 'unsupported', category, quantity: 2 }))
  t.match(examine({ drops })['drops']!.drops, [
    { what: 'metrics, dropped by the inbox', quantity: 4 },
    { what: 'replays, dropped by the inbox', quantity: 2 }
  ])
})

t.test('reports refused envelopes of the last day, with the reason', async (t) => {
  t.notOk('refusals' in examine())
  const refusals = new Refusals()
  const add = (project: number, code: string, ago: number) =>
    refusals.add({ project, code, message: `the sentence of ${code}`, at: NOW - ago })
  add(2, 'OLD', 2 * DAY)
  add(2, 'KEY', 2 * DAY)
  for (let i = 0; i < 3; i++) add(2, 'KEY', 5 * MINUTE)
  add(7, 'SIZE', MINUTE)
  const named = refusals
    .list(NOW)
    .map((refusal) => ({ ...refusal, projectName: refusal.project === 2 ? 'Shop' : undefined }))
  t.match(examine({}, { refusals: named })['refusals'], {
    verdict: 'look',
    says: 'This server refused 4 envelopes, the last one',
    at: NOW - MINUTE,
    drops: [
      { what: 'envelopes for project 7', why: 'the sentence of SIZE', quantity: 1 },
      { what: 'envelopes for Shop', why: 'the sentence of KEY', quantity: 3 }
    ]
  })
  for (let project = 100; project < 300; project++) add(project, 'KEY', 0)
  t.equal(refusals.list(NOW).length, 100, 'limited, because anybody can send to any project')
})

t.test('reports frames without a source map if there are many', async (t) => {
  const one = { maps: 1, releases: 1, bytes: 10 }
  t.match(examine({ maps: one })['maps'], { verdict: 'good', says: /^1 source map of 1 release is stored\./ })
  t.equal(examine({ unresolved: { frames: 9, of: 100 } })['maps']!.verdict, 'good')
  t.match(examine({ unresolved: { frames: 30, of: 100 } })['maps'], {
    verdict: 'look',
    says: /30 of 100 in-app frames of the last day had no source map/
  })
  t.equal(examine({ unresolved: { frames: 0, of: 0 } })['maps']!.verdict, 'good')
})

t.test('reports retention that has stopped, and a full store', async (t) => {
  t.equal(examine({ retention: { at: NOW - 2 * DAY, rows: 0, behind: false } })['retention']!.verdict, 'bad')
  t.equal(examine({ retention: undefined })['retention']!.verdict, 'quiet')
  t.equal(examine({ storage: { ...HEALTH.storage, bytes: 85 } })['disk']!.verdict, 'look')
})

t.test('a failed check has a title that says what is wrong', async (t) => {
  const titles = new Set(Object.values(examine()).map(({ check }) => check))
  const at = NOW - 2 * DAY
  const providers = [{ provider: 'sentry.example/4', breaker: 'open' as const, attempts: {} as never, waiting: 7 }]
  const dropped = { origin: 'inbox', reason: 'full', category: 'error', quantity: 3 }
  const cases: [id: string, finding: Record<string, Finding>][] = [
    ['store', examine({}, { inbox: { ...INBOX, available: false } })],
    ['store', Object.fromEntries(diagnose({ now: NOW, inbox: INBOX }).map((finding) => [finding.id, finding]))],
    ['store', examine({}, { inbox: { ...INBOX, lag: 2 * MINUTE } })],
    ['clock', examine({}, { tunnel: { ...TUNNEL, clockJump: DAY } })],
    ['spool', examine({}, { tunnel: { ...TUNNEL, available: false } })],
    ['spool', examine({}, { tunnel: { ...TUNNEL, providers } })],
    ['spool', examine({}, { tunnel: { ...TUNNEL, oldestAge: 5 * MINUTE } })],
    ['browser', examine({ lastReceived: {} })],
    ['browser', examine({ lastReceived: { browser: at } })],
    ['server', examine({ lastReceived: {} })],
    ['server', examine({ lastReceived: { server: at } })],
    ['maps', examine({ maps: { maps: 0, releases: 0, bytes: 0 } })],
    ['maps', examine({ unresolved: { frames: 30, of: 100 } })],
    ['drops', examine({ drops: [dropped] })],
    ['retention', examine({ retention: undefined })],
    ['retention', examine({ retention: { at: NOW, rows: 1, behind: true } })],
    ['retention', examine({ retention: { at, rows: 1, behind: false } })],
    ['disk', examine({ drops: [dropped] })],
    ['disk', examine({ storage: { ...HEALTH.storage, bytes: 85 } })],
    ['disk', examine({ storage: { ...HEALTH.storage, bytes: 99 } })],
    ['file', examine({ corrupt: { at, aside: '/data/inbox.db.damaged' } })]
  ]
  for (const [id, { [id]: finding }] of cases) {
    t.not(finding!.verdict, 'good', finding!.check)
    t.notOk(titles.has(finding!.check), `${id}: ${finding!.check}`)
    titles.add(finding!.check)
  }
  t.match(examine({ drops: [dropped] }), { drops: { check: 'Data was lost in the last day' } })
})

t.test('an inbox without an application is checked for events and source maps of services', async (t) => {
  const alone = (health: Partial<StoreHealth>) => examine(health, { isAlone: true })
  const none = { maps: 0, releases: 0, bytes: 0 }
  const fresh = alone({ lastReceived: {}, maps: none, unresolved: { frames: 0, of: 0 } })
  t.match(fresh, { services: { verdict: 'look', todo: /DSN/ }, maps: { verdict: 'quiet' } })
  t.notOk('browser' in fresh || 'server' in fresh)
  t.match(alone({ lastReceived: { server: NOW - MINUTE } }), { services: { verdict: 'good', at: NOW - MINUTE } })
  t.match(alone({ lastReceived: { browser: NOW - 2 * DAY } }), { services: { verdict: 'quiet', at: NOW - 2 * DAY } })
  for (const missing of [{ maps: none }, { unresolved: { frames: 30, of: 100 } }])
    t.match(alone(missing), { maps: { verdict: 'look', todo: /^Upload the source maps/ } })
})

t.test('lists each type of item with the page that shows it', async (t) => {
  const at = { first: NOW - DAY, last: NOW }
  const rows = [
    { type: 'constructor', stored: 3, dropped: 0, ...at },
    { type: 'check_in', stored: 2, dropped: 1, ...at },
    { type: 'replay_event', stored: 0, dropped: 4, ...at }
  ]
  const { types } = examine({ types: rows })['types']!
  t.match(types, [
    { type: 'constructor', stored: 3, shown: /no screen/ },
    { type: 'check_in', dropped: 1, shown: 'Monitors' },
    { type: 'replay_event', dropped: 4, shown: 'counted and dropped: the inbox has no screen for them' }
  ])
  t.match(examine()['types'], { says: 'No item has been received yet.', types: undefined })
})

t.test('types of items are kept across restarts, and are limited', async (t) => {
  const file = join(createFolder(t), 'inbox.db')
  const items: [type: string, payload: unknown][] = [
    ['event', createRawEvent()],
    ['check_in', { check_in_id: 'a'.repeat(32), monitor_slug: 'm', status: 'ok' }],
    ['check_in', 'not an object'],
    ['replay_event', { a: 1 }],
    ['unheard_of', { a: 1 }]
  ]
  const first = openWriter(t, { file })
  first.writer.ingest([createEnvelope(items)], 'key of the batch')
  first.writer.ingest([createEnvelope(items)], 'key of the batch')
  const again = openWriter(t, { file })
  again.writer.ingest([createEnvelope(items)])
  const { types } = getHealth(again.store, {})
  t.same(
    types.map(({ type, stored, dropped }) => [type, stored, dropped]),
    [
      ['check_in', 2, 2],
      ['event', 2, 0],
      ['replay_event', 0, 2],
      ['unheard_of', 2, 0]
    ],
    'a batch that is sent again counts once'
  )
  for (const { first, last } of types) t.ok(first <= last)
  const many = Array.from({ length: 300 }, (_, i): [string, unknown] => [`type_${i}`, {}])
  again.writer.ingest([createEnvelope(many)])
  const all = getHealth(again.store, {}).types
  t.equal(all.length, 201)
  t.match(
    all.find(({ type }) => type === '(others)'),
    { stored: 104 }
  )
  t.equal(
    Object.keys(again.writer.stats.stored).length,
    200,
    'limited in memory too, without the type that was only dropped'
  )
})

t.test('a clock that was ahead for a while does not hide that no browser reports', async (t) => {
  let now = NOW
  const { send, store } = openWriter(t, { now: () => now })
  const sdk = 'sentry.javascript.browser'
  now += 30 * DAY
  send(createRawEvent(), { receivedAt: now, sdk })
  now = NOW
  send(createRawEvent(), { receivedAt: now, sdk })
  t.same(getHealth(store, {}).lastReceived, { browser: NOW })
})

t.test('counts the alerts of the last day that could not be sent, with the newest error', async (t) => {
  const { store } = openWriter(t)
  const add = (id: string, state: string, finished: number, error: string, channel = 7) =>
    store.run(
      `INSERT INTO alert_message (id, channel, project, body, state, created, attempts, due, finished, error)
       VALUES (?, ?, 1, '{}', ?, 0, 9, 0, ?, ?)`,
      id,
      channel,
      state,
      finished,
      error
    )
  t.same(getHealth(store, {}).deadAlerts, { messages: 0 })
  add('old', 'dead', Date.now() - 2 * DAY, 'old')
  add('newest', 'dead', Date.now(), 'The target answered 500.')
  add('first', 'dead', Date.now() - MINUTE, 'The target hangs.')
  add('sent', 'sent', Date.now(), '')
  const own = store.insert(
    `INSERT INTO alert_channel (kind, name, target, secret, group_window, zone, created, person)
     VALUES ('mail', 'Own', 'ada@shop.example', '', 0, 'UTC', 0, 1)`
  )
  add('own', 'dead', Date.now() + MINUTE, 'no such mailbox ada@shop.example', own)
  const { deadAlerts } = getHealth(store, {})
  t.same(deadAlerts, { messages: 2, error: 'The target answered 500.' })
  t.match(examine({ deadAlerts })['alerts'], { verdict: 'look', says: /^2 messages were given up/, sample: /500/ })
})
