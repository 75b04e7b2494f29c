import t from 'tap'
import { hrefIn, issueIn, openScreens, sendEvents, thrown } from '../../helpers/screens.ts'

const eventsIn = (html: string) => [...html.matchAll(/<tr data-row="([\da-f]{32})"/g)].map((match) => match[1])

t.test('events and tags of an issue', async (t) => {
  const { app, admin } = await openScreens(t)
  const user = (id: number) => ({ user: { id: `u${id}` } })
  const events = Array.from({ length: 60 }, (_, i) => ({
    ...thrown('SearchError', i === 7 ? 'the Needle broke' : 'it is broken'),
    fingerprint: ['search'],
    release: i % 2 === 0 ? 'web-1.0' : 'web-2.0',
    environment: i % 3 === 0 ? 'staging' : 'production',
    tags: { colour: i % 4 === 0 ? 'red' : 'dark blue', 'a"b%<script>': `x"y%${i % 2}` },
    ...user(i % 5)
  }))
  await sendEvents(app, events)
  const id = issueIn((await admin.get('/inbox/issues')).body, 'SearchError')
  const path = `/inbox/issues/${id}/events`
  const search = (q: string) => admin.get(`${path}?${new URLSearchParams({ q })}`)
  const count = async (q: string) => eventsIn((await search(q)).body).length

  t.test('are found by filters and words', async (t) => {
    for (const [query, expected] of [
      ['release:web-1.0 environment:staging', 10],
      ['release:web-1.0 release:web-2.0 env:staging', 20],
      ['release:web-1.*', 30],
      ['-release:web-1.0', 30],
      ['-environment:staging', 40],
      ['tag:colour=red', 15],
      ['-tag:colour=red environment:staging', 15],
      ['tag:colour="dark blue" release:web-1.0', 15],
      ['tag:colour=dark*', 45],
      ['tag:release=web-2.0', 30],
      ['level:error needle', 1],
      ['NEEDLE broke', 1],
      ['-broken', 1],
      ['needle tag:colour=red', 0],
      ['tag:"a\\"b%<script>"="x\\"y%1"', 30],
      ['browser:%', 0],
      ['os:nothing', 0]
    ] as const)
      t.equal(Math.min(expected, 50), await count(query), query)
    const { visitor } = (await app.inbox!.queries.listEvents({ id })).events[0]!
    t.equal(await count(`user:${visitor}`), 12)
  })

  t.test('are listed in pages', async (t) => {
    for (const query of ['tag:colour=*', 'level:error']) {
      const first = (await search(query)).body
      t.equal(eventsIn(first).length, 50)
      const second = (await admin.get(hrefIn(first, 'next')!)).body
      t.equal(eventsIn(second).length, 10)
      t.equal(hrefIn(second, 'next'), undefined)
      t.match(second, `value="${query}"`, 'the search is kept')
      t.equal(new Set([...eventsIn(first), ...eventsIn(second)]).size, 60)
      const back = (await admin.get(hrefIn(second, 'prev')!)).body
      t.same(eventsIn(back), eventsIn(first))
      t.equal(hrefIn(back, 'prev'), undefined)
    }
  })

  t.test('show message, user and trace', async (t) => {
    const { body } = await search('needle')
    const row = body.split('<tr data-row=')[1]!
    t.match(row, 'SearchError: the Needle broke')
    const { visitor, traceId } = (await app.inbox!.queries.findEvents({ id, query: 'needle' })).events[0]!
    t.match(row, `>${visitor}<`)
    if (traceId) t.match(row, `/inbox/traces/${traceId}`)
    t.match((await admin.get(path)).body, 'SearchError: it is broken')
  })

  t.test('are not listed for an invalid search, and a message says why', async (t) => {
    for (const [query, why] of [
      ['relase:1', 'Unknown filter &quot;relase&quot;. Did you mean release?'],
      ['is:new', 'is: finds issues, not the events of an issue.'],
      ['tag:x', 'tag: needs a name and a value'],
      ['x'.repeat(10_000), 'A search can have at most 1,000 characters.']
    ] as const) {
      const { statusCode, body } = await search(query)
      t.equal(statusCode, 200)
      t.match(body, why)
      t.match(body, 'aria-invalid="true"')
    }
    const other = hrefIn((await admin.get('/inbox/issues?q=&range=30d&sort=events')).body, 'next')
    for (const cursor of ['nonsense', new URL(other ?? '/?cursor=x', 'http://x').searchParams.get('cursor')!])
      t.equal((await admin.get(`${path}?${new URLSearchParams({ q: 'needle', cursor })}`)).statusCode, 400)
    t.equal(await count('nothinglikethis'), 0)
    t.match((await search('nothinglikethis')).body, 'No matching events')
  })

  t.test('are counted by tag', async (t) => {
    const tags = `/inbox/issues/${id}/tags`
    t.match((await admin.get(`/inbox/issues/${id}`)).body, `href="${tags}"`)
    const all = (await admin.get(tags)).body
    t.match(all, `href="${tags}?tag=colour"`)
    const one = (await admin.get(`${tags}?tag=colour`)).body
    t.match(one, /dark blue.*75 %|dark blue.*75%/s)
    const [, href] = /href="([^"]+)"[^>]*title="15 events"/.exec(one)!
    t.equal(href, `${path}?q=tag%3Acolour%3Dred`)
    t.equal(eventsIn((await admin.get(href!)).body).length, 15)
    const hostile = (await admin.get(`${tags}?${new URLSearchParams({ tag: 'a"b%<script>' })}`)).body
    t.notMatch(hostile, 'b%<script>')
    const [, link] = /href="([^"]+)"[^>]*title="30 events"/.exec(hostile)!
    t.equal(eventsIn((await admin.get(link!.replaceAll('&amp;', '&'))).body).length, 30)
    for (const tag of ['nothing', '%', "'", 'x'.repeat(10_000)])
      t.equal((await admin.get(`${tags}?${new URLSearchParams({ tag })}`)).statusCode, 404)
    t.equal((await admin.get('/inbox/issues/9999/tags')).statusCode, 404)
  })
})

