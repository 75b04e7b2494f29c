import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { setWallClock } from '@hull/test-helpers/wall-clock.ts'
import { scans } from '../../src/queries/index.ts'
import { askSteps } from '../../src/queries/rollups/rollup-cache.ts'
import { DAY, HOUR, MINUTE } from '../../../common/src/time.ts'
import { createEnvelope, createEventId, createRawEvent, openWriter } from '../helpers/writer.ts'
import { addFigures, readRollupCacheVersion } from '../../src/store/rollups.ts'
import { writeSetting } from '../../src/store/stored-settings.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openSeedStore } from '../../src/seed/index.ts'
import { seedInbox } from '../helpers/seed-inbox.ts'

/** The last `days` days, in steps of a day; `until` is the day after the current one. */
function openRange(days: number) {
  const until = Math.floor(Date.now() / DAY) + 1
  return { step: DAY, from: until - days, until }
}

function createReader() {
  const store = openSeedStore()
  const asked: [from: number, until: number][] = []
  const read = (from: number, until: number) => {
    asked.push([from, until])
    return () => new Map(Array.from({ length: until - from }, (_, index) => [from + index, (from + index) * 10]))
  }
  return { store, asked, read }
}

t.test('reads final steps once, and the current step after each write', async (t) => {
  const { store, asked, read } = createReader()
  t.teardown(() => store.close())
  const range = openRange(30)
  const ask = () => askSteps(store, 'a', range, read, () => 1)()
  const first = ask()
  t.equal(first.size, 30)
  t.equal(first.get(range.from), range.from * 10)
  t.same(ask(), first)
  t.same(asked, [[range.from, range.until]])
  writeSetting(store, 'max_bytes', 1)
  t.same(ask(), first)
  t.equal(asked.length, 2)
  t.ok(asked[1]![0] >= range.until - 2, 'yesterday may not be final yet')
  t.equal(asked[1]![1], range.until)
})

t.test('a clock that is ahead for a while does not make the current hour final', async (t) => {
  const { store, asked, read } = createReader()
  t.teardown(() => store.close())
  const hour = Math.floor(Date.now() / HOUR)
  const range = { step: HOUR, from: hour - 5, until: hour + 1 }
  await t.test('while the clock is ahead', async (t) => {
    setWallClock(t, 3 * HOUR)
    askSteps(store, 'a', range, read, () => 1)()
  })
  writeSetting(store, 'max_bytes', 1)
  askSteps(store, 'a', range, read, () => 1)()
  t.ok(asked[1]![0] <= hour)
  t.equal(asked[1]![1], range.until)
})

t.test('after the clock was set back, hours that were final are read again', async (t) => {
  const { store, asked, read } = createReader()
  t.teardown(() => store.close())
  const now = 500_000 * HOUR
  const range = { step: HOUR, from: 499_990, until: 500_001 }
  const ask = (time: number) => askSteps(store, 'a', range, read, () => 1, time)()
  ask(now)
  writeSetting(store, 'max_bytes', 1)
  ask(now - MINUTE)
  t.ok(asked[1]![0] >= 499_998, 'a correction of a minute keeps the final hours')
  ask(now - 3 * HOUR)
  t.same(asked[2], [range.from, range.until])
  writeSetting(store, 'max_bytes', 2)
  ask(now)
  t.same(asked[3], [499_996, range.until], 'hours after the time to which the clock was set back are not final')
})

t.test('announces changes of hours that were final before the clock was set back', async (t) => {
  const { store } = createReader()
  t.teardown(() => store.close())
  const hour = Math.floor(Date.now() / HOUR) - 5
  setWallClock(t, -5 * HOUR)
  const before = readRollupCacheVersion(store)
  addFigures(store, [{ place: { project: 1, hour, environment: '', release: 0 }, name: 'errors', quantity: 1 }])
  t.equal(readRollupCacheVersion(store), before + 1)
})

t.test('for a longer range, reads only the steps that the cache does not have', async (t) => {
  const { store, asked, read } = createReader()
  t.teardown(() => store.close())
  const week = openRange(7)
  askSteps(store, 'a', week, read, () => 1)()
  const month = openRange(30)
  t.equal(askSteps(store, 'a', month, read, () => 1)().size, 30)
  t.same(asked[1], [month.from, week.from])
})

t.test('each series is cached separately', async (t) => {
  const { store, asked, read } = createReader()
  t.teardown(() => store.close())
  const range = openRange(7)
  for (const series of ['a', 'b']) askSteps(store, series, range, read, () => 1)()
  t.same(asked[1], asked[0])
})

t.test('evicts the least recently used series when the cache is full', async (t) => {
  const { store, asked, read } = createReader()
  t.teardown(() => store.close())
  const range = openRange(10)
  for (const series of ['a', 'b', 'c']) askSteps(store, series, range, read, () => 100_000)()
  asked.length = 0
  askSteps(store, 'c', range, read, () => 100_000)()
  t.same(asked, [], 'the last series is cached')
  askSteps(store, 'a', range, read, () => 100_000)()
  t.same(asked, [[range.from, range.until]], 'the first series is read again')
})

