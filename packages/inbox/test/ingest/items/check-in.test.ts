import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { DAY, HOUR, MINUTE, SECOND } from '@hull/common/time.ts'
import { MonitorWatch } from '../../../src/monitors/monitor-watch.ts'
import { findNextTime } from '../../../src/monitors/schedule.ts'
import { deleteMonitor } from '../../../src/mutations/monitors.ts'
import { getMonitor, listCheckIns, listMonitors } from '../../../src/queries/monitors.ts'
import { MIGRATIONS } from '../../../src/store/migrations/index.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { createIngest } from '../../helpers/ingest.ts'
import { createEnvelope, openWriter } from '../../helpers/writer.ts'

const START = Date.UTC(2026, 10, 20, 12)
const HOURLY = { schedule: { type: 'crontab', value: '0 * * * *' }, checkin_margin: 5, max_runtime: 10 }
const EVERY_10_MINUTES = { schedule: { type: 'interval', value: 10, unit: 'minute' } }

let ids = 0
const createId = () => (++ids).toString(16).padStart(32, 'c')

/** Creates an inbox whose clock the test controls. It checks its monitors each minute. */
function createWatched(t: Test, start = START) {
  let now = start
  const { store, takeItems, drops } = createIngest(t, { receivedAt: () => now })
  let watch = new MonitorWatch(store)
  const settle = () => {
    while (store.transaction(() => watch.step(now)));
  }
  return {
    store,
    drops,
    /** @param waited milliseconds since the check-in was received, because it waited in the spool of an outage */
    checkIn(over: Record<string, unknown> = {}, waited = 0) {
      const checkIn = { check_in_id: createId(), monitor_slug: 'sync', status: 'ok', ...over }
      takeItems([[{ type: 'check_in' }, checkIn]], { receivedAt: now - waited })
      settle()
      return checkIn
    },
    pass(time: number) {
      for (const end = now + time; now < end;) {
        now = Math.min(now + MINUTE, end)
        settle()
      }
    },
    /** Changes the clock. */
    step(time: number) {
      now += time
      settle()
    },
    /** Stops the inbox for this time. */
    stop(time: number) {
      now += time
      watch = new MonitorWatch(store)
      settle()
    },
    monitor: () => getMonitor(store, { id: 1 }),
    history: () => listCheckIns(store, { monitor: 1 }).checkIns
  }
}

t.test('a check-in and its result are one row, with the duration between them', async (t) => {
  const { checkIn, pass, monitor, history } = createWatched(t)
  const { check_in_id } = checkIn({
    status: 'in_progress',
    monitor_config: HOURLY,
    contexts: { trace: { trace_id: 'ab'.repeat(16) } }
  })
  t.match(monitor(), { slug: 'sync', isRunning: true, next: START + HOUR, due: START + HOUR + 5 * MINUTE })
  t.equal(monitor().status, undefined)
  pass(2 * MINUTE)
  checkIn({ check_in_id, status: 'ok' })
  t.match(history(), [{ status: 'ok', at: START, duration: 2 * MINUTE, traceId: 'ab'.repeat(16) }])
  t.match(monitor(), { status: 'ok', isRunning: false, next: START + HOUR })
  checkIn({ check_in_id, status: 'error', duration: 1 })
  t.match(history(), [{ status: 'ok', duration: 2 * MINUTE }], 'a result is final')
})

t.test('a result without an id ends the newest run of its monitor in its environment', async (t) => {
  for (const check_in_id of [undefined, '0'.repeat(32), '00000000-0000-0000-0000-000000000000']) {
    const { checkIn, pass, monitor, history } = createWatched(t)
    checkIn({ status: 'in_progress', check_in_id, monitor_config: HOURLY })
    pass(MINUTE)
    checkIn({ status: 'in_progress', check_in_id })
    checkIn({ status: 'in_progress', check_in_id, environment: 'staging' })
    pass(2 * MINUTE)
    checkIn({ status: 'error', check_in_id })
    t.match(history(), [{ status: 'error', duration: 2 * MINUTE }, { status: 'in_progress' }])
    t.equal(monitor().status, 'error')
    checkIn({ check_in_id })
    checkIn({ check_in_id })
    t.match(history(), [{ status: 'ok' }, { status: 'error' }, { status: 'ok', duration: 3 * MINUTE }])
    t.equal(history().length, 3, 'without a running job, it is a check-in of its own')
  }
})

