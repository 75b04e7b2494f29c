import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { OIDC_PROBLEMS } from '@hull/common/http/oidc.ts'
import { HOUR, MINUTE } from '@hull/common/time.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createVisitor, INBOX_PASSWORD, type Visitor } from '@hull/test-helpers/inbox-visitor.ts'
import { listen } from '@hull/test-helpers/listen.ts'
import { CLIENT, createHostileAnswers, signInAt, startOidcProvider } from '@hull/test-helpers/oidc-provider.ts'
import { mainText } from '@hull/test-helpers/visitor.ts'
import { readInboxConfig } from '../../src/config.ts'
import { InboxPersonRemoved, InboxRoleMissing } from '../../src/errors.ts'
import { toInboxOidc } from '../../src/settings.ts'

t.setTimeout(600_000)

const ORIGIN = 'https://app.example'
const START = '/inbox/sign-in/provider'
const { issuer, signingKey, state } = await startOidcProvider(t, [ORIGIN])

const OIDC = {
  INBOX: 'on',
  BASE_URL: ORIGIN,
  INBOX_OIDC_ISSUER: issuer,
  INBOX_OIDC_CLIENT_ID: CLIENT.id,
  INBOX_OIDC_CLIENT_SECRET: CLIENT.secret,
  INBOX_OIDC_ROLES: 'web-admins=admin, developers=member, readers=viewer, guests=none'
}

async function createApp(t: Test, env: Record<string, string> = {}) {
  const { app, logs } = await createTestApp(t, { env: { ...OIDC, ...env } })
  return { app, logs, visit: () => createVisitor(app, { origin: ORIGIN }) }
}

const folder = createFolder(t)
const { app, logs, visit } = await createApp(t, { DATA_DIR: folder })
await app.ready()
const { queries, changes } = app.inbox!

const start = async (visitor: Visitor, query = '') => String((await visitor.get(START + query)).headers.location)

/**
 * Signs in at the provider and in the inbox.
 * @returns the response of the inbox
 */
async function enter(visitor: Visitor, { login = 'ada', query = '' } = {}) {
  return visitor.get(await signInAt(await start(visitor, query), { origin: ORIGIN, login }))
}

/** Sets the claims of the next sign-ins. */
function claim(t: Test, claims: object) {
  state.claims = claims
  t.teardown(() => {
    delete state.claims
  })
}

const findPerson = async (name: string) => (await queries.listPeople()).find((person) => person.name === name)

async function refuse(t: Test, visitor: Visitor, path: string, code: string, status: number, message: string) {
  const answer = await visitor.get(path)
  t.equal(answer.statusCode, 303)
  t.match(answer.headers.location, `/inbox/sign-in?problem=${code}&return=`)
  t.equal(answer.headers['cache-control'], 'private, no-store')
  const page = await visitor.get(String(answer.headers.location))
  t.equal(page.statusCode, status)
  t.match(mainText(page), `You are not signed in. ${message} ${code}`)
  t.match(page.body, `href="${START}?return=`, 'the page links to another try')
  t.equal((await visitor.get('/inbox')).statusCode, 401, 'nobody is signed in')
  const line = (status >= 500 ? logs.takeErrors() : logs.lines).findLast(({ msg }) => msg.startsWith('sign-in to the'))
  t.match(line, { code })
  t.notMatch(JSON.stringify(line), /eyJ/, 'the log contains no token')
}