t.test('gives the same answer again, and shows new data at once', async (t) => {
  const now = Date.now()
  const store = openSeedStore()
  t.teardown(() => store.close())
  seedInbox(store, { events: 4_000, now })
  const view = { since: now - 30 * DAY, until: now }
  const ask = () => ({
    routes: scans.listRoutes(store, { view }),
    vitals: scans.listVitals(store, { view }),
    trend: scans.listVitalTrend(store, { view }),
    heat: scans.getHeatMap(store, { view, route: '/a/[id]', side: 'server' }),
    errors: scans.getOverview(store, { view })().errors.total
  })
  const first = ask()
  t.ok(first.routes.length > 10 && first.vitals.length > 10 && first.trend.length > 5)
  t.same(ask(), first)
  const hour = Math.floor(now / 3_600_000)
  store.run(`INSERT INTO latency_hour VALUES (1, ?, 'server', '/fresh', 'production', 1, 40, 3, 1)`, hour)
  store.run(`INSERT INTO figure_hour VALUES (1, ?, 'errors', 'fresh', 1, 5)`, hour)
  const next = ask()
  t.match(
    next.routes.find(({ route }) => route === '/fresh'),
    { requests: 3, errors: 1 }
  )
  t.equal(next.errors, first.errors + 5)
  t.same(next.vitals, first.vitals)
})

t.test('counts the visitors of late events on the first day of a range', async (t) => {
  const { writer, store } = openWriter(t)
  const day = Math.floor(Date.now() / DAY) * DAY - 2 * DAY
  const count = () => {
    const view = { since: day + 10 * HOUR, until: day + 3 * DAY }
    return scans.getOverview(store, { view })().visitors.total
  }
  for (const [index, id] of ['ada', 'bob', 'cleo'].entries()) {
    t.equal(count(), index)
    const event = createRawEvent({ timestamp: (day + 15 * HOUR) / 1_000, user: { id } })
    writer.ingest([createEnvelope([['event', event]])])
  }
  t.equal(count(), 3)
})

t.test('shows late data and deletions at once', async (t) => {
  let now = Date.now()
  const { writer, store, tidy } = openWriter(t, { now: () => now, retentionDays: 30 })
  const at = (now - 5 * HOUR) / 1_000
  const bringLate = () =>
    writer.ingest([
      createEnvelope([
        ['event', createRawEvent({ timestamp: at })],
        [
          'session',
          {
            sid: createEventId(),
            init: true,
            started: new Date(at * 1_000).toISOString(),
            status: 'ok',
            attrs: { release: '1', environment: 'production' }
          }
        ],
        [
          'transaction',
          {
            type: 'transaction',
            transaction: '/late',
            transaction_info: { source: 'route' },
            platform: 'javascript',
            start_timestamp: at - 1,
            timestamp: at,
            contexts: {
              trace: { trace_id: createEventId(), span_id: createEventId().slice(16), op: 'pageload', status: 'ok' }
            },
            measurements: { lcp: { value: 100 } }
          }
        ]
      ])
    ])
  const ask = (days: number) => {
    const view = { since: at * 1_000 - days * DAY, until: at * 1_000 + 5 * HOUR }
    const { errors, crashFree } = scans.getOverview(store, { view })()
    return {
      errors: errors.total,
      sessions: crashFree.sessions,
      requests: scans.listRoutes(store, { view })[0]?.requests ?? 0,
      samples: scans.listVitals(store, { view }).find(({ page }) => page === '/late')?.samples ?? 0
    }
  }
  const all = (count: number) => ({ errors: count, sessions: count, requests: count, samples: count })
  for (const [index, days] of [1, 7, 30].entries()) {
    t.same(ask(days), all(index))
    bringLate()
    t.same(ask(days), all(index + 1), `${days} days`)
  }
  t.same(ask(1), all(3))
  now += 40 * DAY
  tidy()
  now += 120_000
  tidy()
  for (const days of [1, 7, 30]) t.same(ask(days), all(0))
})

t.test('shows writes of another connection at once', async (t) => {
  const { store: writer, file } = openWriter(t)
  const reader = new SqliteStore(new DatabaseSync(file, { readOnly: true }))
  t.teardown(() => reader.close())
  const now = Date.now()
  const hour = Math.floor(now / HOUR)
  const ask = () => scans.getOverview(reader, { view: { since: now - DAY, until: now } })().errors.total
  for (const count of [0, 1, 2]) {
    t.equal(ask(), count)
    t.equal(ask(), count)
    writer.run(`INSERT INTO figure_hour VALUES (1, ?, 'errors', ?, 1, 1)`, hour, `e${count}`)
  }
})
