import t from 'tap'
import { DAY } from '@hull/common/time.ts'
import { getPostgres } from '@hull/test-helpers/services.ts'
import { scans } from '../../src/queries/index.ts'
import { askStorage } from '../../src/queries/overview/storage.ts'
import { removeBefore } from '../../src/store/retention/events.ts'
import { DailyTables } from '../../src/store/postgres/daily-tables.ts'
import { openPostgres, openPostgresReader } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { InboxWriter } from '../../src/store/writer.ts'
import { createDatabase } from '../helpers/database.ts'
import { createEnvelope, createRawEvent } from '../helpers/writer.ts'

t.setTimeout(120_000)

const server = await getPostgres(t)
const url = createDatabase(server.url)
const store = openPostgres({ url })
t.teardown(() => store.close())

const IDS_PER_DAY = 2 ** 32
const TODAY = Math.floor(Date.now() / DAY)

/**
 * Stores an event with its payload, a span and a log line, received at this time.
 * @returns the id of the event
 */
function addRows(received: number, over: { id?: number } = {}): number {
  const id = store.insert(
    `INSERT INTO event (${over.id === undefined ? '' : 'id, '}project, event_id, issue, key, at, received, level, environment)
     VALUES (${over.id === undefined ? '' : `${over.id}, `}1, ?, 1, 1, 1, ?, 'error', '')`,
    String(received),
    received
  )
  store.run("INSERT INTO event_payload (event, codec, body) VALUES (?, 'zstd', '')", id)
  store.run(
    `INSERT INTO span (project, trace_id, span_id, is_segment, side, name, op, status, start, duration, received, environment, attributes)
     VALUES (1, ?, '1', 1, 'server', '', '', 'ok', 1, 1, ?, '', '{}')`,
    String(received),
    received
  )
  store.run(
    "INSERT INTO log (project, at, received, level, body, attributes) VALUES (1, 1, ?, 'info', '', '{}')",
    received
  )
  return id
}

/** Times of receipt of the stored rows, by table. */
const readRows = (from: Store = store) =>
  ['event', 'span', 'log'].map((table) =>
    from.all<{ received: number }>(`SELECT received FROM ${table} ORDER BY id`).map(({ received }) => received)
  )

const countPayloads = () => store.get<{ count: number }>('SELECT count(*) AS count FROM event_payload')!.count

const countPartitions = (table: string) =>
  store.get<{ count: number }>(`SELECT count(*) AS count FROM pg_inherits WHERE inhparent = to_regclass(?)`, table)!
    .count

const days = new DailyTables(store)

const drop = (received: number, today: number) => store.transaction(() => days.drop(received, today))

function dropAll(received: number, today: number): void {
  for (let left = 40; left > 0 && drop(received, today) > 0;) left--
}

t.test('the rows of a day are in one partition, which is dropped when its newest row is old', async (t) => {
  t.equal(countPartitions('event'), 4, 'for older rows, today and the next two days')
  t.ok(addRows(1_000) >= TODAY * IDS_PER_DAY)
  store.transaction(() => days.extend(TODAY + 2))
  const id = addRows(2_000)
  const { events, spans } = askStorage(store)()
  t.same([events, spans], [2, 2], 'ids of different days are counted separately')
  t.ok(id >= (TODAY + 2) * IDS_PER_DAY, 'an id contains the day')
  t.equal(countPartitions('event'), 6)
  store.transaction(() => days.extend(TODAY + 2))
  t.equal(countPartitions('event'), 6, 'no partition is created twice')
  store.transaction(() => days.extend(TODAY))
  t.ok(addRows(2_500) > id, 'ids do not go back if the clock does')

  dropAll(900, TODAY + 5)
  t.equal(readRows()[0]!.length, 3, 'no row is old')
  dropAll(3_000, TODAY)
  t.equal(readRows()[0]!.length, 3, 'the partition of the current day is kept')
  dropAll(2_000, TODAY + 5)
  t.same(readRows(), [
    [2_000, 2_500],
    [2_000, 2_500],
    [2_000, 2_500]
  ])
  t.equal(countPayloads(), 2, 'payloads are deleted with their events')
  store.transaction(() => days.extend(TODAY + 300))
  t.ok(addRows(3_000) >= (TODAY + 300) * IDS_PER_DAY, 'after months without a server')
  t.ok(countPartitions('event') < 10, 'one partition for all of these days')
  dropAll(3_000, TODAY + 300)
  t.same(readRows(), [[3_000], [3_000], [3_000]])
})

