import t, { type Test } from 'tap'
import { createListeningApp, createTestApp } from '@hull/test-helpers/app.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { createVisitor, INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { requireAdmin } from '../../../src/access/guard.ts'

const PASSWORD = { INBOX_PASSWORD }

/** Starts an application locally without a password, and returns the path of the printed link. */
async function startLocally(t: Test, env: Record<string, string> = {}) {
  const { app, logs, printed } = await createListeningApp(t, { env: { INBOX: 'on', ...env } })
  const link = new URL(printed[0]!.split(' ').at(-1)!)
  return {
    app,
    logs,
    visitor: createVisitor(app),
    link: link.pathname + link.search,
    token: link.searchParams.get('token')!
  }
}

t.test('shows nothing of the inbox without a sign-in', async (t) => {
  const { app } = await createTestApp(t, { env: PASSWORD })
  const visitor = createVisitor(app)
  for (const path of [
    '/inbox',
    '/inbox/settings',
    '/inbox/settings/people',
    '/inbox/settings/people/1',
    '/inbox/account'
  ]) {
    const refused = await visitor.get(`${path}?a=b`)
    t.equal(refused.statusCode, 401, path)
    t.match(refused.body, `href="/inbox/sign-in?return=${encodeURIComponent(`${path}?a=b`)}"`)
    t.equal((await visitor.get(`/-/data${path}`)).statusCode, 401)
    t.equal((await visitor.post(path, { intent: 'invite' })).statusCode === 303, false)
  }
})

