import t, { type Test } from 'tap'
import type { LightMyRequestResponse } from 'fastify'
import {
  CLIENT,
  createBackdatedToken,
  createHostileAnswers,
  signInAt as signInAtProvider,
  startOidcProvider,
  type ProviderVisit
} from '@hull/test-helpers/oidc-provider.ts'
import { buildSignInSite, createSignInApp } from '@hull/test-helpers/sign-in-app.ts'
import { createVisitor, mainText, type Visitor } from '@hull/test-helpers/visitor.ts'
import { createOidc, OIDC_PROBLEMS, toRoles, type OidcCode, type OidcError, type OidcOptions } from '@hull/shell'
import * as openid from 'openid-client'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ORIGIN = 'https://app.example'
const site = await buildSignInSite(t)
const { issuer, signingKey, state } = await startOidcProvider(t, [ORIGIN, `${ORIGIN}/shop`])

t.setTimeout(600_000)

async function createApp(t: Test, env: Record<string, string> = {}, built = site) {
  const { app, logs, dataDir } = await createSignInApp(t, {
    site: built,
    recipe: 'oidc',
    env: {
      BASE_URL: ORIGIN,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      REDIRECT_ORIGINS: issuer,
      ...env
    }
  })
  return { app, logs, dataDir, visit: () => createVisitor(app, { host: 'app.example' }) }
}

const { app, logs, visit, dataDir } = await createApp(t)
await app.ready()

const start = async (visitor: Visitor, query = '?return=%2Faccount') =>
  String((await visitor.get(`/sign-in/oidc/start${query}`)).headers.location)

const signInAt = (url: string, visit: Partial<ProviderVisit> = {}) =>
  signInAtProvider(url, { origin: ORIGIN, ...visit })

/** Checks that a response redirects to a page that shows the problem, and that the visitor is not signed in. */
async function assertRefusal(t: Test, visitor: Visitor, response: LightMyRequestResponse, code: OidcCode) {
  const [status, message] = OIDC_PROBLEMS[code]
  const { location } = response.headers
  t.equal(response.statusCode, 303)
  t.match(location, `/sign-in/oidc?problem=${code}&return=`)
  t.equal(response.headers['cache-control'], 'no-store')
  const page = await visitor.get(String(location))
  t.equal(page.statusCode, status)
  t.match(mainText(page), `You are not signed in ${message} ${code} Sign in again`)
  t.equal((await visitor.get('/account')).statusCode, 401, 'the visitor is not signed in')
}

