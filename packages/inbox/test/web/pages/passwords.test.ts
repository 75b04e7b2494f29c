import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createVisitor, INBOX_PASSWORD, signIn, type Visitor } from '@hull/test-helpers/inbox-visitor.ts'
import { linkIn, makeInvitation } from '../../helpers/invitation.ts'

const PASSWORD = 'four words make one'
const NEXT = 'four other words here'
const PEOPLE = '/inbox/settings/people'

const { app } = await createTestApp(t, { env: { INBOX_PASSWORD, RENDER_TIMEOUT: '2m' } })
const admin = await signIn(app)
const { queries } = app.inbox!

/** Invites a person, and accepts the invitation with a password. */
async function invite(name: string, password = PASSWORD): Promise<Visitor> {
  const guest = createVisitor(app)
  const { statusCode } = await guest.post(await makeInvitation(admin, 'viewer'), { name, password })
  if (statusCode !== 303) throw new Error(`${name} was not admitted: ${statusCode}`)
  return guest
}

let addresses = 0

/** Signs in, by default from a new address, because wrong passwords are counted by address. */
const enter = async (name: string, password: string, remoteAddress = `192.0.2.${++addresses}`) => {
  const visitor = createVisitor(app, { remoteAddress })
  return { visitor, answer: await visitor.post('/inbox/sign-in', { name, password }) }
}

const getPerson = async (name: string) => (await queries.listPeople()).find((person) => person.name === name)!

/** Creates a sign-in link for a person. */
async function letIn(name: string): Promise<string> {
  await admin.post(`${PEOPLE}/${(await getPerson(name)).id}`, { intent: 'let-in' })
  return linkIn((await admin.get(PEOPLE)).body)
}

t.test('an invited person chooses a password, and signs in with it', async (t) => {
  const path = await makeInvitation(admin, 'viewer')
  const guest = createVisitor(app)
  const short = await guest.post(path, { name: 'Vera', password: 'x'.repeat(14) })
  t.equal(short.statusCode, 422)
  t.match(short.body, 'Enter a password of at least 15 characters.')
  t.notMatch(short.body, 'xxxxxxxxxxxxxx', 'the password is not shown again')
  t.equal((await guest.post(path, { name: 'Vera', password: 'x'.repeat(15) })).statusCode, 303)

  const { visitor, answer } = await enter('vera', 'x'.repeat(15))
  t.equal(answer.statusCode, 303)
  t.equal((await visitor.get('/inbox')).statusCode, 200)
  t.equal((await visitor.get('/inbox/settings')).statusCode, 403, 'with the role of the person')
  for (const [name, password] of [
    ['Vera', 'y'.repeat(15)],
    ['Vera', INBOX_PASSWORD],
    ['Nobody', 'x'.repeat(15)]
  ] as const) {
    const { visitor, answer } = await enter(name, password)
    t.equal(answer.statusCode, 422, name)
    t.match(answer.body, 'Wrong password.')
    t.equal((await visitor.get('/inbox')).statusCode, 401)
  }
})

t.test('a person without a password sets one, and then must use it', async (t) => {
  const bob = await signIn(app, 'Bob')
  t.notMatch((await bob.get('/inbox/account')).body, 'name="current-password"')
  const set = (fields: Record<string, string>) => bob.post('/inbox/account', { intent: 'password', ...fields })
  t.match((await set({ 'new-password': 'short' })).body, 'Enter a password of at least 15 characters.')
  t.equal((await set({ 'new-password': PASSWORD })).statusCode, 303)
  t.match((await bob.get('/inbox/account')).body, 'name="current-password"')
  t.equal((await enter('Bob', INBOX_PASSWORD)).answer.statusCode, 422, 'the shared password is no longer valid for Bob')
  t.equal((await enter('Bob', PASSWORD)).answer.statusCode, 303)
})

t.test('a new password ends all other sessions', async (t) => {
  const carol = await invite('Carol')
  const { visitor: other } = await enter('Carol', PASSWORD)
  const { visitor: third } = await enter('Carol', PASSWORD)
  const change = (current: string) =>
    carol.post('/inbox/account', { intent: 'password', 'current-password': current, 'new-password': NEXT })
  const wrong = await change('wrong')
  t.equal(wrong.statusCode, 422)
  t.match(wrong.body, 'Wrong password.')
  t.equal((await other.get('/inbox')).statusCode, 200)
  t.equal((await change(PASSWORD)).statusCode, 303)
  t.equal((await carol.get('/inbox')).statusCode, 200)
  for (const visitor of [other, third]) t.equal((await visitor.get('/inbox')).statusCode, 401)
  t.equal((await enter('Carol', PASSWORD)).answer.statusCode, 422)
  t.equal((await enter('Carol', NEXT)).answer.statusCode, 303)
})