t.test('the printed link shows a button, and only the button signs in', async (t) => {
  const { visitor, link } = await startLocally(t)
  for (const method of ['GET', 'HEAD', 'GET'] as const) {
    const page = await visitor.ask({ url: link, method, headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' } })
    t.equal(page.statusCode, 200)
    t.equal(page.headers['set-cookie'], undefined)
  }
  t.match((await visitor.get(link)).body, /<button type="submit"[^>]*>Open the inbox<\/button>/)
  const pressed = await visitor.post(link)
  t.equal(pressed.statusCode, 303)
  t.equal(pressed.headers.location, '/inbox')
  t.equal((await visitor.get('/inbox')).statusCode, 200)
})

t.test('the printed link can be used once', async (t) => {
  const { app, visitor, link } = await startLocally(t)
  await visitor.post(link)
  const late = createVisitor(app)
  const refused = await late.post(link)
  t.equal(refused.statusCode, 422)
  t.match(refused.body, 'This link has expired')
  t.match(refused.body, 'Restart the server')
  t.equal(refused.headers['set-cookie'], undefined)
  t.match((await late.get(link)).body, 'This link has expired')
  t.equal((await late.get('/inbox')).statusCode, 401)
})

t.test('a second click on the button redirects to the inbox', async (t) => {
  const { visitor, link } = await startLocally(t)
  await visitor.post(link)
  const again = await visitor.post(link)
  t.equal(again.statusCode, 303)
  t.equal((await visitor.get('/inbox')).statusCode, 200)
})

t.test('the form names INBOX_PASSWORD only if it is set', async (t) => {
  const { app, visitor, link } = await startLocally(t)
  await visitor.post(link)
  await visitor.post('/inbox/account', { intent: 'password', 'new-password': 'four words make one' })
  const { body } = await createVisitor(app).get('/inbox/sign-in')
  t.match(body, 'name="password"')
  t.match(body, 'The password is your own.')
  t.notMatch(body, 'for admins the value of')
  const { app: open } = await createTestApp(t, { env: PASSWORD })
  t.match((await createVisitor(open).get('/inbox/sign-in')).body, 'or for admins the value of')
})

t.test('an invalid link says what to do', async (t) => {
  const { visitor, link } = await startLocally(t)
  for (const token of ['', 'x', 'A'.repeat(43), `${link.slice(-43)}A`]) {
    t.match((await visitor.get(`/inbox/sign-in?token=${token}`)).body, 'This link has expired', token)
    t.equal((await visitor.post(`/inbox/sign-in?token=${token}`)).statusCode, 422)
  }
  t.equal((await visitor.post('/inbox/sign-in')).statusCode, 422)
  const { body } = await visitor.get('/inbox/sign-in')
  t.match(body, 'Open the sign-in link')
  t.match(body, /Or set <code>INBOX_PASSWORD<\/code>, restart the server, and sign in with that password/)
  t.equal((await visitor.post(link)).statusCode, 303, 'the link is still valid')
})

t.test('no log line of any level contains the token of the printed link', async (t) => {
  for (const LOG_LEVEL of ['trace', 'debug', 'info']) {
    t.test(LOG_LEVEL, async (t) => {
      const { visitor, link, token, logs } = await startLocally(t, { LOG_LEVEL })
      await visitor.get(link)
      await visitor.get(`/inbox/nothing?token=${token}`)
      await visitor.get(`/-/data${link}`)
      await visitor.post(link, {}, { 'content-type': 'text/plain' })
      await visitor.post(link, {}, { 'sec-fetch-site': 'cross-site' })
      await visitor.post(link)
      t.ok(
        logs.lines.some(({ path }) => path === '/inbox/sign-in'),
        LOG_LEVEL
      )
      t.notMatch(JSON.stringify(logs.lines), token)
    })
  }
})

t.test('the link is printed even if LOG_LEVEL is silent', async (t) => {
  const { logs, link } = await startLocally(t, { LOG_LEVEL: 'silent' })
  t.same(logs.lines, [])
  t.match(link, /^\/inbox\/sign-in\?token=[\w-]{43}$/)
})

t.test('the page of the link has no script, which could report its address', async (t) => {
  const { visitor, link } = await startLocally(t)
  const { body, headers } = await visitor.get(link)
  t.notMatch(body, '<script')
  t.notMatch(body, link.slice(-43))
  t.match(headers, {
    'cache-control': 'private, no-store',
    'referrer-policy': 'strict-origin',
    'x-robots-tag': 'noindex'
  })
})

t.test('the password signs in an admin, who enters a name', async (t) => {
  const { app } = await createTestApp(t, { env: PASSWORD })
  const visitor = createVisitor(app)
  const page = await visitor.get('/inbox/sign-in')
  t.match(page.body, /type="password"[^>]*autoComplete="current-password"|autocomplete="current-password"/)
  const refused = await visitor.post('/inbox/sign-in', { name: 'Ada', password: 'wrong' })
  t.equal(refused.statusCode, 422)
  t.match(refused.body, 'Wrong password.')
  t.match(refused.body, 'value="Ada"')
  t.notMatch(refused.body, 'wrong')
  for (const name of ['', '   ', '\u200B', 'x'.repeat(61)]) {
    const nameless = await visitor.post('/inbox/sign-in', { name, password: INBOX_PASSWORD })
    t.equal(nameless.statusCode, 422)
    t.equal(nameless.headers['set-cookie'], undefined)
    t.match(nameless.body, 'Enter a name')
  }
  const done = await visitor.post('/inbox/sign-in', { name: '  Ada  Lovelace ', password: INBOX_PASSWORD })
  t.equal(done.statusCode, 303)
  t.match((await visitor.get('/inbox/settings/people')).body, 'Ada Lovelace')
})

t.test('a name is shown as text', async (t) => {
  const { app } = await createTestApp(t, { env: PASSWORD })
  const admin = await signIn(app, '</script><img src=x onerror=alert(1)>')
  for (const path of ['/inbox/settings/people', '/inbox/account', '/inbox/sign-in', '/inbox/sign-out'])
    t.notMatch((await admin.get(path)).body, '<img src=x', path)
})

t.test('a sign-in redirects to the previous page, and to no other origin', async (t) => {
  const { app } = await createTestApp(t, { env: PASSWORD })
  for (const [back, to] of [
    ['/inbox/issues?query=is%3Aunresolved', '/inbox/issues?query=is%3Aunresolved'],
    ['/inbox', '/inbox'],
    ['https://evil.example/inbox', '/inbox'],
    ['//evil.example/inbox', '/inbox'],
    ['/\\evil.example/inbox', '/inbox'],
    ['/inbox/..//evil.example', '/inbox'],
    ['/inbox/../lab', '/lab'],
    ['/inbox\n//evil.example', '/inbox//evil.example'],
    ['javascript:alert(1)//inbox', '/inbox'],
    ['/reports?page=2', '/reports?page=2'],
    ['/inbox/sign-in?return=/inbox/sign-in', '/inbox'],
    ['', '/inbox']
  ] as const) {
    const visitor = createVisitor(app, { remoteAddress: `203.0.113.${back.length}` })
    const url = `/inbox/sign-in?return=${encodeURIComponent(back)}`
    const { statusCode, headers } = await visitor.post(url, { name: 'Ada', password: INBOX_PASSWORD })
    t.equal(statusCode, 303, back)
    t.equal(headers.location, to, back)
  }
})

t.test('the sign-in redirects to an address that the application protects', async (t) => {
  const { app } = await createTestApp(t, { env: PASSWORD })
  app.get('/reports', async (request) => `Reports of ${(await requireAdmin(request)).name}`)
  const visitor = createVisitor(app)
  const refused = await visitor.get('/reports?page=2', { accept: 'text/html' })
  t.equal(refused.statusCode, 401)
  const [, href] = /href="(\/inbox\/sign-in[^"]*)"/.exec(refused.body)!
  const { headers } = await visitor.post(href!, { name: 'Ada', password: INBOX_PASSWORD })
  t.equal(headers.location, '/reports?page=2')
  t.equal((await visitor.get('/reports?page=2')).body, 'Reports of Ada')
})

