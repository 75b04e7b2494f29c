import t from 'tap'
import { hrefIn, issueIn, openScreens, placeIn, sendEvents, thrown } from '../../helpers/screens.ts'

t.test('the events of an issue', async (t) => {
  const { app, admin } = await openScreens(t)
  await sendEvents(
    app,
    Array.from({ length: 52 }, (_, i) => thrown('ManyError', `number ${i}`))
  )
  const list = (await admin.get('/inbox/issues')).body
  const id = issueIn(list, 'ManyError')
  const eventsIn = (html: string) => [...html.matchAll(/<tr data-row="([\da-f]{32})"/g)].map((match) => match[1])

  t.test('are listed in pages, newest first', async (t) => {
    t.match((await admin.get(`/inbox/issues/${id}`)).body, `/inbox/issues/${id}/events`)
    const first = (await admin.get(`/inbox/issues/${id}/events?range=7d`)).body
    t.equal(eventsIn(first).length, 50)
    const newest = (await app.inbox!.queries.getEvent({ id })).row.eventId
    t.equal(eventsIn(first)[0], newest)
    t.match(first, /aria-label="Breadcrumb".*>Issues<.*ManyError.*aria-current="page"><bdi>Events</s)
    t.equal(placeIn(first), '1–50 of 52')
    t.notMatch(first, 'rel="prev"')
    const second = (await admin.get(hrefIn(first, 'next')!)).body
    t.equal(eventsIn(second).length, 2)
    t.equal(placeIn(second), '51–52 of 52')
    const back = (await admin.get(hrefIn(second, 'prev')!)).body
    t.same(eventsIn(back), eventsIn(first))
    t.equal(placeIn(back), '1–50 of 52')
    t.equal(new Set([...eventsIn(first), ...eventsIn(second)]).size, 52)
  })

  t.test('of a missing issue, and an invalid page, are refused', async (t) => {
    t.equal((await admin.get('/inbox/issues/99999/events')).statusCode, 404)
    t.equal((await admin.get(`/inbox/issues/${id}/events?cursor=nonsense`)).statusCode, 400)
    const next = hrefIn((await admin.get(`/inbox/issues/${id}/events`)).body, 'next')!
    t.match(next, /&offset=50$/)
    for (const offset of ['-1', 'x', '1.5', '9999999999', ''])
      t.equal((await admin.get(next.replace(/offset=50/, `offset=${offset}`))).statusCode, 400, `offset ${offset}`)
    t.equal(
      placeIn((await admin.get(next.replace('offset=50', 'offset=999'))).body),
      '51–52 of 52',
      'an offset that is too large is limited'
    )
    t.equal(
      placeIn((await admin.get(next.replace('&offset=50', ''))).body),
      '51–52 of 52',
      'the last page shows its position also without an offset'
    )
  })
})

t.test('rows show a level other than error, and the project if there are several', async (t) => {
  const { app, admin } = await openScreens(t)
  await sendEvents(app, [thrown('PlainError'), { ...thrown('SoftError'), level: 'warning' }])
  const rowOf = (html: string, type: string) => html.split('<tr data-row="').find((row) => row.includes(type))!
  const all = (await admin.get('/inbox/issues')).body
  t.match(rowOf(all, 'SoftError'), />warning</)
  t.match(rowOf(all, 'SoftError'), /issue-note"><bdi>Shop</)
  t.notMatch(rowOf(all, 'PlainError'), />error</)
  const one = (await admin.get('/inbox/issues?project=1')).body
  t.notMatch(rowOf(one, 'SoftError'), 'Shop')
})
