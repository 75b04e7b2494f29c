// Runs in a process of its own: it initializes the SDK of its process.
import * as Sentry from '@sentry/node'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { INBOX_PASSWORD, signIn, type Visitor } from '@hull/test-helpers/inbox-visitor.ts'
import { hrefIn, openScreens, sendItems } from '../../helpers/screens.ts'
import { createSdk } from '../../helpers/sdk.ts'

/** Texts of the lines on a page. */
const linesIn = (html: string) => [...html.matchAll(/class="logs-body"><bdi[^>]*>([^<]*)/g)].map(([, text]) => text)

const linesOf = async (admin: Visitor, query: string) => linesIn((await admin.get(`/inbox/logs?${query}`)).body)

t.test('lines of the SDK are found by words, attributes, level and environment', async (t) => {
  const env = { DATA_DIR: createFolder(t), INBOX_PASSWORD }
  const { app, origin } = await createListeningApp(t, { env })
  const admin = await signIn(app)
  t.match((await admin.get('/inbox/logs')).body, 'No log lines found')
  await createSdk(t, { app, origin })(() => {
    Sentry.logger.info('order placed', { 'order.id': 7, paid: true })
    Sentry.logger.error('card 100% refused', { 'order.id': 8 })
  })
  await stored(app, 'log')
  const [placed, refused] = ['order placed', 'card 100% refused']
  t.same((await linesOf(admin, '')).sort(), [refused, placed])
  t.same(await linesOf(admin, 'q=Order'), [placed])
  t.same(await linesOf(admin, 'q=-order'), [refused])
  t.same(await linesOf(admin, `q=${encodeURIComponent('100%')}`), [refused])
  t.same(await linesOf(admin, 'q=1_0'), [])
  t.same(await linesOf(admin, 'q=order.id=8'), [refused])
  t.same(await linesOf(admin, 'q=paid=true'), [placed])
  t.same(await linesOf(admin, 'q=-order.id=8+placed'), [placed])
  t.same(await linesOf(admin, 'level=warn'), [refused])
  t.equal((await linesOf(admin, 'environment=production')).length, 2)
  t.same(await linesOf(admin, 'environment=staging'), [])
  t.same(await linesOf(admin, 'since=2020-01-01&until=2020-01-02'), [])

  const [, form] = /<form class="menu-foot" action="\/inbox\/logs">(.*?)<\/form>/s.exec(
    (await admin.get('/inbox/logs?q=order&level=warn&range=7d')).body
  )!
  const hidden = [...form!.matchAll(/type="hidden" name="(\w+)" value="(\w*)"/g)].map(([, name, value]) => [
    name,
    value
  ])
  t.same(
    hidden.sort(),
    [
      ['level', 'warn'],
      ['q', 'order']
    ],
    'a change of the time range keeps the filters'
  )
})

t.test('a line and its trace link to each other', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  const trace = 'ab'.repeat(16)
  const hostile = '<img src=x onerror=alert(1)>'
  const line = { timestamp: Date.now() / 1_000, level: 'info', body: hostile, trace_id: trace }
  const attributes = { [`"'${hostile}`]: { value: hostile, type: 'string' } }
  await sendItems(app, [
    [
      { type: 'log' },
      {
        items: [
          { ...line, attributes },
          { ...line, trace_id: 'cd'.repeat(16) }
        ]
      }
    ]
  ])
  await stored(app, 'log')
  const page = (await admin.get('/inbox/logs')).body
  t.match(page, `href="/inbox/traces/${trace}"`)
  t.notMatch(page, hostile)
  t.match((await admin.get(`/inbox/traces/${trace}`)).body, `href="/inbox/logs?trace=${trace}"`)
  t.equal((await linesOf(admin, `trace=${trace}&since=2020-01-01&until=2020-01-02`)).length, 1, 'of any time')
  t.equal((await app.inject({ url: '/inbox/logs' })).statusCode, 401)
})

t.test('a search keeps the live tail on', async (t) => {
  const { admin } = await openScreens(t, { isEmpty: true })
  const searchIn = async (query: string) =>
    /class="search-form".*?<\/form>/s.exec((await admin.get(`/inbox/logs${query}`)).body)![0]
  t.match(await searchIn('?level=warn&tail=on'), '<input type="hidden" name="tail" value="on"/>')
  t.notMatch(await searchIn('?level=warn'), 'name="tail"')
})

t.test('a list of logs has pages, in both directions', async (t) => {
  const { admin } = await openScreens(t)
  const first = (await admin.get('/inbox/logs?range=7d')).body
  t.match(first, /<th scope="row"><bdi[^>]*>project<\/bdi><\/th><td><bdi[^>]*>Shop/)
  const second = (await admin.get(hrefIn(first, 'next')!)).body
  t.equal(linesIn(first).length, 100)
  t.ok(linesIn(second).length > 40)
  t.equal(hrefIn(second, 'next'), undefined)
  t.same(linesIn((await admin.get(hrefIn(second, 'prev')!)).body), linesIn(first))
  t.equal((await admin.get('/inbox/logs?cursor=x')).statusCode, 400)
})

t.test('a list of very long lines is shown, with its last lines cut', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  const line = { timestamp: Date.now() / 1_000, level: 'info', trace_id: 'ab'.repeat(16) }
  // Each text is different, because the data of the page contains equal texts once.
  const toText = (place: string, character: string, length: number) => place + character.repeat(length - place.length)
  const createLine = (place: string) => ({
    ...line,
    body: toText(place, '\u2028', 8_192),
    attributes: Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`a${i}`, { value: toText(`${place} ${i}`, '<', 1_000), type: 'string' }])
    )
  })
  for (let sent = 0; sent < 10; sent++)
    await sendItems(app, [
      [{ type: 'log' }, { items: Array.from({ length: 10 }, (_, i) => createLine(`${sent} ${i}`)) }]
    ])
  await stored(app, 'log', 10)
  for (const url of ['/inbox/logs', `/inbox/logs?trace=${line.trace_id}`, `/inbox/traces/${line.trace_id}`])
    t.equal((await admin.get(url)).statusCode, 200, url)
  const { body } = await admin.get('/inbox/logs')
  t.equal(linesIn(body).length, 100)
  t.match(body, '>a11<', 'the first lines are complete')
  t.match(body, '>omitted, because the page is too long<')
})