t.test('too many wrong passwords are answered with 429 and Retry-After', async (t) => {
  const { app } = await createTestApp(t, { env: PASSWORD })
  const visitor = createVisitor(app)
  // Each request comes from another network, so that the name is delayed for a minute, but not the network of the
  // visitor.
  for (let i = 0; i < 30; i++)
    await createVisitor(app, { remoteAddress: `198.51.100.${i}` }).post('/inbox/sign-in', {
      name: 'Ada',
      password: 'wrong'
    })
  t.equal((await visitor.post('/inbox/sign-in', { name: 'Ada', password: 'wrong' })).statusCode, 422)
  const refused = await visitor.post('/inbox/sign-in', { name: 'Ada', password: INBOX_PASSWORD })
  t.equal(refused.statusCode, 429)
  t.match(refused.headers['retry-after'], /^(?:60|[1-5]?\d)$/)
  t.equal(refused.headers['set-cookie'], undefined)
  t.match(refused.body, /Too many wrong passwords\. Try again in (?:1 minute|\d+ seconds)\./)
  t.match(refused.body, /<input[^>]*name="name"[^>]*value="Ada"/)
  t.match(refused.body, /<input[^>]*name="password"/)
  t.notMatch(refused.body, INBOX_PASSWORD)
  const program = await visitor.post(
    '/inbox/sign-in',
    { name: 'Ada', password: INBOX_PASSWORD },
    { accept: 'application/json' }
  )
  t.equal(program.statusCode, 429)
  t.ok(program.headers['retry-after'])
  t.match(program.headers['content-type'], 'application/json')
  t.match(program.body, 'Too many wrong passwords. Try again in')
  t.equal((await visitor.get('/inbox/sign-in')).statusCode, 200, 'the page is still shown')
})

t.test('a POST from another origin is refused, and changes nothing', async (t) => {
  const { app } = await createTestApp(t, { env: PASSWORD })
  const admin = await signIn(app)
  const visitor = createVisitor(app)
  const foreign: Array<Record<string, string>> = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'http://other.localhost:3000' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3000' },
    { 'sec-fetch-site': 'same-site', origin: 'http://localhost:8080' }
  ]
  for (const headers of foreign) {
    const signingIn = await visitor.post('/inbox/sign-in', { name: 'Eve', password: INBOX_PASSWORD }, headers)
    t.equal(signingIn.statusCode, 403, JSON.stringify(headers))
    t.equal(signingIn.headers['set-cookie'], undefined)
    t.equal((await admin.post('/inbox/settings/people', { intent: 'invite', role: 'admin' }, headers)).statusCode, 403)
    t.equal((await admin.post('/inbox/sign-out', {}, headers)).statusCode, 403)
  }
  for (const origin of ['https://evil.example', 'null', 'http://localhost:8080', 'https://localhost:3000']) {
    const request = { origin, host: 'localhost:3000' }
    const { statusCode } = await app.inject({
      method: 'POST',
      url: '/inbox/settings/people',
      payload: 'intent=invite&role=admin',
      headers: {
        ...request,
        cookie: `inbox=${admin.cookies.get('inbox')}`,
        'content-type': 'application/x-www-form-urlencoded'
      }
    })
    t.equal(statusCode, 403, `${origin}, from a browser without Sec-Fetch-Site`)
  }
  t.notMatch((await admin.get('/inbox/settings/people')).body, '/inbox/invitation?token=')
})