t.test('a person signs in at the provider, and signs out at both', async (t) => {
  const ada = visit()
  t.match((await ada.get('/inbox/issues')).body, 'href="/inbox/sign-in?return=%2Finbox%2Fissues"')
  const page = await ada.get('/inbox/sign-in?return=%2Finbox%2Fissues')
  t.match(page.body, `href="${START}?return=%2Finbox%2Fissues"`)
  t.notMatch(page.body, 'name="password"', 'nobody has a password')

  const url = new URL(await start(ada, '?return=%2Finbox%2Fissues'))
  t.match(Object.fromEntries(url.searchParams), {
    redirect_uri: `${ORIGIN}${START}/callback`,
    code_challenge_method: 'S256',
    code_challenge: /^[\w-]{43}$/,
    state: /^[\w-]{43}$/,
    nonce: /^[\w-]{43}$/
  })
  const answer = await ada.get(await signInAt(url.href, { origin: ORIGIN }))
  t.equal(answer.headers.location, '/inbox/issues')
  t.match(
    answer.cookies.find(({ name }) => name === '__Host-inbox'),
    { httpOnly: true, secure: true, sameSite: 'Lax' }
  )
  t.equal((await ada.get('/inbox/settings')).statusCode, 200)
  t.match(await findPerson('Ada Lovelace'), { role: 'admin', isExternal: true, hasPassword: false })
  const account = (await ada.get('/inbox/account')).body
  t.notMatch(account, 'name="new-password"')
  t.match(account, 'A session ends 12 hours after the sign-in.')

  t.equal((await ada.post('/inbox/sign-out')).statusCode, 303)
  t.match((await ada.get('/inbox/sign-out')).body, `href="${START}/sign-out"`)
  t.equal((await ada.get('/inbox')).statusCode, 401)
  const out = new URL(String((await ada.get(`${START}/sign-out`)).headers.location))
  t.equal(out.searchParams.get('post_logout_redirect_uri'), `${ORIGIN}/inbox/sign-out`)
  t.equal((await fetch(out)).status, 200, 'the provider accepts the request')

  const again = visit()
  await enter(again)
  t.equal((await queries.listPeople()).length, 1, 'the same person')
  t.match(await queries.listAudit({}), [{ kind: 'signed-in', who: 'Ada Lovelace', detail: 'sign-in service' }])
})

t.test('only paths of the application are opened after a sign-in', async (t) => {
  for (const [to, opened] of [
    ['/reports', '/reports'],
    ['https://evil.example/', '/inbox'],
    ['//evil.example', '/inbox'],
    [`/inbox?q=${'e'.repeat(400)}`, '/inbox']
  ] as const)
    t.equal((await enter(visit(), { query: `?return=${encodeURIComponent(to)}` })).headers.location, opened, to)
})

t.test('groups set the role, at each sign-in', async (t) => {
  claim(t, { name: 'Grace', groups: ['others', 'readers'] })
  const grace = visit()
  await enter(grace, { login: 'grace' })
  t.equal((await grace.get('/inbox')).statusCode, 200)
  t.equal((await grace.get('/inbox/settings')).statusCode, 403)
  const page = `/inbox/settings/people/${(await findPerson('Grace'))!.id}`
  const admin = visit()
  claim(t, {})
  await enter(admin)
  t.match((await admin.get(page)).body, 'set by the sign-in service at each sign-in')
  await admin.post(page, { intent: 'roles', role: 'admin' })
  t.equal((await findPerson('Grace'))!.role, 'viewer', 'a change by an admin has no effect')

  claim(t, { name: 'Grace', groups: ['readers', 'web-admins'] })
  await enter(grace, { login: 'grace' })
  t.equal((await grace.get('/inbox/settings')).statusCode, 200)
  claim(t, { name: 'Grace', groups: 'readers' })
  await enter(visit(), { login: 'grace' })
  t.equal((await grace.get('/inbox/settings')).statusCode, 403, 'also in earlier sessions')

  claim(t, { name: 'Grace', groups: ['readers', 'developers'] })
  await enter(grace, { login: 'grace' })
  t.equal((await findPerson('Grace'))!.role, 'member')
})

t.test('a group can admit people without a role, to whom an admin adds projects', async (t) => {
  claim(t, { name: 'Hal', groups: ['guests'] })
  const hal = visit()
  await enter(hal, { login: 'hal' })
  t.equal((await hal.get('/inbox')).statusCode, 403)
  const admin = visit()
  claim(t, {})
  await enter(admin)
  const { id } = (await findPerson('Hal'))!
  await admin.post(`/inbox/settings/people/${id}`, { intent: 'roles', 'project-1': 'viewer' })
  t.equal((await hal.get('/inbox')).statusCode, 200)
  claim(t, { name: 'Hal', groups: ['guests'] })
  await enter(hal, { login: 'hal' })
  t.match(await findPerson('Hal'), { role: 'none', projects: { 1: 'viewer' } }, 'a sign-in keeps the projects')
})