t.test('a value that ends with an asterisk is found alone, also by links and suggestions', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  const [starred, other] = [
    { release: 'app@2.0*', tags: { branch: 'fix/*' } },
    { release: 'app@2.0.1', tags: { branch: 'fix/cart' } }
  ]
  await sendEvents(app, [
    { ...thrown('StarError'), ...starred },
    { ...thrown('StarError'), ...other },
    { ...thrown('OtherError'), ...other }
  ])
  const find = async (href: string) => {
    const { body } = await admin.get(href)
    return ['StarError', 'OtherError'].filter((type) => body.includes(type))
  }
  const search = (q: string) => find(`/inbox/issues?${new URLSearchParams({ q })}`)
  t.same(await search('release:app@2.0*'), ['StarError', 'OtherError'])
  t.same(await search(String.raw`release:app@2.0\*`), ['StarError'])
  t.same(await search(String.raw`introduced:"app@2.0\*"`), ['StarError'])
  t.same(await search(String.raw`-tag:branch=fix/\*`), ['OtherError'])

  const linksOf = (html: string, pattern: RegExp) =>
    [...html.matchAll(/href="([^"]+)"/g)]
      .map(([, href]) => href!.replaceAll('&amp;', '&'))
      .filter((href) => pattern.test(href))
  const introduced = linksOf((await admin.get('/inbox/releases')).body, /q=introduced/)
  t.same((await Promise.all(introduced.map(find))).sort(), [['OtherError'], ['StarError']])
  const id = issueIn((await admin.get('/inbox/issues')).body, 'StarError')
  const events = `/inbox/issues/${id}/events`
  const count = async (href: string) => eventsIn((await admin.get(href)).body).length
  t.equal(await count(`${events}?${new URLSearchParams({ q: 'release:app@2.0*' })}`), 2)
  t.equal(await count(`${events}?${new URLSearchParams({ q: String.raw`release:app@2.0\*` })}`), 1)
  const tags = linksOf((await admin.get(`/inbox/issues/${id}/tags`)).body, /\?q=tag%3A(?:branch|release)/)
  t.equal(tags.length, 4)
  for (const href of tags) t.equal(await count(href), 1, href)
  const { texts } = (await admin.get('/inbox/suggestions?text=tag:branch=fix/')).json<{ texts: string[] }>()
  t.ok(texts.includes(String.raw`tag:branch=fix/\* `))
})