t.test('a check-in that does not arrive is missed after the margin', async (t) => {
  const { checkIn, pass, monitor, history } = createWatched(t)
  checkIn({ monitor_config: HOURLY })
  pass(HOUR + 4 * MINUTE)
  t.match(monitor(), { status: 'ok', next: START + HOUR }, 'not missed within the margin')
  pass(MINUTE)
  t.match(monitor(), { status: 'missed', next: START + 2 * HOUR, lastCheckIn: START })
  t.match(history(), [{ status: 'missed', at: START + HOUR, missed: 1 }, { status: 'ok' }])
  pass(2 * HOUR)
  t.match(history(), [{ status: 'missed', at: START + HOUR, finished: START + 3 * HOUR, missed: 3 }, { status: 'ok' }])
  checkIn()
  t.match(monitor(), { status: 'ok', next: START + 4 * HOUR })
  t.equal(history().length, 3)
})

t.test('a check-in a few seconds before its expected time counts as the expected one', async (t) => {
  const { checkIn, pass, monitor, history } = createWatched(t)
  checkIn({ monitor_config: HOURLY })
  pass(HOUR - 3 * SECOND)
  checkIn()
  t.equal(monitor().next, START + 2 * HOUR)
  pass(10 * MINUTE)
  t.match(history(), [{ status: 'ok' }, { status: 'ok' }])
  pass(49 * MINUTE)
  checkIn()
  t.equal(monitor().next, START + 2 * HOUR, 'a check-in a minute before that time is another one')
})

t.test('an interval begins with the last check-in', async (t) => {
  const { checkIn, pass, monitor } = createWatched(t)
  checkIn({ monitor_config: EVERY_10_MINUTES })
  pass(7 * MINUTE)
  checkIn()
  t.equal(monitor().next, START + 17 * MINUTE, 'a check-in without a schedule keeps the previous schedule')
})

t.test('a job that runs for too long has a timeout, until its result arrives', async (t) => {
  const { checkIn, pass, monitor, history } = createWatched(t)
  const { check_in_id } = checkIn({ status: 'in_progress', monitor_config: HOURLY })
  pass(9 * MINUTE)
  t.match(history(), [{ status: 'in_progress' }])
  pass(MINUTE)
  t.match(history(), [{ status: 'timeout' }])
  t.equal(monitor().status, 'timeout')
  checkIn({ check_in_id, status: 'ok', duration: 720 })
  t.match(history(), [{ status: 'ok', duration: 12 * MINUTE }])
  t.equal(monitor().status, 'ok')
})

t.test('an interrupted run does not change the status of its monitor after a later run has ended', async (t) => {
  const { checkIn, pass, monitor, history, store } = createWatched(t)
  checkIn({ status: 'in_progress', monitor_config: HOURLY })
  pass(5 * MINUTE)
  checkIn()
  pass(5 * MINUTE)
  t.match(history(), [{ status: 'ok' }, { status: 'timeout' }])
  t.equal(monitor().status, 'ok')
  t.same(store.all('SELECT kind FROM alert_fact'), [])
  checkIn({ status: 'in_progress' })
  pass(5 * MINUTE)
  checkIn({ status: 'in_progress' })
  pass(5 * MINUTE)
  t.equal(monitor().status, 'timeout', 'a later run without a result does not prevent the timeout')
})

t.test('the late result of a run does not change the status that a later run has reported', async (t) => {
  const { checkIn, pass, monitor, history } = createWatched(t)
  const { check_in_id } = checkIn({ status: 'in_progress', monitor_config: HOURLY })
  pass(5 * MINUTE)
  const later = checkIn({ status: 'in_progress' })
  pass(MINUTE)
  checkIn({ check_in_id: later.check_in_id, status: 'error' })
  pass(MINUTE)
  checkIn({ check_in_id, status: 'ok' })
  t.match(history(), [{ status: 'error' }, { status: 'ok' }])
  t.equal(monitor().status, 'error')
})