t.test('groups set and remove roles in single projects, but do not remove roles that an admin set', async (t) => {
  const INBOX_OIDC_ROLES =
    'web-admins=admin,shop=2:viewer,shop-leads=2:admin,shop=3:member,shop=99:viewer,hidden=2:none,guests=none'
  const { app, visit } = await createApp(t, { INBOX_OIDC_ROLES })
  const { changes, queries } = app.inbox!
  for (const name of ['Shop', 'Workers', 'Tea']) await changes.createProject({ name })
  const ivy = visit()
  const signIn = async (...groups: string[]) => {
    claim(t, { name: 'Ivy', groups })
    const path = await signInAt(await start(ivy), { origin: ORIGIN, login: 'ivy' })
    const { headers } = await ivy.get(path)
    return { to: headers.location, ...(await queries.listPeople()).find(({ name }) => name === 'Ivy') }
  }
  t.match(await signIn('shop'), { role: 'none', projects: { 2: 'viewer', 3: 'member' } })
  t.equal((await ivy.get('/inbox/issues')).statusCode, 200)
  t.same((await signIn('shop-leads', 'shop')).projects, { 2: 'admin', 3: 'member' }, 'the highest role')
  t.same(
    (await signIn('web-admins', 'shop')).projects,
    { 2: 'admin', 3: 'admin' },
    'also if the higher role is for all projects'
  )
  t.match(
    await signIn('web-admins', 'hidden'),
    { role: 'admin', projects: { 2: 'none' } },
    'unless the role in the project is none'
  )
  const { id } = await signIn('shop-leads')
  await changes.setRoles({ id: id!, projects: { 3: 'viewer', 4: 'member' } })
  t.same((await signIn('shop')).projects, { 2: 'viewer', 3: 'viewer', 4: 'member' })
  t.same((await signIn('guests')).projects, { 3: 'viewer', 4: 'member' })
  t.match((await signIn('others')).to, 'problem=APP_INBOX_ROLE_MISSING')
  const [last, ...others] = (await queries.listAudit({})).filter(({ kind }) => kind === 'role-changed')
  t.match(last, { detail: 'Shop: viewer → as for all projects' })
  t.notOk(last!.who, 'by the sign-in service')
  t.ok(others.length >= 5)
})

t.test('a person who is in no group any more has no role, also in open sessions', async (t) => {
  claim(t, { name: 'Ken', groups: ['developers'] })
  const ken = visit()
  await enter(ken, { login: 'ken' })
  t.equal((await ken.get('/inbox')).statusCode, 200)
  claim(t, { name: 'Ken', groups: [] })
  t.match((await enter(visit(), { login: 'ken' })).headers.location, 'problem=APP_INBOX_ROLE_MISSING')
  t.match(await findPerson('Ken'), { role: 'none', projects: {} })
  t.equal((await ken.get('/inbox')).statusCode, 403)
})

t.test('a person whose groups have no role is refused', async (t) => {
  for (const groups of [['others'], [], 'web-admins2', { 'web-admins': true }, undefined]) {
    claim(t, { name: 'Eve', groups })
    const eve = visit()
    const path = await signInAt(await start(eve), { origin: ORIGIN, login: 'eve' })
    await refuse(t, eve, path, 'APP_INBOX_ROLE_MISSING', 403, `${new InboxRoleMissing().message}.`)
  }
  t.equal(await findPerson('Eve'), undefined)
})

t.test('* gives its role to everybody', async (t) => {
  const { app, visit } = await createApp(t, { INBOX_OIDC_ROLES: 'web-admins=admin,*=viewer' })
  claim(t, { name: 'Grace', groups: [] })
  const grace = visit()
  t.equal((await grace.get(await signInAt(await start(grace), { origin: ORIGIN, login: 'grace' }))).statusCode, 303)
  t.match(await app.inbox!.queries.listPeople(), [{ name: 'Grace', role: 'viewer' }])
})

t.test('a mail address sets a role only if the provider does not report it as unverified', async (t) => {
  const { app, visit } = await createApp(t, { INBOX_OIDC_CLAIM: 'email', INBOX_OIDC_ROLES: 'ada@shop.example=admin' })
  const signIn = async (login: string, claims: object) => {
    claim(t, { name: login, email: 'ada@shop.example', ...claims })
    const visitor = visit()
    await visitor.get(await signInAt(await start(visitor), { origin: ORIGIN, login }))
    return (await visitor.get('/inbox/settings/people')).statusCode
  }
  t.equal(await signIn('eve', { email_verified: false }), 401)
  t.equal(await signIn('mallory', { email_verified: 'false' }), 401, 'as some providers write it')
  t.same(await app.inbox!.queries.listPeople(), [])
  t.equal(await signIn('ada', { email_verified: true }), 200)
  t.equal(await signIn('bea', {}), 200, 'a provider without this claim')
  t.equal(await signIn('ada', { email_verified: false }), 401)
  t.match(
    (await app.inbox!.queries.listPeople()).find(({ name }) => name === 'ada'),
    { role: 'none' }
  )
})