t.test('one of two new passwords that are set at the same time is saved', async (t) => {
  const kim = await invite('Kim')
  const { visitor: other } = await enter('Kim', PASSWORD)
  const change = (visitor: Visitor, next: string, current: Record<string, string> = {}) =>
    visitor.post('/inbox/account', { intent: 'password', 'new-password': next, ...current })
  const known = { 'current-password': PASSWORD }
  const answers = await Promise.all([change(kim, NEXT, known), change(other, 'of an attacker, long enough', known)])
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [303, 401], 'which ends the other session')

  const lou = await signIn(app, 'Lou')
  const first = await Promise.all([change(lou, NEXT), change(lou, 'of an attacker, long enough')])
  t.same(first.map(({ statusCode }) => statusCode).sort(), [303, 422], 'also if there was no password before')
})

t.test('a session that ended in the meantime cannot set a password', async (t) => {
  for (const [name, known] of [
    ['Quin', { 'current-password': PASSWORD }],
    ['Rosa', {}]
  ] as const) {
    const visitor = 'current-password' in known ? await invite(name) : await signIn(app, name)
    const page = `${PEOPLE}/${(await getPerson(name)).id}`
    const change = visitor.post('/inbox/account', { intent: 'password', 'new-password': NEXT, ...known })
    t.equal((await admin.post(page, { intent: 'sign-out' })).statusCode, 303)
    t.equal((await change).statusCode, 401)
    t.equal((await enter(name, NEXT)).answer.statusCode, 422)
  }
})

t.test('a sign-in link resets a password, and ends all sessions', async (t) => {
  const dora = await invite('Dora')
  const link = await letIn('Dora')
  const browser = createVisitor(app)
  t.equal((await browser.post(link, { password: NEXT })).statusCode, 303)
  t.equal((await browser.get('/inbox')).statusCode, 200)
  t.equal((await dora.get('/inbox')).statusCode, 401)
  t.equal((await enter('Dora', PASSWORD)).answer.statusCode, 422)
  t.equal((await enter('Dora', NEXT)).answer.statusCode, 303)
})

t.test('a new password revokes the other sign-in links of the person, but not those of others', async (t) => {
  const hal = await invite('Hal')
  await invite('Ida')
  const [first, second, third, ofIda] = [await letIn('Hal'), await letIn('Hal'), await letIn('Hal'), await letIn('Ida')]
  t.equal((await createVisitor(app).post(first, { password: NEXT })).statusCode, 303)
  t.equal((await createVisitor(app).post(second, { password: PASSWORD })).statusCode, 422, 'after a reset')

  const { visitor } = await enter('Hal', NEXT)
  const fourth = await letIn('Hal')
  const fields = { intent: 'password', 'current-password': NEXT, 'new-password': PASSWORD }
  t.equal((await visitor.post('/inbox/account', fields)).statusCode, 303)
  for (const link of [third, fourth]) {
    const guest = createVisitor(app)
    t.equal((await guest.post(link, { password: 'of an attacker, long enough' })).statusCode, 422)
    t.equal((await guest.get('/inbox')).statusCode, 401)
  }
  t.equal((await enter('Hal', PASSWORD)).answer.statusCode, 303)
  t.equal((await hal.get('/inbox')).statusCode, 401)
  t.equal((await createVisitor(app).post(ofIda, {})).statusCode, 303)
})

t.test('a sign-out everywhere revokes the open sign-in links of the person, or of everybody', async (t) => {
  const nia = await invite('Nia')
  await invite('Olaf')
  const isGood = async (link: string) => (await createVisitor(app).post(link)).statusCode === 303
  const [first, ofOlaf] = [await letIn('Nia'), await letIn('Olaf')]
  await admin.post(`${PEOPLE}/${(await getPerson('Nia')).id}`, { intent: 'sign-out' })
  t.equal((await nia.get('/inbox')).statusCode, 401)
  t.notOk(await isGood(first), 'by an admin')
  t.ok(await isGood(ofOlaf), 'links of others are still valid')

  const { visitor } = await enter('Nia', PASSWORD)
  const second = await letIn('Nia')
  await visitor.post('/inbox/account', { intent: 'sign-out-others' })
  t.notOk(await isGood(second), 'by the person')

  const third = await letIn('Nia')
  const invitation = await makeInvitation(admin, 'viewer')
  await admin.post(PEOPLE, { intent: 'sign-out-everybody' })
  t.notOk(await isGood(third), 'of everybody')
  t.equal((await createVisitor(app).post(invitation, { name: 'Pam' })).statusCode, 303, 'a new person is still invited')
})

