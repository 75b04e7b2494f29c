import t from 'tap'
import { createToken, openApi } from '../../helpers/api.ts'
import { hrefIn, openScreens, placeIn, sendEvents, sendItems, thrown } from '../../helpers/screens.ts'
import { stored } from '@hull/test-helpers/inbox.ts'

const { app, admin } = await openScreens(t, { isEmpty: true })
t.teardown(() => app.close())

const ids = (number: number) => number.toString(16).padStart(32, '0')

interface Feedback {
  message: string
  about?: string
  name?: string
  contact_email?: string
  url?: string
}

async function sendFeedback(all: Feedback[]): Promise<void> {
  const before = app.inbox!.stats().stored['feedback'] ?? 0
  for (const [index, { about, ...feedback }] of all.entries()) {
    const contexts = { feedback: { ...feedback, ...(about && { associated_event_id: about }) } }
    await sendItems(app, [[{ type: 'feedback' }, { event_id: ids(before + index + 1), contexts }]])
  }
  await stored(app, 'feedback', before + all.length)
}

t.test('an empty list says what appears there', async (t) => {
  const { body } = await admin.get('/inbox/feedback')
  t.match(body, 'No feedback in the last 24 hours')
  t.equal(placeIn(body), undefined)
})

t.test('a search without a match says so, and links to a longer time range', async (t) => {
  const { body } = await admin.get('/inbox/feedback?q=card&environment=test')
  t.match(body, 'No matching feedback in the last 24 hours')
  t.match(body, 'href="/inbox/feedback?q=card&amp;environment=test&amp;range=30d"')
  t.match(body, /href="\/inbox\/feedback\?environment=test">Show all feedback/)
  t.notMatch((await admin.get('/inbox/feedback?q=card&range=30d')).body, 'Show the last 30 days')
})

t.test('feedback is listed with its person, its page and its event', async (t) => {
  const about = ids(0xabc)
  await sendEvents(app, [{ ...thrown('PayError', 'no answer'), event_id: about }])
  const url = 'https://shop.example/pay?card=4111'
  await sendFeedback([{ message: 'Was I charged?', about, name: 'Ines', contact_email: 'ines@example.org', url }])
  const { body } = await admin.get('/inbox/feedback')
  for (const text of ['Was I charged?', 'Ines', 'ines@example.org', 'PayError', `?event=${about}`]) t.match(body, text)
  t.match(body, /href="https:\/\/shop\.example\/pay" rel="noreferrer nofollow"/)
  t.notMatch(body, '4111', 'the query string of the page is not stored')
  const [, issue] = /href="(\/inbox\/issues\/[^"]*)"><bdi>PayError/.exec(body)!
  t.match((await admin.get(issue!.replaceAll('&amp;', '&'))).body, /<bdi>Ines<\/bdi>, <bdi>ines@example\.org/)
})

t.test('a hostile message is text, and a hostile address is no link', async (t) => {
  await sendFeedback([{ message: '<img src=x onerror=alert(1)>', name: '<b>Eve</b>', url: 'javascript:alert(1)' }])
  const { body } = await admin.get('/inbox/feedback')
  t.match(body, '&lt;img src=x onerror=alert(1)&gt;')
  t.notMatch(body, '<b>Eve')
  t.notMatch(body, 'href="javascript:')
})

t.test('a search finds words, names, mail addresses and pages', async (t) => {
  await sendFeedback([
    { message: 'The map is 100% wrong', contact_email: 'kim@example.org', url: 'https://shop.example/stores' },
    { message: 'Thanks', name: 'Kim' }
  ])
  const found = async (query: string) => {
    const { body } = await admin.get(`/inbox/feedback?q=${encodeURIComponent(query)}`)
    return [...body.matchAll(/<blockquote><bdi[^>]*>([^<]*)</g)].map(([, text]) => text)
  }
  t.same(await found('CHARGED was'), ['Was I charged?'])
  t.same((await found('kim')).sort(), ['Thanks', 'The map is 100% wrong'])
  t.same(await found('kim@example.org'), ['The map is 100% wrong'])
  t.same(await found('/stores'), ['The map is 100% wrong'])
  t.same(await found('%'), ['The map is 100% wrong'], 'a wildcard of SQL is a character')
  t.same(await found('nothing like this'), [])
  t.same(await found('"100% wrong"'), ['The map is 100% wrong'], 'words in quotes are adjacent')
  t.same(await found('"wrong map"'), [])
  t.same(await found('kim -stores'), ['Thanks'], 'excluding a page keeps feedback without a page')
})

t.test('pages can be read in both directions, without gaps', async (t) => {
  await sendFeedback(Array.from({ length: 120 }, (_, i) => ({ message: `Message ${i}.` })))
  const messagesOf = (html: string) => [...html.matchAll(/<blockquote><bdi[^>]*>([^<]*)</g)].map(([, text]) => text)
  const first = (await admin.get('/inbox/feedback')).body
  t.equal(placeIn(first), '1–50 of 124')
  t.equal(messagesOf(first)[0], 'Message 119.')
  const second = (await admin.get(hrefIn(first, 'next')!)).body
  const third = (await admin.get(hrefIn(second, 'next')!)).body
  t.equal(placeIn(third), '101–124 of 124')
  t.equal(hrefIn(third, 'next'), undefined)
  const all = [first, second, third].flatMap(messagesOf)
  t.equal(new Set(all).size, 124)
  t.same(messagesOf((await admin.get(hrefIn(third, 'prev')!)).body), messagesOf(second))
  t.equal((await admin.get('/inbox/feedback?cursor=x')).statusCode, 400)
})

t.test('environment and release of the view are those of the event', async (t) => {
  t.match((await admin.get('/inbox/feedback?environment=nowhere')).body, 'No feedback')
  t.match((await admin.get('/inbox/feedback?release=none')).body, 'No feedback')
  const { environment, release } = (await app.inbox!.queries.getEvent({ id: 1 })).row
  t.type(release, 'string')
  for (const query of [`environment=${environment}`, `release=${release}`]) {
    const { body } = await admin.get(`/inbox/feedback?${query}`)
    t.equal(placeIn(body), '1–1 of 1', query)
  }
})

t.test('the API lists feedback with its event', async (t) => {
  const api = openApi(app, await createToken(admin, 'read'))
  const { feedback, total } = (await api('/feedback?query=charged')).json()
  t.equal(total, 1)
  t.match(feedback, [
    { name: 'Ines', page: 'https://shop.example/pay', event: { issue: 1, title: 'PayError: no answer' } }
  ])
  const { next } = (await api('/feedback?limit=1')).json()
  t.equal((await api(`/feedback?limit=1&cursor=${next}`)).json().feedback[0].message, 'Message 118.')
})

t.test('a screenshot of feedback can be downloaded, from the list and from the event', async (t) => {
  const contexts = { feedback: { message: 'It looks odd', associated_event_id: ids(0xabc) } }
  await sendItems(app, [
    [{ type: 'feedback' }, { event_id: ids(0xdef), contexts }],
    [{ type: 'attachment', filename: 'screenshot.png', content_type: 'image/png' }, 'pixels']
  ])
  await stored(app, 'attachment', 1)
  for (const screen of ['/inbox/feedback?q=odd', `/inbox/issues/1?event=${ids(0xabc)}`]) {
    const { body } = await admin.get(screen)
    const [, href] = /It looks odd[^]*?href="(\/inbox\/attachments\/\d+)"[^>]*>[^]*?screenshot\.png/.exec(body) ?? []
    t.equal((await admin.get(href!)).body, 'pixels', screen)
  }
})
