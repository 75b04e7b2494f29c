import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { cookieOf, createAccessApp, PASSWORD } from '../helpers/access-app.ts'

t.test('a local start prints a sign-in link, which can be used once', async (t) => {
  const { app, get, start, printed } = await createAccessApp(t)
  const token = (await start())!
  const { port } = app.server.address() as { port: number }
  t.equal(printed.length, 1)
  t.match(printed[0], new RegExp(` http://127\\.0\\.0\\.1:${port}/inbox/sign-in\\?token=[\\w-]{43}$`))
  t.equal((await get('/inbox/who')).statusCode, 401)
  for (let i = 0; i < 3; i++)
    t.equal((await get(`/inbox/sign-in?token=${token}`)).body, 'true', 'checking the link does not use it')
  t.equal((await get(`/inbox/by-link?token=${'A'.repeat(43)}`)).body, 'false')
  const signedIn = await get(`/inbox/by-link?token=${token}`)
  t.equal(signedIn.body, 'true')
  t.match(signedIn.headers['set-cookie'], /^inbox=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
  const who = await get('/inbox/who', { cookie: cookieOf(signedIn) })
  t.match(who.json(), { role: 'admin' })
  const again = await get(`/inbox/by-link?token=${token}`)
  t.equal(again.body, 'false')
  t.equal(again.headers['set-cookie'], undefined)
})

t.test('each start prints another link, and people stay signed in', async (t) => {
  const folder = createFolder(t)
  const first = await createAccessApp(t, { folder })
  const token = (await first.start())!
  const cookie = cookieOf(await first.get(`/inbox/by-link?token=${token}`))
  await first.app.close()
  const second = await createAccessApp(t, { folder })
  t.not(await second.start(), token)
  t.equal((await second.get(`/inbox/by-link?token=${token}`)).body, 'false')
  t.equal((await second.get('/inbox/who', { cookie })).statusCode, 200)
})

t.test('a link that is used several times at once signs in one person', async (t) => {
  const { get, start } = await createAccessApp(t)
  const token = await start()
  const answers = await Promise.all([1, 2, 3].map(() => get(`/inbox/by-link?token=${token}`)))
  t.same(answers.map(({ body }) => body).sort(), ['false', 'false', 'true'])
})

t.test('prints the origin that visitors use', async (t) => {
  for (const [options, origin] of [
    [{ baseUrl: 'https://localhost:8443' }, 'https://localhost:8443'],
    [{ host: 'localhost' }, 'http://localhost:'],
    [{ host: '::1' }, 'http://[::1]:']
  ] as const) {
    t.test(origin, async (t) => {
      const { start, printed } = await createAccessApp(t, options)
      await start()
      t.ok(printed[0]!.includes(` ${origin}`))
    })
  }
})

t.test('with https the cookie is Secure and bound to its host', async (t) => {
  const { get, byPassword } = await createAccessApp(t, { password: PASSWORD, baseUrl: 'https://app.example' })
  const signedIn = await byPassword()
  t.match(signedIn.headers['set-cookie'], /^__Host-inbox=[\w-]{43};.* Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const cookie = cookieOf(signedIn)
  t.equal((await get('/inbox/who', { cookie })).statusCode, 200)
  t.equal((await get('/inbox/who', { cookie: cookie.replace('__Host-', '') })).statusCode, 401)
})

t.test(
  'without a password on a public host nobody can sign in, and one log line says how to change that',
  async (t) => {
    const { get, start, printed, lines, access } = await createAccessApp(t, { local: false })
    await start()
    t.same(printed, [])
    t.equal(access.isOpen, false)
    t.equal((await get('/inbox/who')).statusCode, 404)
    t.equal((await get('/inbox/admin', { cookie: `inbox=${'A'.repeat(43)}` })).statusCode, 404)
    t.equal((await get('/inbox/by-link?token=' + 'A'.repeat(43))).body, 'false')
    t.equal((await get('/inbox/by-password?password=')).body, 'false')
    t.equal(lines.filter((line) => line.includes('INBOX_PASSWORD')).length, 1)
  }
)

t.test('without a store, nobody can sign in, and the log names a setting that has no effect', async (t) => {
  for (const [options, ineffective] of [
    [{}, undefined],
    [{ password: PASSWORD }, 'INBOX_PASSWORD'],
    [{ provider: 'login.example' }, 'INBOX_OIDC_ISSUER']
  ] as const) {
    const { app, get, start, printed, lines } = await createAccessApp(t, { stores: false, ...options })
    await start()
    t.same(printed, [])
    const names = ['inbox', 'inbox-fresh']
    const expected = names.flatMap((name) => [name, `__Host-${name}`, `__Secure-${name}`])
    t.same([...app.secretCookies], expected, 'cookies of another inbox may exist')
    t.match((await get('/inbox/who')).headers, { 'cache-control': 'private, no-store' })
    t.equal((await get('/inbox/who')).statusCode, 404)
    const said = lines.map((line) => /(INBOX_\w+) has no effect, because there is no inbox/.exec(line)?.[1])
    t.equal(said.find(Boolean), ineffective)
  }
})

t.test('pages below /inbox are neither cached nor indexed, and send no referrer', async (t) => {
  const { get } = await createAccessApp(t)
  for (const url of ['/inbox/who', '/inbox/nothing', '/inbox', '/%69nbox/who', '/inb%6Fx/sign-in'])
    t.match((await get(url)).headers, { 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' }, url)
  for (const url of ['/inbox/sign-in', '/inbox/sign%2Din', '/%69nbox/sign-in'])
    t.equal((await get(url)).headers['referrer-policy'], 'strict-origin', url)
  t.equal((await get('/inbox/invitation')).headers['referrer-policy'], 'strict-origin')
  const other = await get('/inboxes')
  t.equal(other.headers['x-robots-tag'], undefined)
})