t.test('a removed person cannot sign in', async (t) => {
  await invite('Emil')
  await admin.post(`${PEOPLE}/${(await getPerson('Emil')).id}`, { intent: 'remove' })
  t.equal((await enter('Emil', PASSWORD)).answer.statusCode, 422)
})

t.test('guessing passwords is rate limited, also on the account page', async (t) => {
  const fay = await invite('Fay')
  const address = '198.18.0.1'
  for (let i = 0; i < 6; i++) t.equal((await enter('Fay', `wrong ${i}`, address)).answer.statusCode, 422)
  const { answer } = await enter('Fay', PASSWORD, address)
  t.equal(answer.statusCode, 429)
  t.ok(Number(answer.headers['retry-after']) > 0)
  const fields = { intent: 'password', 'current-password': 'wrong', 'new-password': NEXT }
  const post = () => fay.ask({ method: 'POST', url: '/inbox/account', remoteAddress: '198.18.0.2', ...form(fields) })
  for (let i = 0; i < 6; i++) t.equal((await post()).statusCode, 422)
  t.match((await post()).body, 'Too many wrong passwords. Try again in')
})

const form = (fields: Record<string, string>) => ({
  payload: new URLSearchParams(fields).toString(),
  headers: {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
    origin: 'http://localhost:3000'
  }
})

t.test('many wrong passwords at once do not prevent others from signing in', async (t) => {
  await invite('Sue')
  const attack = Array.from({ length: 60 }, (_, i) => enter('Sue', `wrong ${i}`, `2001:db8:1:${i.toString(16)}::1`))
  const [own, shared] = await Promise.all([enter('Sue', PASSWORD), enter('Tom', INBOX_PASSWORD)])
  t.equal(own.answer.statusCode, 303)
  t.equal(shared.answer.statusCode, 303)
  const refused = await Promise.all(attack)
  for (const { answer } of refused) t.match(`${answer.statusCode}`, /422|429/)
  t.ok(
    refused.some(({ answer }) => answer.statusCode === 429),
    'one network does not use all password checks'
  )
})

t.test('the audit log shows who did what', async (t) => {
  const gil = await invite('Gil')
  const id = (await getPerson('Gil')).id
  await gil.post('/inbox/account', { intent: 'rename', name: 'Gilbert' })
  await admin.post(`${PEOPLE}/${id}`, { intent: 'roles', role: 'admin' })
  await gil.post('/inbox/settings/tokens', { intent: 'create', name: 'CI', scope: 'read' })
  const [token] = await queries.listTokens()
  await gil.post('/inbox/settings/tokens', { intent: 'revoke', id: token!.id })
  await gil.post(PEOPLE, { intent: 'invite', role: 'viewer' })
  const [invitation] = await queries.listInvitations()
  await gil.post(PEOPLE, { intent: 'revoke', hash: invitation!.hash })
  await admin.post(`${PEOPLE}/${id}`, { intent: 'sign-out' })
  await admin.post(`${PEOPLE}/${id}`, { intent: 'remove' })
  const entries = (await queries.listAudit({})).slice(0, 11)
  t.same(
    entries.map(({ kind, who, person, detail }) => [kind, who, person, detail]),
    [
      ['removed', 'Ada', 'Gilbert', undefined],
      ['sessions-ended', 'Ada', 'Gilbert', undefined],
      ['invitation-revoked', 'Gilbert', undefined, undefined],
      ['invited', 'Gilbert', undefined, 'viewer'],
      ['token-revoked', 'Gilbert', undefined, 'CI'],
      ['token-created', 'Gilbert', undefined, 'CI'],
      ['role-changed', 'Ada', 'Gilbert', 'viewer → admin'],
      ['renamed', 'Gilbert', undefined, 'Gil'],
      ['signed-in', 'Gilbert', undefined, 'invitation'],
      ['password-set', 'Gilbert', undefined, undefined],
      ['invited', 'Ada', undefined, 'viewer']
    ]
  )
  const page = (await admin.get('/inbox/settings/audit')).body
  for (const event of ['removed the person', 'changed their own name', 'set their own password']) t.match(page, event)
  t.match(page, 'viewer → admin')
  const older = await admin.get(`/inbox/settings/audit?before=${entries[0]!.id}`)
  t.notMatch(older.body, 'removed the person</td><td data-label="Concerns">Gilbert')
  t.match(older.body, 'href="/inbox/settings/audit"')
  t.equal((await admin.get('/inbox/settings/audit?before=x')).statusCode, 200)
})
