import t, { type Test } from 'tap'
import { createIngest, RECEIVED } from '../../helpers/ingest.ts'

const session = (sid: string, status: string, changes: object = {}) =>
  [
    { type: 'session' },
    {
      sid,
      status,
      errors: 0,
      init: false,
      started: new Date(RECEIVED - 5e3).toISOString(),
      attrs: { release: '1.0.0', environment: 'production' },
      ...changes
    }
  ] as const

function createFigures(t: Test) {
  const { all, ...ingest } = createIngest(t)
  const figures = () =>
    Object.fromEntries(
      all('SELECT name, sum(quantity) AS quantity FROM figure_hour GROUP BY name').map(({ name, quantity }) => [
        name as string,
        quantity
      ])
    )
  return { ...ingest, all, figures }
}

t.test('a session counts once, with its worst status, in any order of updates', async (t) => {
  const { takeItems, figures } = createFigures(t)
  takeItems([session('a', 'ok')])
  t.same(figures(), { sessions: 1 })
  takeItems([session('a', 'ok', { errors: 1 })])
  t.same(figures(), { sessions: 1, sessions_errored: 1 })
  takeItems([session('a', 'crashed', { errors: 2 })])
  t.same(figures(), { sessions: 1, sessions_errored: 0, sessions_crashed: 1 })
  takeItems([session('a', 'exited', { errors: 1 }), session('a', 'ok')])
  t.same(figures(), { sessions: 1, sessions_errored: 0, sessions_crashed: 1 })
  takeItems([session('b', 'abnormal'), session('B', 'ok')])
  t.same(figures(), { sessions: 2, sessions_errored: 0, sessions_crashed: 1, sessions_abnormal: 1 })
})

t.test('an uncaught error crashes the session of a browser', async (t) => {
  const { takeFixture, figures, all } = createFigures(t)
  takeFixture('browser-stream-06-session')
  takeFixture('browser-stream-01-session')
  t.same(figures(), { sessions: 1, sessions_crashed: 1 })
  t.match(all('SELECT sid, status, errors FROM session'), [
    { sid: 'e97a9fef5e184e2a9a118ec3f56375c1', status: 'crashed', errors: 1 }
  ])
})

t.test('sums of very large counts are limited to numbers that can be read', (t) => {
  const { takeItems, figures, all } = createFigures(t)
  const most = { started: new Date(RECEIVED).toISOString(), exited: 1e9 }
  for (let times = 0; times < 2; times++)
    takeItems([
      [{ type: 'sessions' }, { aggregates: [most, most], attrs: {} }],
      [
        { type: 'client_report' },
        { discarded_events: [1, 2].map(() => ({ reason: 'queue_overflow', category: 'error', quantity: 1e9 })) }
      ]
    ])
  t.same(figures(), { sessions: 1e9 })
  t.match(all('SELECT quantity FROM drop_hour'), [{ quantity: 1e9 }])
  t.end()
})

t.test('aggregated sessions of a server are added up', async (t) => {
  const { takeFixture, takeItems, figures } = createFigures(t)
  takeFixture('node-stream-06-sessions')
  t.same(figures(), { sessions: 3, sessions_crashed: 1 })
  const aggregates = [{ started: new Date(RECEIVED).toISOString(), exited: 4, errored: 2, abnormal: 1 }, { exited: -5 }]
  takeItems([[{ type: 'sessions' }, { aggregates, attrs: {} }]])
  t.same(figures(), { sessions: 10, sessions_crashed: 1, sessions_errored: 2, sessions_abnormal: 1 })
})

t.test('a session with an invalid or impossible start counts in the hour of receipt', async (t) => {
  const { takeItems, all, drops } = createFigures(t)
  takeItems([
    session('old', 'ok', { started: '1970-01-01T00:00:00Z' }),
    session('far', 'ok', { started: '2100-01-01T00:00:00Z' }),
    session('odd', 'toString', { started: 'soon', errors: 'NaN' }),
    session('', 'ok')
  ])
  t.same(all('SELECT DISTINCT hour FROM figure_hour'), [{ hour: Math.floor(RECEIVED / 3_600_000) }])
  t.match(all("SELECT quantity FROM figure_hour WHERE name = 'sessions'"), [{ quantity: 3 }])
  t.same(drops(), ['invalid session 1'])
})

t.test('a session counts in the hour in which it began, even if the clock of the visitor is wrong', async (t) => {
  const { takeItems, all } = createFigures(t)
  const MINUTE = 60_000
  // It is 01:06. Each session began 20 minutes ago, at 00:46.
  const began = RECEIVED - 20 * MINUTE
  for (const [sid, error] of Object.entries({ hour: 60, late: -60, month: -40 * 24 * 60, year: 366 * 24 * 60 })) {
    const started = new Date(began + error * MINUTE).toISOString()
    takeItems([session(sid, 'crashed', { started })], { sentAt: RECEIVED + error * MINUTE })
    takeItems([[{ type: 'sessions' }, { aggregates: [{ started, exited: 1 }] }]], {
      sentAt: RECEIVED + error * MINUTE
    })
  }
  // Without the time of sending, a session with a start in the future counts in the hour of receipt.
  takeItems([session('ahead', 'ok', { started: new Date(RECEIVED + 59 * MINUTE).toISOString() })])
  const hour = Math.floor(RECEIVED / (60 * MINUTE))
  t.same(all("SELECT hour, sum(quantity) AS sessions FROM figure_hour WHERE name = 'sessions' GROUP BY hour"), [
    { hour: hour - 1, sessions: 8 },
    { hour, sessions: 1 }
  ])
  t.match(
    all('SELECT DISTINCT started FROM session ORDER BY started'),
    [{ started: began }, { started: RECEIVED }],
    'an export has the same times'
  )
})

t.test('a project has at most fifty environments', async (t) => {
  const { takeItems, all } = createFigures(t)
  takeItems(
    Array.from({ length: 60 }, (_, i) => session(`s${i}`, 'ok', { attrs: { release: '1', environment: `env${i}` } }))
  )
  t.match(all('SELECT count(DISTINCT environment) AS environments, sum(quantity) AS sessions FROM figure_hour'), [
    { environments: 51, sessions: 60 }
  ])
})
