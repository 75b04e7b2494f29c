import { readFileSync } from 'node:fs'
import t from 'tap'
import { HOUR } from '@hull/common/time.ts'
import visitorsOnce from '../../src/store/migrations/022-visitors-once.ts'
import { findEvents } from '../../src/queries/issues/event-search.ts'
import { listIssues } from '../../src/queries/issues/issues.ts'
import type { Store } from '../../src/store/store.ts'
import { serverUrl } from '../helpers/database.ts'
import { createEventId, createRawEvent, openWriter } from '../helpers/writer.ts'

const at = (ms: number) => ({ timestamp: ms / 1_000 })

const sumVisitors = (store: Store): Record<string, number> =>
  Object.fromEntries(
    store
      .all<{ name: string; sum: number }>(
        `SELECT name, CAST(sum(quantity) AS BIGINT) AS sum FROM figure_hour WHERE name LIKE 'visitor%' GROUP BY name`
      )
      .map(({ name, sum }) => [name, sum])
  )

t.test('a visitor', async (t) => {
  t.test('is identified by the user id, and counted once', async (t) => {
    const { send, store } = openWriter(t)
    for (const id of ['7', '7', 8]) send(createRawEvent({ user: { id } }), { address: '192.0.2.1' })
    t.match(store.get('SELECT visitors, events FROM issue'), { visitors: 2, events: 3 })
    t.same(
      store.all('SELECT visitor FROM issue_visitor ORDER BY visitor').map(({ visitor }) => visitor),
      ['7', '8']
    )
    t.same(sumVisitors(store), {
      visitor_days: 2,
      visitor_days_of_environment: 2,
      visitor_days_of_project: 2,
      visitor_days_of_release: 2,
      visitors: 2,
      visitors_of_environment: 2,
      visitors_of_project: 2,
      visitors_of_release: 2
    })
  })

  t.test('without an id is found by the name, or else by the mail address', async (t) => {
    const { send, store } = openWriter(t)
    send(createRawEvent({ user: { email: 'ada@shop.example' } }))
    send(createRawEvent({ user: { username: 'ines', email: 'ines@shop.example' } }))
    send(createRawEvent({ user: { id: '7', email: 'bea@shop.example' } }))
    const view = { since: Date.now() - HOUR, until: Date.now() + HOUR }
    for (const [user, events] of [
      ['ada@shop.example', 1],
      ['ines', 1],
      ['7', 1],
      ['ines@shop.example', 0],
      ['bob@shop.example', 0]
    ] as const) {
      t.equal(listIssues(store, { view, query: `user:${user}` }).issues.length, events, user)
      t.equal(findEvents(store, { id: 1, query: `user:${user}` }).events.length, events, user)
    }
    t.equal(findEvents(store, { id: 1, query: '-user:ada@shop.example' }).events.length, 2)
  })

  t.test('without an id is identified by a hash of address and user agent; no address is stored', async (t) => {
    const { send, store, file, detailOf } = openWriter(t)
    const ids = [createEventId(), createEventId(), createEventId()]
    const addresses = ['198.51.100.23', '198.51.100.23', '203.0.113.77']
    for (const [index, id] of ids.entries()) {
      const headers = { 'X-Forwarded-For': '198.51.100.99', 'User-Agent': 'Firefox/140' }
      const request = { url: 'https://shop.example/', headers, env: { REMOTE_ADDR: '198.51.100.98' } }
      send(createRawEvent({ event_id: id, request, user: { ip_address: '198.51.100.97' } }), {
        address: addresses[index]!
      })
      send(createRawEvent({ request, user: { ip_address: '{{auto}}' } }), { address: addresses[index]! })
    }
    t.match(store.get('SELECT visitors FROM issue'), { visitors: 3 })
    t.match(
      store.all('SELECT DISTINCT visitor FROM event'),
      [/./, /./, /./].map(() => ({ visitor: /^[\da-f]{32}$/ }))
    )
    for (const id of ids) t.notMatch(JSON.stringify(detailOf(id)), /198\.51\.100|203\.0\.113/)
    if (serverUrl !== undefined) return
    store.run('PRAGMA wal_checkpoint(TRUNCATE)')
    t.notOk(/198\.51\.100|203\.0\.113/.test(readFileSync(file, 'latin1')))
  })

  t.test('is not counted for an event of a server without a user', async (t) => {
    const { send, store } = openWriter(t)
    const server = { platform: 'node', sdk: { name: 'sentry.javascript.node' } }
    send(createRawEvent(server), { address: '192.0.2.1' })
    t.match(store.get('SELECT visitors FROM issue'), { visitors: 0 })
    send(createRawEvent({ ...server, user: { ip_address: '192.0.2.9' } }), { address: '192.0.2.1' })
    t.match(store.all('SELECT sum(visitors) AS visitors FROM issue'), [{ visitors: 1 }])
  })

  t.test('is counted once an hour and once a day', async (t) => {
    const day = Date.UTC(2026, 10, 20)
    const { send, store } = openWriter(t)
    for (const hour of [1, 1, 2, 9, 26])
      send(createRawEvent({ ...at(day + hour * HOUR), user: { id: '7' } }), { receivedAt: day + 27 * HOUR })
    t.match(sumVisitors(store), { visitors: 4, visitor_days: 2, visitors_of_project: 4, visitor_days_of_project: 2 })
  })

  t.test('is counted once in a release, in an environment and in a project', async (t) => {
    const day = Date.UTC(2026, 10, 20)
    const { send, store } = openWriter(t)
    for (const [hour, release, environment, id] of [
      [1, '1.0', 'production', '7'],
      [1, '1.1', 'production', '7'],
      [1, '1.1', 'staging', '7'],
      [2, '1.1', 'staging', '7'],
      [2, '1.1', 'staging', '8'],
      [26, '1.0', 'production', '7']
    ] as const)
      send(createRawEvent({ ...at(day + hour * HOUR), user: { id }, release, environment }), {
        receivedAt: day + 27 * HOUR
      })
    const counted = {
      visitors: 6,
      visitor_days: 5,
      visitors_of_release: 5,
      visitor_days_of_release: 4,
      visitors_of_environment: 5,
      visitor_days_of_environment: 4,
      visitors_of_project: 4,
      visitor_days_of_project: 3
    }
    t.same(sumVisitors(store), counted)

    // The store of the previous version, which counted visitors only by release and environment.
    store.write("DELETE FROM figure_hour WHERE name LIKE 'visitor%of%'")
    for (const statement of visitorsOnce.split(';').filter((sql) => sql.trim() !== '')) store.write(statement)
    t.same(sumVisitors(store), counted, 'also after a migration')
  })
})
