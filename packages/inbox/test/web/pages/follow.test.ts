import t from 'tap'
import { setWallClock } from '@hull/test-helpers/wall-clock.ts'
import { createMailServer } from '../../helpers/alerts.ts'
import { acceptInvitation } from '../../helpers/invitation.ts'
import { issueIn, openScreens, sendEvents, thrown } from '../../helpers/screens.ts'

const { app, admin } = await openScreens(t, { isEmpty: true })
await sendEvents(app, [thrown('FirstError', 'one'), thrown('SecondError', 'two')])
const vera = await acceptInvitation(app, admin, 'viewer', 'Vera')
const list = async (q: string, visitor = vera) =>
  (await visitor.get(`/inbox/issues?${new URLSearchParams({ q })}`)).body
const page = `/inbox/issues/${issueIn(await list(''), 'FirstError')}`
const titlesIn = (html: string) => ['FirstError', 'SecondError'].filter((title) => html.includes(`<bdi>${title}</bdi>`))

t.test('a button follows an issue, also for viewers', async (t) => {
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

t.test('the account page saves the mail address, and says that no mail server is set', async (t) => {
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

t.test('invalid addresses do not count towards the limit of codes', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true })
  const save = async (mail: string) => (await admin.post('/inbox/account', { intent: 'mail', mail })).statusCode
  for (const wrong of ['ada', 'ada@', '@shop.example', 'ada shop.example']) t.equal(await save(wrong), 422, wrong)
  t.equal(await save('ada@shop.example'), 303)
  await app.close()
})

t.test('an address is used after the code from its mail is entered', async (t) => {
  const { mails, mail } = await createMailServer(t)
  const { app, admin } = await openScreens(t, {
    isEmpty: true,
    env: { INBOX_SMTP_URL: mail.url, INBOX_MAIL_FROM: mail.from }
  })
  const save = (address: string) => admin.post('/inbox/account', { intent: 'mail', mail: address })
  await save('ada@shop.example')
  t.match(
    (await admin.get('/inbox/account')).body,
    /Enter the code that .*was.* sent to.*ada@shop\.example.*Confirm address/s
  )
  const [, code] = /^Subject: (\S+) is your code/m.exec(mails[0]!)!
  const wrong = await admin.post('/inbox/account', { intent: 'confirm-mail', code: 'X' })
  t.equal(wrong.statusCode, 422)
  t.match(wrong.body, 'This is not the code of the newest mail.')
  t.equal((await admin.post('/inbox/account', { intent: 'confirm-mail', code: code! })).statusCode, 303)
  t.notMatch((await admin.get('/inbox/account')).body, 'Confirm address')
  await save('two@shop.example')
  await t.test('even if the wall clock is ahead', async (t) => {
    setWallClock(t, 1_800_000)
    await save('three@shop.example')
    t.match(mails.at(-1), /^To: three@shop\.example$/m)
  })
  const refused = await save('four@shop.example')
  t.equal(refused.statusCode, 429)
  t.match(refused.body, 'Too many codes were sent; try again in a minute.')
  t.ok(Number(refused.headers['retry-after']) > 30)
  t.match((await admin.get('/inbox/account')).body, 'three@shop.example')
  await app.close()
})