t.test('an old check-in after a newer one is stored, and changes neither schedule nor status', async (t) => {
  const { checkIn, pass, monitor, history, store } = createWatched(t)
  checkIn({ monitor_config: EVERY_10_MINUTES })
  pass(8 * MINUTE)
  checkIn()
  const facts = () => store.all('SELECT kind FROM alert_fact')
  const before = monitor()
  const old = { monitor_config: { schedule: { type: 'interval', value: 1, unit: 'minute' } } }
  checkIn({ ...old, status: 'error' }, 6 * MINUTE)
  t.same(monitor(), before)
  const { check_in_id } = checkIn({ ...old, status: 'in_progress' }, 5 * MINUTE)
  checkIn({ check_in_id, status: 'error' }, 4 * MINUTE)
  t.same(monitor(), before)
  t.match(history(), [{ status: 'error', at: START + 3 * MINUTE, duration: MINUTE }, { status: 'error' }, {}, {}])
  t.same(facts(), [])
  checkIn({ status: 'error' })
  t.match(
    monitor(),
    { status: 'error', next: START + 18 * MINUTE },
    'a check-in at the time of the newest one changes both'
  )
})

t.test('the timeout of an old start does not change the status after a newer check-in', async (t) => {
  const { checkIn, pass, monitor, history, store } = createWatched(t)
  checkIn({ monitor_config: HOURLY })
  pass(20 * MINUTE)
  checkIn()
  const { check_in_id } = checkIn({ status: 'in_progress' }, 15 * MINUTE)
  t.equal(monitor().status, 'ok')
  checkIn({ check_in_id, status: 'ok' }, 14 * MINUTE)
  t.match(history()[0], { status: 'ok', duration: MINUTE })
  t.equal(monitor().status, 'ok')
  t.same(store.all('SELECT kind FROM alert_fact'), [])
})

t.test('an old result after the start of a newer run does not change the status, but a newer one does', async (t) => {
  const { checkIn, pass, monitor } = createWatched(t)
  const first = checkIn({ status: 'in_progress', monitor_config: HOURLY })
  pass(2 * MINUTE)
  checkIn()
  pass(MINUTE)
  checkIn({ check_in_id: first.check_in_id, status: 'error' }, 2 * MINUTE)
  t.equal(monitor().status, 'ok')
  const next = checkIn({ status: 'in_progress' })
  pass(2 * MINUTE)
  checkIn({ check_in_id: next.check_in_id, status: 'error' })
  checkIn({}, MINUTE)
  t.match(monitor(), { status: 'error' }, 'the result is newer than the check-in')
})

t.test('check-ins count after a clock that was ahead is set back', async (t) => {
  const { checkIn, step, pass, monitor } = createWatched(t)
  checkIn({ monitor_config: HOURLY })
  step(60 * DAY)
  checkIn({ status: 'error' })
  step(-60 * DAY)
  pass(10 * MINUTE)
  checkIn()
  t.match(monitor(), { status: 'ok', next: START + HOUR, lastCheckIn: START + 10 * MINUTE })
})

t.test('no check-in is missed, and no job times out, because the inbox did not run', async (t) => {
  const { checkIn, stop, pass, monitor, history } = createWatched(t)
  checkIn({ status: 'in_progress', monitor_config: HOURLY })
  stop(3 * HOUR + 20 * MINUTE)
  t.match(history(), [{ status: 'in_progress' }])
  t.equal(monitor().next, START + 4 * HOUR)
  pass(10 * MINUTE)
  t.match(history(), [{ status: 'timeout' }], 'the run time is measured from the start of the inbox')
  pass(40 * MINUTE)
  t.match(history()[0], { status: 'missed', at: START + 4 * HOUR })
})

t.test('no check-in is missed that was expected shortly before the inbox starts again', async (t) => {
  const { checkIn, stop, pass, monitor, history } = createWatched(t)
  checkIn({ monitor_config: HOURLY })
  stop(HOUR + 2 * MINUTE)
  pass(4 * MINUTE)
  t.match(history(), [{ status: 'ok' }])
  t.equal(monitor().next, START + 2 * HOUR)
})

