import t from 'tap'
import { listIssues } from '../../src/queries/issues/issues.ts'
import { createEnvelope, createRawEvent, openWriter } from '../helpers/writer.ts'

t.test('tags of an issue', async (t) => {
  t.test('are counted, including release, environment, url, browser, system and route', async (t) => {
    const { send, store } = openWriter(t)
    send(createRawEvent({ tags: { colour: 'red', request_id: 'r1', digest: 'ABCDEFGH1234' } }))
    send(createRawEvent({ tags: [['colour', 'red']] }))
    const tags = store.all<{ name: string; value: string; events: number }>(
      'SELECT name, value, events FROM issue_tag ORDER BY name, value'
    )
    t.same(
      tags.map(({ name, value, events }) => `${name}=${value} ${events}`),
      [
        'browser=Chrome 140 2',
        'colour=red 2',
        'environment=production 2',
        'os=Linux 2',
        'release=1.0.0 2',
        'transaction=/items/[id] 2',
        'url=https://shop.example/items/7 2'
      ]
    )
  })

  t.test('are cut if they are long addresses, in any script', async (t) => {
    const { send, store, count } = openWriter(t)
    const noise = Array.from({ length: 1_500 }, () => String.fromCharCode(0x4e00 + Math.random() * 20_000)).join('')
    send(createRawEvent({ request: { url: `https://shop.example/${noise}` } }))
    t.equal(count('event'), 1)
    t.equal(store.get<{ value: string }>(`SELECT value FROM issue_tag WHERE name = 'url'`)!.value.length, 800)
  })

  t.test('are limited in values and names, but every event is counted', async (t) => {
    const { writer, store } = openWriter(t)
    const envelopes = Array.from({ length: 150 }, (_, index) =>
      createEnvelope([['event', createRawEvent({ tags: { cart: `c${index}`, [`name${index}`]: 'x' } })]])
    )
    writer.ingest(envelopes)
    const carts = store.all<{ value: string; events: number }>(
      `SELECT value, events FROM issue_tag WHERE name = 'cart'`
    )
    t.equal(carts.length, 101)
    t.equal(
      carts.reduce((sum, { events }) => sum + events, 0),
      150
    )
    t.equal(carts.find(({ value }) => value === '')?.events, 50)
    const { names } = store.get<{ names: number }>('SELECT count(DISTINCT name) AS names FROM issue_tag')!
    t.equal(names, 60)
  })

  t.test('have every release of a project, so that a search for the newest release finds an old issue', async (t) => {
    const { writer, store } = openWriter(t)
    const envelopes = Array.from({ length: 150 }, (_, index) =>
      createEnvelope([['event', createRawEvent({ release: `1.${index}.0` })]])
    )
    writer.ingest(envelopes)
    const { releases } = store.get<{ releases: number }>(
      `SELECT count(*) AS releases FROM issue_tag WHERE name = 'release'`
    )!
    t.equal(releases, 150)
    const view = { since: Date.now() - 3_600_000, until: Date.now() + 1_000 }
    t.match(listIssues(store, { view, query: 'release:latest' }), { issues: [{ id: 1 }], total: 1 })
    t.match(listIssues(store, { view: { ...view, release: '1.149.0' } }), { issues: [{ eventsInRange: 1 }], total: 1 })
  })

  t.test('find an issue by path segments of each of its addresses', async (t) => {
    const { send, store } = openWriter(t)
    const visit = (path: string) =>
      send(createRawEvent({ fingerprint: ['one'], request: { url: `https://shop.example${path}` } }))
    for (const path of ['/home', '/checkout/pay', '/check', '/checkout/pay']) visit(path)
    const view = { since: Date.now() - 3_600_000, until: Date.now() + 1_000 }
    for (const [query, total] of [
      ['url:/home', 1],
      ['url:/checkout', 1],
      ['url:/pay', 1],
      ['url:/check', 1],
      ['url:/pay/check', 0],
      ['-url:/checkout', 0],
      ['checkout', 1]
    ] as const)
      t.equal(listIssues(store, { view, query }).total, total, query)
    const { url } = store.get<{ url: string }>('SELECT url FROM issue_search')!
    t.equal(url.split(' ').length, 3, 'each address is stored once')
    for (let number = 0; number < 90; number++) visit(`/${'long-'.repeat(100)}${number}`)
    t.ok(store.get<{ url: string }>('SELECT url FROM issue_search')!.url.length < 6_000)
  })
})
