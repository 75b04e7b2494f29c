import t from 'tap'
import { queries, scans } from '../../src/queries/index.ts'
import { openSeedStore } from '../../src/seed/index.ts'
import { seedInbox } from '../helpers/seed-inbox.ts'

const store = openSeedStore()
seedInbox(store, { events: 8_000, issues: 2, now: Date.now() })
t.teardown(() => store.close())
const { id } = store.get<{ id: number }>('SELECT issue AS id FROM event GROUP BY issue ORDER BY count(*) DESC LIMIT 1')!
const { events: total } = store.get<{ events: number }>('SELECT count(*) AS events FROM event WHERE issue = ?', id)!

t.test('a search with few matches reads at most 2000 events per page, and continues on the next page', async (t) => {
  t.ok(total > 3_000, `${total} events`)
  const query = 'nothing-is-like-this'
  let read = 0
  let page = scans.findEvents(store, { id, query })
  const cursors: string[] = []
  while (page.read !== undefined) {
    t.ok(page.read <= 2_000)
    t.same(page.events, [])
    read += page.read
    cursors.push(page.next!)
    page = scans.findEvents(store, { id, query, cursor: page.next! })
    t.ok(page.previous, 'the page has a cursor to the previous page')
  }
  t.ok(read > 0 && read <= total)
  t.ok(cursors.length >= Math.floor((total - 1) / 2_000))
  t.equal(page.next, undefined, 'the last page reaches the oldest event')
  const back = scans.findEvents(store, { id, query, cursor: page.previous! })
  t.same(back.events, [])
  t.ok(back.next)
})

t.test('a clock that is set ahead during a search does not end the search', async (t) => {
  let time = Date.now()
  t.capture(Date, 'now', () => (time += 60_000))
  const { read } = scans.findEvents(store, { id, query: 'nothing-is-like-this' })
  t.ok(read! > 1, `${read} events`)
})

t.test('a search by columns reads only the events of its page', async (t) => {
  const all = queries.listEvents(store, { id, limit: 200 })
  const { environment } = all.events[0]!
  const expected = all.events.filter((event) => event.environment === environment)
  const found = scans.findEvents(store, { id, query: `environment:${environment}`, limit: expected.length })
  t.same(
    found.events.map(({ eventId }) => eventId),
    expected.map(({ eventId }) => eventId)
  )
  t.equal(found.read, undefined)
  t.ok(found.next)
})

t.test('an id of a user is searched as it is, as in the list of issues', async (t) => {
  const events = (query: string) => scans.findEvents(store, { id, query, limit: 1 }).events.length
  const { visitor } = store.get<{ visitor: string }>(
    'SELECT visitor FROM event WHERE issue = ? AND visitor IS NOT NULL LIMIT 1',
    id
  )!
  t.equal(events(`user:${visitor}`), 1)
  t.equal(events(`user:${visitor.slice(0, -1)}*`), 0)
  store.run('UPDATE event SET visitor = ? WHERE visitor = ?', '7*', visitor)
  t.equal(events('user:7*'), 1)
})

t.test('an asterisk before a value finds events whose release or tag ends with it', (t) => {
  const { row, detail } = queries.getEvent(store, { id })()
  const [tag, value] = detail!.tags.find(([, value]) => value.length > 2)!
  for (const [name, whole] of [
    ['environment:', row.environment],
    [`tag:${tag}=`, value]
  ] as const) {
    for (const part of [`*${whole.slice(1)}`, `*${whole.slice(1, -1)}*`])
      t.ok(scans.findEvents(store, { id, query: `${name}"${part}"`, limit: 1 }).events.length, name + part)
    t.equal(scans.findEvents(store, { id, query: `${name}"*${whole.slice(0, -1)}"`, limit: 1 }).events.length, 0, name)
  }
  t.end()
})

t.test('an event whose details are damaged is listed without a title, and no search term matches it', (t) => {
  const [newest, next] = queries.listEvents(store, { id, limit: 2 }).events
  store.run(
    "INSERT OR REPLACE INTO event_payload (event, codec, body) VALUES (?, 'zstd', ?)",
    newest!.id,
    new Uint8Array(3)
  )
  const listed = scans.findEvents(store, { id, limit: 2 }).events
  t.strictSame(
    listed.map(({ eventId }) => eventId),
    [newest!.eventId, next!.eventId]
  )
  t.equal(listed[0]!.title, undefined)
  t.notOk(scans.findEvents(store, { id, query: '-nothing' }).events.some((event) => event.id === newest!.id))
  t.end()
})