t.test('no check-in is missed whose time, or end of the margin, was during a restart of the inbox', async (t) => {
  const { checkIn, stop, pass, monitor, history } = createWatched(t)
  checkIn({ monitor_config: HOURLY })
  pass(59 * MINUTE)
  stop(2 * MINUTE)
  pass(10 * MINUTE)
  t.match(monitor(), { status: 'ok', next: START + 2 * HOUR })
  pass(53 * MINUTE)
  stop(2 * MINUTE)
  pass(10 * MINUTE)
  t.same(
    history().map(({ status }) => status),
    ['ok']
  )
  pass(46 * MINUTE)
  stop(MINUTE)
  pass(5 * MINUTE)
  t.match(monitor(), { status: 'missed' }, 'a check-in whose margin ends after the restart is missed')
})

t.test('a check-in is missed after a clock that was ahead is set back', async (t) => {
  const { checkIn, step, pass, monitor } = createWatched(t)
  checkIn({ monitor_config: HOURLY })
  step(60 * DAY)
  step(-60 * DAY)
  t.equal(monitor().next, START + HOUR)
  pass(HOUR + 5 * MINUTE)
  t.match(monitor(), { status: 'missed' })
})

t.test('no check-in is missed between check-ins from the spool of an outage', async (t) => {
  const { checkIn, stop, monitor, history, store } = createWatched(t)
  checkIn({ monitor_config: HOURLY })
  stop(3 * HOUR + 10 * MINUTE)
  for (const hour of [1, 2, 3]) {
    checkIn({}, 3 * HOUR + 10 * MINUTE - hour * HOUR)
    t.equal(monitor().next, START + 4 * HOUR)
  }
  t.same(
    history().map(({ status }) => status),
    ['ok', 'ok', 'ok', 'ok']
  )
  t.same(store.all('SELECT kind FROM alert_fact'), [])
})

t.test('invalid schedules are marked as invalid', async (t) => {
  const { checkIn, pass, store, monitor, drops } = createWatched(t)
  for (const value of ['0 0 31 2,4,6,9,11 *', 'at noon', '* * * * * *', '@reboot']) {
    checkIn({ monitor_config: { schedule: { type: 'crontab', value } } })
    t.match(monitor(), { isScheduleInvalid: true, schedule: { crontab: value } })
    t.equal(monitor().next, undefined)
  }
  checkIn({ monitor_config: { schedule: { type: 'crontab', value: '0 3 * * *' }, timezone: 'Nowhere/City' } })
  t.ok(monitor().isScheduleInvalid)
  checkIn({ monitor_config: { schedule: { type: 'interval', value: -1, unit: 'minute' } } })
  t.notOk(monitor().schedule)
  pass(DAY)
  t.match(store.all(`SELECT 1 FROM check_in WHERE status = 'missed'`), [])
  t.same(drops(), [])
})

t.test('crontabs use the clock of their time zone, and intervals the calendar', async (t) => {
  const next = (over: object, after: string) =>
    new Date(findNextTime({ crontab: null, every: null, unit: null, zone: 'UTC', ...over }, Date.parse(after))!)
      .toISOString()
      .slice(0, 16)
  const berlin = { crontab: '30 3 * * *', zone: 'Europe/Berlin' }
  t.equal(next(berlin, '2026-10-24T12:00Z'), '2026-10-25T02:30')
  t.equal(next(berlin, '2026-10-23T12:00Z'), '2026-10-24T01:30')
  const hourly = { crontab: '30 * * * *', zone: 'Europe/Berlin' }
  t.equal(next(hourly, '2026-10-25T00:30Z'), '2026-10-25T01:30', 'half past two comes twice')
  t.equal(next(hourly, '2026-10-25T01:30Z'), '2026-10-25T02:30')
  t.equal(next(hourly, '2026-03-29T00:30Z'), '2026-03-29T01:30')
  t.equal(next({ ...hourly, crontab: '*/20 * * * *' }, '2026-10-25T01:00Z'), '2026-10-25T01:20')
  t.equal(next({ ...hourly, crontab: '30 2 * * *' }, '2026-10-25T01:00Z'), '2026-10-26T01:30')
  t.equal(next({ crontab: '@hourly', zone: 'Australia/Lord_Howe' }, '2026-10-03T15:10Z'), '2026-10-03T15:30')
  t.equal(next({ every: 1, unit: 'month' }, '2027-01-31T06:00Z'), '2027-02-28T06:00')
  t.equal(next({ every: 2, unit: 'year' }, '2028-02-29T06:00Z'), '2030-02-28T06:00')
  t.equal(next({ every: 2, unit: 'week' }, '2026-11-20T06:00Z'), '2026-12-04T06:00')
})