t.test('a visitor signs in at the provider, and out again', async (t) => {
  const ada = visit()
  t.match((await ada.get('/account')).body, 'href="/sign-in/oidc?return=%2Faccount"')
  t.match((await ada.get('/sign-in/oidc?return=%2Faccount')).body, 'href="/sign-in/oidc/start?return=%2Faccount"')

  const url = new URL(await start(ada))
  t.equal(url.origin, issuer)
  const { searchParams } = url
  t.match(Object.fromEntries(searchParams), {
    client_id: 'web',
    response_type: 'code',
    redirect_uri: `${ORIGIN}/sign-in/oidc/callback`,
    scope: 'openid profile email',
    code_challenge_method: 'S256',
    code_challenge: /^[\w-]{43}$/,
    state: /^[\w-]{43}$/,
    nonce: /^[\w-]{43}$/
  })
  const before = ada.jar.get('__Host-session')
  const response = await ada.get(await signInAt(url.href))
  t.same([response.statusCode, response.headers.location], [303, '/account'])
  t.match(response.headers['set-cookie'], /^__Host-session=\S+; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  t.not(ada.jar.get('__Host-session'), before)
  t.match(mainText(await ada.get('/account')), 'Signed in as Ada Lovelace')
  const [signIn] = app.signIns.list(`${issuer} ada`)
  t.match(signIn, { name: 'Ada Lovelace', roles: ['admin'], remember: false })

  const out = new URL(String((await ada.post('/account', { end: 'this' })).headers.location))
  t.equal(out.origin + out.pathname, `${issuer}/session/end`)
  t.equal(out.searchParams.get('id_token_hint'), signIn!.idToken)
  t.equal(out.searchParams.get('post_logout_redirect_uri'), `${ORIGIN}/`)
  t.equal((await fetch(out)).status, 200, 'the provider accepts it')
  t.equal((await ada.get('/account')).statusCode, 401)
})

t.test('a visitor signs in and out below a path prefix', async (t) => {
  const { visit } = await createApp(t, {}, await buildSignInSite(t, { basePath: '/shop' }))
  const ada = visit()
  const { location } = (await ada.get('/shop/sign-in/oidc/start?return=%2Faccount')).headers
  const response = await ada.get(await signInAt(String(location)))
  t.same([response.statusCode, response.headers.location], [303, '/shop/account'])
  t.match(mainText(await ada.get('/shop/account')), 'Signed in as Ada Lovelace')
  const out = new URL(String((await ada.post('/shop/account', { end: 'this' })).headers.location))
  t.equal(out.searchParams.get('post_logout_redirect_uri'), `${ORIGIN}/shop/`)
  t.equal((await fetch(out)).status, 200, 'the provider accepts it')
})

t.test('a visitor can stay signed in for 30 days, and is redirected only within the application', async (t) => {
  for (const to of ['https://evil.example/', '//evil.example', `/${'é'.repeat(200)}`]) {
    const ada = visit()
    const response = await ada.get(await signInAt(await start(ada, `?remember=on&return=${encodeURIComponent(to)}`)))
    t.equal(response.headers.location, '/')
    t.match(response.headers['set-cookie'], /; Max-Age=2592000;/)
  }
})

t.test('a token of a provider whose clock is up to five minutes slow is accepted', async (t) => {
  const ada = visit()
  const path = await signInAt(await start(ada))
  t.teardown(() => (state.tamper = undefined))
  state.tamper = createBackdatedToken(signingKey)
  t.equal((await ada.get(path)).headers.location, '/account')
  t.match(mainText(await ada.get('/account')), 'Signed in as Ada Lovelace')
})

t.test('each of the last three sign-ins that a browser started can be completed', async (t) => {
  const ada = visit()
  const urls = [await start(ada), await start(ada), await start(ada), await start(ada)]
  t.equal((await ada.get(await signInAt(urls[1]!))).headers.location, '/account')
})

t.test('a sign-out ends the sign-in in the application while the provider is down', async (t) => {
  const ada = visit()
  await ada.get(await signInAt(await start(ada)))
  t.teardown(() => (state.isDown = false))
  state.isDown = true
  const restarted = await createApp(t, { DATA_DIR: dataDir })
  const later = restarted.visit()
  later.jar.set('__Host-session', ada.jar.get('__Host-session')!)
  t.equal((await later.get('/account')).statusCode, 200)
  t.equal((await later.post('/account', { end: 'this' })).headers.location, '/')
  t.equal((await later.get('/account')).statusCode, 401)
  t.equal((await ada.get('/account')).statusCode, 401)
})

t.test("the provider's metadata is requested once per hour", async (t) => {
  let now = Date.now()
  let requests = 0
  t.teardown(() => (state.tamper = undefined))
  state.tamper = ({ path }) => {
    if (path.startsWith('/.well-known')) requests++
  }
  const oidc = createOidc(openid, { issuer, clientId: CLIENT.id }, () => now)
  const begin = () => oidc.begin({ redirectUri: `${ORIGIN}/sign-in/oidc/callback`, returnTo: '/', remember: false })
  await Promise.all([begin(), begin()])
  now += 3_600_000
  await begin()
  t.equal(requests, 1)
  now += 1
  await begin()
  t.equal(requests, 2)
})

t.test('a sign-in is refused', async (t) => {
  const refuse = async (t: Test, visitor: Visitor, path: string, code: OidcCode, reason?: RegExp | string) => {
    await assertRefusal(t, visitor, await visitor.get(path), code)
    const isFault = OIDC_PROBLEMS[code][0] >= 500
    const line = (isFault ? logs.takeErrors() : logs.lines).findLast(({ msg }) => msg.startsWith('sign-in '))
    t.match(line, { msg: isFault ? 'sign-in failed' : 'sign-in refused', code, ...(reason && { reason }) })
    t.notMatch(JSON.stringify(line), /eyJ/, 'the log has no token')
  }

  t.test('in a browser that did not start it', async (t) => {
    const [ada, eve] = [visit(), visit()]
    const path = await signInAt(await start(eve))
    await start(ada)
    await refuse(t, ada, path, 'SIGN_IN_STATE')
    await refuse(t, visit(), path, 'SIGN_IN_STATE')
    await refuse(t, visit(), '/sign-in/oidc/callback', 'SIGN_IN_STATE')
    await refuse(t, ada, path.replace(/state=[^&]+/, 'state=wrong'), 'SIGN_IN_STATE')
    t.equal((await eve.get(path)).headers.location, '/account', 'the browser that started it can complete it')
  })

  t.test('after ten minutes', async (t) => {
    const ada = visit()
    const path = await signInAt(await start(ada))
    const now = Date.now
    t.teardown(() => (Date.now = now))
    Date.now = () => now() + 601_000
    await refuse(t, ada, path, 'SIGN_IN_STATE')
  })

  t.test('with an authorization code that was used before', async (t) => {
    const ada = visit()
    const path = await signInAt(await start(ada))
    const before = new Map(ada.jar)
    t.equal((await ada.get(path)).headers.location, '/account')
    const replay = visit()
    for (const [name, value] of before) replay.jar.set(name, value)
    await refuse(t, replay, path, 'SIGN_IN_CODE', /invalid_grant/)
    await ada.post('/account', { end: 'this' })
    await refuse(t, ada, path, 'SIGN_IN_STATE')
  })

  t.test('without consent', async (t) => {
    const ada = visit()
    await refuse(t, ada, await signInAt(await start(ada), { refuses: true }), 'SIGN_IN_DENIED', /access_denied/)
  })

  t.test('with a response of another issuer', async (t) => {
    const ada = visit()
    const path = await signInAt(await start(ada))
    await refuse(t, ada, path.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example'), 'SIGN_IN_ISSUER')
  })

  for (const [name, code, tamper] of createHostileAnswers(signingKey))
    t.test(`with ${name}`, async (t) => {
      const ada = visit()
      const path = await signInAt(await start(ada))
      t.teardown(() => (state.tamper = undefined))
      state.tamper = tamper
      await refuse(t, ada, path, code)
    })

  t.test('while the provider is down', async (t) => {
    const ada = visit()
    const path = await signInAt(await start(ada))
    t.teardown(() => (state.isDown = false))
    state.isDown = true
    await refuse(t, ada, path, 'SIGN_IN_PROVIDER')
    state.isDown = false
    t.equal((await ada.get(await signInAt(await start(ada)))).headers.location, '/account')
  })

  t.same(app.signIns.list(`${issuer} eve`), [])
})

t.test('a sign-in cannot be started while the provider is down, but can be afterwards', async (t) => {
  t.teardown(() => (state.isDown = false))
  state.isDown = true
  const { visit, logs } = await createApp(t)
  const ada = visit()
  await assertRefusal(t, ada, await ada.get('/sign-in/oidc/start?return=%2Faccount'), 'SIGN_IN_PROVIDER')
  t.match(logs.takeErrors(), [{ msg: 'sign-in failed', code: 'SIGN_IN_PROVIDER', reason: /./ }])
  state.isDown = false
  t.match(await start(ada), issuer)
})

t.test('a wrong configuration is refused', async (t) => {
  const begin = { redirectUri: `${ORIGIN}/sign-in/oidc/callback`, returnTo: '/', remember: false }
  const refuse = (options: Partial<OidcOptions>, error: { code: OidcCode }) =>
    t.rejects(createOidc(openid, { issuer, clientId: CLIENT.id, ...options }).begin(begin), error)
  await refuse({ issuer: 'http://localhost:9' }, { code: 'SIGN_IN_PROVIDER' })
  await refuse({ issuer: 'http://login.example' }, { code: 'SIGN_IN_PROVIDER' })
  const unreachable = createOidc(openid, { issuer: 'http://localhost:9', clientId: CLIENT.id })
  for (const result of await Promise.allSettled([unreachable.begin(begin), unreachable.begin(begin)]))
    t.match(result, { reason: { code: 'SIGN_IN_PROVIDER' } }, 'two sign-ins in parallel fail')
  t.teardown(() => (state.tamper = undefined))
  state.tamper = (ctx) => {
    if (ctx.path.startsWith('/.well-known')) (ctx.body as { issuer: string }).issuer = 'https://evil.example'
  }
  await refuse({}, { code: 'SIGN_IN_ISSUER' })
  state.tamper = undefined

  const oidc = createOidc(openid, { issuer, clientId: CLIENT.id, clientSecret: 'wrong' })
  const { url, pending } = await oidc.begin(begin)
  const search = new URL(await signInAt(url), ORIGIN).searchParams
  const error: OidcError = await oidc.complete(search, pending).then(undefined, (error) => error)
  t.equal(error.code, 'SIGN_IN_PROVIDER')
  t.match(error.describe(), /invalid_client/)
})

t.test('toRoles maps groups of the provider to roles', async (t) => {
  const mapping = { claim: 'groups', roles: { admins: 'admin', leads: 'admin', readers: 'viewer' } }
  t.same(toRoles({ groups: ['admins', 'leads', 'readers', 'others', 7, null] }, mapping), ['admin', 'viewer'])
  t.same(toRoles({ groups: 'readers' }, mapping), ['viewer'])
  t.same(toRoles({ groups: ['constructor', '__proto__'] }, mapping), [])
  for (const groups of [undefined, null, {}, []]) t.same(toRoles({ groups }, mapping), [])
  // An e-mail address counts only if the provider has verified it.
  const byMail = { claim: 'email', roles: { 'ada@shop.example': 'admin' } }
  t.same(toRoles({ email: 'ada@shop.example', email_verified: true }, byMail), ['admin'])
  t.same(toRoles({ email: 'ada@shop.example', email_verified: false }, byMail), [])
})

t.test('docs/sign-in.md lists every code with its status', async (t) => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/sign-in.md'), 'utf8')
  const rows = [...text.matchAll(/^\| `(SIGN_IN_\w+)` \| (\d+) \|/gm)].map(([, code, status]) => [code, Number(status)])
  t.same(
    rows,
    Object.entries(OIDC_PROBLEMS).map(([code, [status]]) => [code, status])
  )
})