t.test('a name at the provider does not sign in as the existing person with that name', async (t) => {
  const { app, visit } = await createApp(t, { INBOX_PASSWORD })
  const local = visit()
  await local.post('/inbox/sign-in', { name: 'Ada Lovelace', password: INBOX_PASSWORD })
  await enter(visit())
  t.match(await app.inbox!.queries.listPeople(), [
    { name: 'Ada Lovelace', isExternal: false },
    { name: 'Ada Lovelace (2)', isExternal: true }
  ])
  t.equal((await local.get('/inbox')).statusCode, 200)
  const refused = await visit().post('/inbox/sign-in', { name: 'Ada Lovelace (2)', password: INBOX_PASSWORD })
  t.match(refused.body, 'This name is taken', 'the shared password cannot do that either')
})

t.test('a person with an empty name at the provider has the mail address as name', async (t) => {
  claim(t, { name: '', email: 'jo@shop.example', groups: ['readers'] })
  await enter(visit(), { login: 'jo' })
  t.match(await findPerson('jo@shop.example'), { role: 'viewer' })
})

t.test('a removed person is not admitted again, and the tokens of the person are refused', async (t) => {
  claim(t, { name: 'Mallory', groups: ['web-admins'] })
  const mallory = visit()
  await enter(mallory, { login: 'mallory' })
  await mallory.post('/inbox/settings/tokens', { intent: 'create', name: 'CI', scope: 'write' })
  const [token] = /hull_[\w-]{43}/.exec((await mallory.get('/inbox/settings/tokens')).body)!
  const ask = () => app.inject({ url: '/inbox/api/projects', headers: { authorization: `Bearer ${token}` } })
  t.equal((await ask()).statusCode, 200)
  await changes.removePerson({ id: (await findPerson('Mallory'))!.id })
  t.equal((await mallory.get('/inbox')).statusCode, 401)
  t.match((await ask()).json(), { code: 'APP_INBOX_TOKEN_INVALID', status: 401 })
  const path = await signInAt(await start(mallory), { origin: ORIGIN, login: 'mallory' })
  await refuse(t, mallory, path, 'APP_INBOX_PERSON_REMOVED', 403, `${new InboxPersonRemoved().message}.`)
})

t.test('a session of the provider ends after twelve hours, even if it is used', async (t) => {
  const ada = visit()
  await enter(ada)
  await ada.post('/inbox/settings/tokens', { intent: 'create', name: 'CI', scope: 'read' })
  const [token] = /hull_[\w-]{43}/.exec((await ada.get('/inbox/settings/tokens')).body)!
  const ask = () => app.inject({ url: '/inbox/api/projects', headers: { authorization: `Bearer ${token}` } })
  const age = (milliseconds: number) => {
    const db = new DatabaseSync(join(folder, 'inbox.db'), { timeout: 5_000 })
    db.exec(`UPDATE person_session SET expires = expires - ${milliseconds}`)
    db.close()
  }
  age(12 * HOUR - MINUTE)
  t.equal((await ada.get('/inbox')).statusCode, 200)
  age(MINUTE)
  t.equal((await ada.get('/inbox')).statusCode, 401)
  const { id } = (await findPerson('Ada Lovelace'))!
  t.same(await queries.listPersonSessions({ person: id }), [])
  t.equal((await findPerson('Ada Lovelace'))!.sessions, 0)
  t.equal((await ask()).statusCode, 200, 'a token is valid longer than the session')
})