t.test('signing out ends the session, and the page says so', async (t) => {
  const { app } = await createTestApp(t, { env: PASSWORD })
  const admin = await signIn(app)
  const cookie = `inbox=${admin.cookies.get('inbox')}`
  t.match((await admin.get('/inbox/sign-out')).body, 'Signed in as Ada')
  const out = await admin.post('/inbox/sign-out')
  t.equal(out.headers.location, '/inbox/sign-out')
  t.equal(admin.cookies.size, 0)
  t.match((await admin.get('/inbox/sign-out')).body, 'You are signed out')
  t.equal((await app.inject({ url: '/inbox', headers: { cookie } })).statusCode, 401)
})

t.test('every page of a closed inbox is 404', async (t) => {
  for (const env of [
    { INBOX: 'on', BASE_URL: 'https://app.example' },
    { INBOX: 'on', HOST: '0.0.0.0' },
    { SENTRY_DSN: 'http://key@127.0.0.1:9/1' },
    { SENTRY_DSN: 'http://key@127.0.0.1:9/1', ...PASSWORD, INBOX: '' }
  ] as Array<Record<string, string>>) {
    t.test(JSON.stringify(env), async (t) => {
      const { app } = await createTestApp(t, { env })
      const visitor = createVisitor(app)
      for (const path of [
        '/inbox',
        '/inbox/sign-in',
        '/inbox/sign-out',
        '/inbox/invitation',
        '/inbox/account',
        '/inbox/settings'
      ])
        t.equal((await visitor.get(path)).statusCode, 404, path)
      t.equal((await visitor.post('/inbox/sign-in', { name: 'Ada', password: INBOX_PASSWORD })).statusCode, 404)
    })
  }
})

t.test('with a password, the inbox is open on any host', async (t) => {
  const { app } = await createTestApp(t, { env: { HOST: '0.0.0.0', BASE_URL: 'https://app.example', ...PASSWORD } })
  const visitor = createVisitor(app)
  const headers = { host: 'app.example', origin: 'https://app.example' }
  const done = await visitor.post('/inbox/sign-in', { name: 'Ada', password: INBOX_PASSWORD }, headers)
  t.equal(done.statusCode, 303)
  t.match(done.headers['set-cookie'], /^__Host-inbox=.*HttpOnly; Secure; SameSite=Lax/)
})

t.test('no event contains a secret to sign in, even with SEND_PII', async (t) => {
  for (const SEND_PII of ['true', 'false']) {
    t.test(SEND_PII, async (t) => {
      const collector = createCollector()
      const { app, logs } = await createTestApp(t, {
        env: { ...PASSWORD, SEND_PII, TRACES_SAMPLE_RATE: '1' },
        telemetryTo: collector.to
      })
      app.post('/fail', async () => {
        throw new Error('no')
      })
      app.addHook('preHandler', async ({ url, headers }) => {
        if (headers['x-fail'] && url.startsWith('/inbox'))
          app.telemetry!.captureError({ error: new Error('on the way'), digest: 'd' })
      })
      const admin = await signIn(app)
      const secret = admin.cookies.get('inbox')!
      admin.cookies.set('theme', 'dark')
      await admin.post('/fail', { page: 2 }, { 'content-type': 'text/plain' })
      const invited = 'I'.repeat(43)
      await admin.post(`/inbox/invitation?token=${invited}`, { name: 'Eve' }, { 'x-fail': '1' })
      await admin.post(
        `/inbox/sign-in?token=${invited}`,
        { name: 'Eve', password: INBOX_PASSWORD },
        { 'x-fail': '1', referer: `http://localhost:3000/inbox/sign-in?token=${invited}` }
      )
      await app.telemetry!.flush(60_000)
      logs.takeErrors()
      t.equal(collector.errors.length, 3, `SEND_PII=${SEND_PII}`)
      for (const way of [
        secret,
        invited,
        INBOX_PASSWORD,
        encodeURIComponent(INBOX_PASSWORD),
        INBOX_PASSWORD.replaceAll(' ', '+')
      ])
        t.notOk(collector.all.includes(way), way)
      if (SEND_PII === 'true') t.match(collector.errors[0]!.request, { cookies: { theme: 'dark' }, data: 'page=2' })
    })
  }
})
