import t from 'tap'
import { acceptInvitation } from '../../helpers/invitation.ts'
import { issueIn, openScreens, sendEvents, thrown } from '../../helpers/screens.ts'

const { app, admin } = await openScreens(t, { isEmpty: true })
await sendEvents(app, [thrown('FirstError', 'one'), thrown('SecondError', 'two')])
const vera = await acceptInvitation(app, admin, 'viewer', 'Vera')
const list = async (q: string, visitor = vera) =>
  (await visitor.get(`/inbox/issues?${new URLSearchParams({ q })}`)).body
const page = `/inbox/issues/${issueIn(await list(''), 'FirstError')}`
const titlesIn = (html: string) => ['FirstError', 'SecondError'].filter((title) => html.includes(`<bdi>${title}</bdi>`))

t.test('an issue is followed by a button, by viewers too', async (t) => {
  t.match((await vera.get(page)).body, /value="follow"[^>]*>Follow</)
  t.equal((await vera.post(page, { do: 'follow' })).headers.location, page)
  t.match((await vera.get(page)).body, /value="unfollow"[^>]*>Unfollow</)
  t.same(titlesIn(await list('followed:me')), ['FirstError'])
  t.same(titlesIn(await list('followed:vera', admin)), ['FirstError'])
  t.same(titlesIn(await list('-followed:me')), ['SecondError'])
  t.same(titlesIn(await list('followed:me', admin)), [])
  await vera.post(page, { do: 'unfollow' })
  t.same(titlesIn(await list('followed:me')), [])
})

t.test('the account has the address, and says what is missing', async (t) => {
  const { body } = await vera.get('/inbox/account')
  t.match(body, 'No mail server is set, so no mails are sent.')
  const refused = await vera.post('/inbox/account', { intent: 'mail', mail: 'vera' })
  t.equal(refused.statusCode, 422)
  t.match(refused.body, 'Enter one mail address, such as ada@shop.example.')
  await vera.post('/inbox/account', { intent: 'mail', mail: 'vera@shop.example' })
  t.match(
    (await vera.get('/inbox/account')).body,
    /name="mail"[^>]*value="vera@shop\.example"|value="vera@shop\.example"[^>]*name="mail"/
  )
  t.notMatch((await admin.get('/inbox/settings/alerts')).body, 'vera@shop.example')
  await vera.post('/inbox/account', { intent: 'mail', mail: '' })
  t.notMatch((await vera.get('/inbox/account')).body, 'vera@shop.example')
})