t.test('a sign-in is refused', async (t) => {
  const refuseCode = (t: Test, visitor: Visitor, path: string, code: keyof typeof OIDC_PROBLEMS) =>
    refuse(t, visitor, path, code, OIDC_PROBLEMS[code][0], OIDC_PROBLEMS[code][1])
  const lead = async (visitor: Visitor, options = {}) => signInAt(await start(visitor), { origin: ORIGIN, ...options })

  t.test('without a start in the same browser', async (t) => {
    const [ada, eve] = [visit(), visit()]
    const path = await lead(eve)
    await start(ada)
    await refuseCode(t, ada, path, 'SIGN_IN_STATE')
    await refuseCode(t, visit(), `${START}/callback`, 'SIGN_IN_STATE')
    t.equal((await eve.get(path)).headers.location, '/inbox', 'the browser that started the sign-in completes it')
  })

  t.test('with a code that was used before', async (t) => {
    const ada = visit()
    const path = await lead(ada)
    const before = new Map(ada.cookies)
    t.equal((await ada.get(path)).headers.location, '/inbox')
    const replay = visit()
    for (const [name, value] of before) replay.cookies.set(name, value)
    await refuseCode(t, replay, path, 'SIGN_IN_CODE')
  })

  t.test('if the person cancels', async (t) => {
    const ada = visit()
    await refuseCode(t, ada, await lead(ada, { refuses: true }), 'SIGN_IN_DENIED')
  })

  for (const [name, code, tamper] of createHostileAnswers(signingKey))
    t.test(`with ${name}`, async (t) => {
      const ada = visit()
      const path = await lead(ada)
      t.teardown(() => (state.tamper = undefined))
      state.tamper = tamper
      await refuseCode(t, ada, path, code)
    })

  t.test('with a response that the provider does not complete', async (t) => {
    const ada = visit()
    const path = await lead(ada)
    t.teardown(() => (state.tamper = undefined))
    state.tamper = (ctx) => {
      if (ctx.path !== '/token') return
      ctx.respond = false
      ctx.res.writeHead(200, { 'content-type': 'application/json' })
      ctx.res.write('{"access_token":', () => ctx.res.destroy())
    }
    await refuseCode(t, ada, path, 'SIGN_IN_PROVIDER')
  })

  t.test('with a response that is too long', async (t) => {
    t.teardown(() => (state.tamper = undefined))
    const discovery = '/.well-known/openid-configuration'
    for (const place of [discovery, '/jwks', '/token', '/me']) {
      // Another application has not kept the addresses and keys of the provider.
      const { visit, logs } = await createApp(t)
      const ada = visit()
      const path = place === discovery ? START : await lead(ada)
      state.tamper = (ctx) =>
        ctx.path === place && (ctx.body = { ...(ctx.body as object), more: 'x'.repeat(1024 ** 2) })
      const { headers } = await ada.get(path)
      state.tamper = undefined
      t.match(headers.location, 'problem=SIGN_IN_TOKEN', place)
      t.match(logs.takeErrors(), [{ code: 'SIGN_IN_TOKEN', reason: /the answer is longer than 1048576 bytes/ }])
    }
  })

  t.test('while the provider is down, and accepted when the provider is up again', async (t) => {
    const ada = visit()
    const path = await lead(ada)
    t.teardown(() => (state.isDown = false))
    state.isDown = true
    await refuseCode(t, ada, path, 'SIGN_IN_PROVIDER')
    state.isDown = false
    t.equal((await enter(ada)).headers.location, '/inbox')
  })
})

t.test('a provider that reports another issuer signs nobody in', async (t) => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ issuer: 'https://evil.example', authorization_endpoint: 'https://evil.example/' }))
  })
  const { origin: other } = await listen(t, server)
  const { visit, logs } = await createApp(t, { INBOX_OIDC_ISSUER: other })
  const answer = await visit().get(START)
  t.match(answer.headers.location, 'problem=SIGN_IN_ISSUER')
  t.match(logs.takeErrors(), [{ msg: 'sign-in to the inbox failed', code: 'SIGN_IN_ISSUER' }])
})

t.test('incomplete settings are refused with the names of the variables', async (t) => {
  t.equal(toInboxOidc(readInboxConfig({})), undefined)
  t.throws(() => toInboxOidc(readInboxConfig({ INBOX_OIDC_ISSUER: issuer })), {
    code: 'APP_CONFIG_INVALID',
    message: /INBOX_OIDC_CLIENT_ID: .*\n.*INBOX_OIDC_ROLES: /
  })
  for (const roles of ['admin', '=admin', 'a=owner', 'a=admin,'])
    t.throws(() => readInboxConfig({ INBOX_OIDC_ROLES: roles }), /INBOX_OIDC_ROLES=/)
  for (const invalid of ['login.example', 'ftp://login.example', 'https://login.example?a', 'https://'])
    t.throws(() => readInboxConfig({ INBOX_OIDC_ISSUER: invalid }), /INBOX_OIDC_ISSUER=/)
  t.same(readInboxConfig({ INBOX_OIDC_ROLES: 'a=b=admin, *=viewer' }).inboxOidcRoles, {
    'a=b': { role: 'admin', projects: {} },
    '*': { role: 'viewer', projects: {} }
  })
})