t.test('the list has failed monitors first, and can be limited to an environment', async (t) => {
  const { checkIn, store } = createWatched(t)
  checkIn({ monitor_slug: 'a', environment: 'production' })
  checkIn({ monitor_slug: 'b', environment: 'production', status: 'error' })
  checkIn({ monitor_slug: 'a', environment: 'staging' })
  const names = (input: { environment?: string }) =>
    listMonitors(store, input).monitors.map(({ slug, environment }) => `${slug} ${environment}`)
  t.same(names({}), ['b production', 'a production', 'a staging'])
  t.same(names({ environment: 'staging' }), ['a staging'])
  deleteMonitor(store, { id: 1 })
  t.throws(() => deleteMonitor(store, { id: 1 }), { code: 'APP_INBOX_MONITOR_NOT_FOUND' })
  t.throws(() => getMonitor(store, { id: 1 }), { code: 'APP_INBOX_MONITOR_NOT_FOUND' })
  checkIn({ monitor_slug: 'a', environment: 'production' })
  t.equal(listMonitors(store, {}).monitors.length, 3, 'the next check-in creates the monitor again')
})

t.test('the number of monitors is limited', async (t) => {
  const { checkIn, store, drops } = createWatched(t)
  for (let monitor = 0; monitor < 502; monitor++) checkIn({ monitor_slug: `m${monitor}` })
  t.match(store.get('SELECT count(*) AS monitors FROM monitor'), { monitors: 500 })
  t.same(drops(), ['too_many_monitors monitor 2'])
  const { monitors, hasMore } = listMonitors(store, {})
  t.equal(monitors.length, 200)
  t.ok(hasMore)
})

t.test('the writer checks the monitors between its batches', async (t) => {
  let now = START
  const { writer, store, tidy } = openWriter(t, { now: () => now })
  const checkIn = { check_in_id: createId(), monitor_slug: 'sync', status: 'ok', monitor_config: EVERY_10_MINUTES }
  writer.ingest([createEnvelope([['check_in', checkIn]], { receivedAt: now })])
  tidy()
  for (; now <= START + 11 * MINUTE; now += MINUTE) tidy()
  t.match(listCheckIns(store, { monitor: 1 }).checkIns, [{ status: 'missed' }, { status: 'ok' }])
  now += 40 * DAY
  tidy()
  t.same(store.all('SELECT id FROM monitor'), [], 'retention deletes a monitor that is not used')
})

t.test('check-ins of an older file get their monitors', async (t) => {
  const store = new SqliteStore(new DatabaseSync(':memory:'))
  t.teardown(() => store.close())
  const at = MIGRATIONS.findIndex((sql) => sql.includes('CREATE TABLE monitor'))
  for (const sql of MIGRATIONS.slice(0, at)) store.db.exec(sql)
  store.db.exec(`INSERT INTO check_in (project, check_in_id, monitor, status, environment, received)
    VALUES (1, 'a', 'sync', 'ok', '', 1000), (1, 'b', 'sync', 'error', '', 2000), (1, 'c', 'sync', 'ok', 'x', 3000)`)
  for (const sql of MIGRATIONS.slice(at)) store.db.exec(sql)
  t.match(getMonitor(store, { id: 1 }), { slug: 'sync', environment: '', status: 'error', lastCheckIn: 2_000 })
  t.equal(listCheckIns(store, { monitor: 1 }).total, 2)
  t.equal(listCheckIns(store, { monitor: 2 }).total, 1)
})
