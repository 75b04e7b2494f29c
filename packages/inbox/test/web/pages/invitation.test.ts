import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createVisitor, INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { acceptInvitation, linkIn, makeInvitation } from '../../helpers/invitation.ts'

const env = { INBOX_PASSWORD }

t.test('an invitation admits one person, with the role of the invitation', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  for (const [role, settings] of [
    ['viewer', 403],
    ['admin', 200]
  ] as const) {
    const link = await makeInvitation(admin, role)
    const guest = createVisitor(app)
    for (let i = 0; i < 2; i++) {
      const page = await guest.get(link)
      t.equal(page.statusCode, 200)
      t.match(page.body, 'Ada invites you as')
      t.equal(page.headers['set-cookie'], undefined, 'opening the page accepts nothing')
      t.notMatch(page.body, '<script')
    }
    const accepted = await guest.post(link, { name: `New ${role}` })
    t.equal(accepted.statusCode, 303)
    t.equal(accepted.headers.location, '/inbox')
    t.equal((await guest.get('/inbox')).statusCode, 200)
    t.equal((await guest.get('/inbox/settings')).statusCode, settings)
    const late = createVisitor(app)
    t.match((await late.get(link)).body, 'This invitation has expired')
    t.equal((await late.post(link, { name: 'Late' })).statusCode, 422)
    t.equal((await late.get('/inbox')).statusCode, 401)
  }
})

t.test('an invalid name, or one that is taken, leaves the invitation valid', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const link = await makeInvitation(admin, 'viewer')
  const guest = createVisitor(app)
  for (const [name, words] of [
    ['', 'Enter a name'],
    ['\u202E', 'Enter a name'],
    ['ada', 'This name is taken']
  ] as const) {
    const refused = await guest.post(link, { name })
    t.equal(refused.statusCode, 422, name)
    t.match(refused.body, words)
    t.match(refused.body, 'You are invited')
  }
  t.equal((await guest.post(link, { name: 'Bob' })).statusCode, 303)
})

t.test('a revoked or unknown invitation admits nobody', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const link = await makeInvitation(admin, 'admin')
  const [, hash] = /name="hash" value="([\da-f]{64})"/.exec((await admin.get('/inbox/settings/people')).body)!
  t.equal((await admin.post('/inbox/settings/people', { intent: 'revoke', hash: hash! })).statusCode, 303)
  const guest = createVisitor(app)
  for (const path of [
    link,
    '/inbox/invitation',
    '/inbox/invitation?token=x',
    `/inbox/invitation?token=${'A'.repeat(43)}`
  ]) {
    t.match((await guest.get(path)).body, 'This invitation has expired', path)
    t.equal((await guest.post(path, { name: 'Bob' })).statusCode, 422)
  }
  t.equal((await guest.get('/inbox')).statusCode, 401)
})

t.test('only the person who created an invitation sees its link', async (t) => {
  const { app } = await createTestApp(t, { env })
  const [ada, eve] = [await signIn(app), await signIn(app, 'Eve')]
  await makeInvitation(ada, 'viewer')
  const seen = (await eve.get('/inbox/settings/people')).body
  t.match(seen, 'The link is no longer shown.')
  t.notMatch(seen, '/inbox/invitation?token=')
})

t.test('no log line contains the link', async (t) => {
  const { app, logs } = await createTestApp(t, { env: { ...env, LOG_LEVEL: 'trace' } })
  const admin = await signIn(app)
  const link = await makeInvitation(admin, 'viewer')
  const guest = createVisitor(app)
  await guest.get(link)
  await guest.post(link, { name: 'Bob' })
  t.ok(logs.lines.some(({ path }) => path === '/inbox/invitation'))
  t.notMatch(JSON.stringify(logs.lines), link.slice(-43))
})

t.test('an existing person can receive a link to sign in again', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  await acceptInvitation(app, admin, 'viewer', 'Bob')
  const [, person] = /(\/inbox\/settings\/people\/\d+)/.exec((await admin.get('/inbox/settings/people')).body)!
  t.equal((await admin.post(person!, { intent: 'let-in' })).statusCode, 303)
  const link = linkIn((await admin.get('/inbox/settings/people')).body)
  const guest = createVisitor(app)
  const page = (await guest.get(link)).body
  t.match(page, 'Welcome back, Bob')
  t.notMatch(page, 'name="name"')
  t.equal((await guest.post(link)).statusCode, 303)
  t.match((await guest.get('/inbox/account')).body, 'value="Bob"')
})

t.test('the link for a person with a role in one project does not show a role for all projects', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  await acceptInvitation(app, admin, 'viewer', 'Vera', app.inbox!.own.id)
  const vera = (await app.inbox!.queries.listPeople()).find(({ name }) => name === 'Vera')!
  await admin.post(`/inbox/settings/people/${vera.id}`, { intent: 'let-in' })
  const { body } = await createVisitor(app).get(linkIn((await admin.get('/inbox/settings/people')).body))
  t.match(body, 'Ada invites you to the error inbox')
})

t.test('the link has the origin that visitors use', async (t) => {
  const { app } = await createTestApp(t, { env: { ...env, BASE_URL: 'https://app.example' } })
  const visitor = createVisitor(app)
  const headers = { origin: 'https://app.example' }
  await visitor.post('/inbox/sign-in', { name: 'Ada', password: INBOX_PASSWORD }, headers)
  await visitor.post('/inbox/settings/people', { intent: 'invite', role: 'viewer' }, headers)
  t.match(
    (await visitor.get('/inbox/settings/people')).body,
    /https:\/\/app\.example\/inbox\/invitation\?token=[\w-]{43}/
  )
})

t.test('a link to sign in again ends only the session of the browser in which it is used', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const here = await acceptInvitation(app, admin, 'viewer', 'Vera')
  const { id } = (await app.inbox!.queries.listPeople()).find(({ name }) => name === 'Vera')!
  const person = `/inbox/settings/people/${id}`
  const letIn = async () => {
    await admin.post(person, { intent: 'let-in' })
    return linkIn((await admin.get('/inbox/settings/people')).body)
  }
  const elsewhere = createVisitor(app)
  t.equal((await elsewhere.post(await letIn())).statusCode, 303)
  const before = `inbox=${here.cookies.get('inbox')}`
  t.equal((await here.post(await letIn())).statusCode, 303)
  t.equal((await app.inject({ url: '/inbox', headers: { cookie: before } })).statusCode, 401)
  t.equal((await here.get('/inbox')).statusCode, 200)
  t.equal((await elsewhere.get('/inbox')).statusCode, 200)

  t.test('a new role applies to every session from the next request on', async (t) => {
    for (const [role, status] of [
      ['admin', 200],
      ['viewer', 403]
    ] as const) {
      await admin.post(person, { intent: 'roles', role })
      for (const visitor of [here, elsewhere]) t.equal((await visitor.get('/inbox/settings')).statusCode, status)
    }
  })

  t.test('removing a person ends all sessions, and the open link to sign in again', async (t) => {
    const link = await letIn()
    await admin.post(person, { intent: 'remove' })
    for (const visitor of [here, elsewhere]) {
      t.equal((await visitor.get('/inbox')).statusCode, 401)
      t.equal((await visitor.get('/-/data/inbox')).statusCode, 401)
    }
    t.equal((await createVisitor(app).post(link, { name: 'Mallory' })).statusCode, 422)
  })
})