t.test('a running query keeps its rows, and does not block ingest for long', async (t) => {
  store.transaction(() => days.extend(TODAY + 310))
  addRows(4_000)
  const reader = openPostgresReader({ url }, 60_000)
  t.teardown(() => reader.close())
  reader.exec('BEGIN')
  t.equal(reader.all('SELECT received FROM event').length, 2)
  dropAll(3_500, TODAY + 310)
  t.same(readRows(), [[3_000, 4_000], [4_000], [4_000]], 'the transaction continues, and other tables do not wait')
  reader.exec('COMMIT')
  dropAll(3_500, TODAY + 310)
  t.same(readRows()[0], [4_000])
})

t.test('rows of a copied inbox are deleted one by one, without the rows of a day', async (t) => {
  addRows(10, { id: 5 })
  t.equal(store.all('SELECT id FROM event WHERE received < 100').length, 1)
  for (let left = 20; left > 0 && store.transaction(() => removeBefore(store, 4_500)) > 0;) left--
  t.same(readRows()[0], [4_000])
  t.equal(countPayloads(), 1)
})

t.test('a row with the time of a clock that was ahead does not keep the other rows of its day', async (t) => {
  const day = TODAY + 320
  store.transaction(() => days.extend(day))
  addRows((day + 500) * DAY)
  dropAll((day + 2) * DAY, day + 30)
  t.equal(readRows()[0]!.length, 1)
  dropAll((day + 10) * DAY, day + 30)
  t.same(readRows(), [[], [], []])
})

t.test('a trace around midnight is listed once', async (t) => {
  const database = openPostgres({ url: createDatabase(server.url) })
  t.teardown(() => database.close())
  database.transaction(() => new DailyTables(database).extend(TODAY + 1))
  const now = Date.now()
  const add = (id: number, side: string) =>
    database.run(
      `INSERT INTO span (id, project, trace_id, span_id, is_segment, side, name, op, status, start, duration, received, environment, attributes)
       VALUES (?, 1, 'trace', ?, 1, ?, ?, '', 'ok', ?, 1, ?, '', '{}')`,
      id,
      side,
      side,
      `name in the ${side}`,
      now * 1_000,
      now
    )
  add((TODAY + 1) * IDS_PER_DAY - 1, 'server')
  add((TODAY + 1) * IDS_PER_DAY + 1, 'browser')
  database.run("INSERT INTO project (id, name, key, created) VALUES (1, 'shop', 'key', 1) ON CONFLICT DO NOTHING")
  const view = { since: now - 60_000, until: now + 60_000 }
  t.match(scans.listTraces(database, { view }), { traces: [{ name: 'name in the browser' }], total: 1 })
  const ofRoute = scans.listTraces(database, { view, route: 'name in the server', sort: 'slowest' })
  t.match(ofRoute, { traces: [{ name: 'name in the server' }], total: 1 })
})

t.test('items that are sent again are stored once, also from a copied inbox, and after days in a spool', async (t) => {
  const database = openPostgres({ url: createDatabase(server.url) })
  t.teardown(() => database.close())
  const writer = new InboxWriter(database, { maxBytes: 0, retentionDays: 30, release: '1.0.0' })
  const seconds = Date.now() / 1_000
  const trace = { trace_id: '1'.repeat(32), span_id: '2'.repeat(16), op: 'http.server' }
  const events = [seconds, seconds - 5 * 86_400].map((timestamp) => createRawEvent({ timestamp }))
  const sent = createEnvelope([
    ...events.map((event): [string, unknown] => ['event', event]),
    ['transaction', { transaction: '/a', start_timestamp: seconds - 1, timestamp: seconds, contexts: { trace } }]
  ])
  const count = () => ['event', 'span'].map((table) => database.all(`SELECT id FROM ${table}`).length)
  for (let times = 0; times < 2; times++) writer.ingest([sent])
  t.same(count(), [2, 1])
  t.ok(database.get<{ id: number }>('SELECT min(id) AS id FROM event')!.id >= TODAY * IDS_PER_DAY)
  for (const table of ['event', 'span']) database.exec(`UPDATE ${table} SET id = id - ${TODAY * IDS_PER_DAY}`)
  writer.ingest([sent])
  t.same(count(), [2, 1])
})
