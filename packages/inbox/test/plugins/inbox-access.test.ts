import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import Fastify, { type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import t, { type Test } from 'tap'
import { requireAdmin, requirePerson } from '../../src/access/guard.ts'
import type { Visit } from '../../src/access/access.ts'
import { createToken, hashToken } from '../../src/access/tokens.ts'
import { openInbox } from '../../src/store/open.ts'
import inboxAccess, { type InboxAccessOptions } from '../../src/plugins/inbox-access.ts'
import session from '../../../shell/src/plugins/session.ts'
import telemetry from '../../../monitoring/src/plugins/telemetry.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'

const SECRET = 'a secret for tests, of forty characters.'
const PASSWORD = 'correct horse battery staple'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const log = { info() {}, warn() {}, error() {} }

interface Options extends Partial<InboxAccessOptions> {
  /** Whether there is an inbox. @default true */
  stores?: boolean
  folder?: string
}

async function createApp(t: Test, { stores = true, folder = createFolder(t), ...options }: Options = {}) {
  const printed: string[] = []
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'trace', stream: { write: (line: string) => lines.push(line) } } })
  t.teardown(() => app.close())
  const settings = { maxBytes: 2 ** 30, retentionDays: 30, release: '1', environment: 'test', log }
  const inbox = stores ? await openInbox({ ...settings, file: join(folder, 'inbox.db') }) : null
  await app.register(telemetry, { environment: 'test', release: '1', sampleRate: 0 })
  await app.register(session, { secret: SECRET })
  await app.register(fp(async (app) => void app.decorate('inbox', inbox), { name: 'inbox' }))
  app.addHook('onClose', () => inbox?.close())
  await app.register(inboxAccess, {
    secret: SECRET,
    local: true,
    host: '127.0.0.1',
    print: (text) => printed.push(text),
    ...options
  })
  const { inboxAccess: access } = app

  app.get('/inbox/who', async (request) => requirePerson(request))
  app.get('/inbox/admin', async (request) => requireAdmin(request))
  app.get('/inbox/out', async (request, reply) => access.signOut(toVisit(request, reply)))
  app.get<{ Querystring: { token?: string } }>('/inbox/sign-in', async ({ query }) => access.isLinkGood(query.token))
  app.get<{ Querystring: { token?: string } }>('/inbox/by-link', async (request, reply) =>
    access.signInByLink(toVisit(request, reply), request.query.token)
  )
  app.get<{ Querystring: { name?: string; password?: string } }>('/inbox/by-password', async (request, reply) => {
    const { name = 'Ada', password = '' } = request.query
    return access.signInByPassword(toVisit(request, reply), { name, password })
  })
  app.get<{ Querystring: { token?: string } }>('/inbox/by-invitation', async (request, reply) =>
    access.acceptInvitation(toVisit(request, reply), { token: request.query.token, name: 'Vera' })
  )
  const get = (url: string, headers: Record<string, string> = {}, remoteAddress = '203.0.113.1') =>
    app.inject({ url, headers: { 'user-agent': FIREFOX, ...headers }, remoteAddress })
  const byPassword = (password = PASSWORD, headers = {}, remoteAddress?: string) =>
    get(`/inbox/by-password?password=${encodeURIComponent(password)}`, headers, remoteAddress)
  /** The token in the printed sign-in link. */
  const start = async () => {
    await app.listen({ host: '127.0.0.1', port: 0 })
    return /token=([\w-]*)/.exec(printed.join('\n'))?.[1]
  }
  return { app, inbox, access, get, byPassword, start, printed, lines }
}

const toVisit = (request: FastifyRequest, reply: { setCookie: unknown; header: unknown }) =>
  ({
    cookies: request.cookies,
    headers: request.headers,
    address: request.ip,
    setCookie: (...cookie: unknown[]) => (reply.setCookie as (...cookie: unknown[]) => void).apply(reply, cookie),
    setHeader: (...header: unknown[]) => (reply.header as (...header: unknown[]) => void).apply(reply, header)
  }) as unknown as Visit

const cookieOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers['set-cookie']).split(';')[0]!

t.test('a local start prints a link that lets one in once', async (t) => {
  const { app, get, start, printed } = await createApp(t)
  const token = (await start())!
  const { port } = app.server.address() as { port: number }
  t.equal(printed.length, 1)
  t.match(printed[0], new RegExp(` http://127\\.0\\.0\\.1:${port}/inbox/sign-in\\?token=[\\w-]{43}$`))
  t.equal((await get('/inbox/who')).statusCode, 401)
  for (let i = 0; i < 3; i++)
    t.equal((await get(`/inbox/sign-in?token=${token}`)).body, 'true', 'a look spends nothing')
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

t.test('each start has a link of its own, and people stay signed in', async (t) => {
  const folder = createFolder(t)
  const first = await createApp(t, { folder })
  const token = (await first.start())!
  const cookie = cookieOf(await first.get(`/inbox/by-link?token=${token}`))
  await first.app.close()
  const second = await createApp(t, { folder })
  t.not(await second.start(), token)
  t.equal((await second.get(`/inbox/by-link?token=${token}`)).body, 'false')
  t.equal((await second.get('/inbox/who', { cookie })).statusCode, 200)
})

t.test('a session by the password ends when the password is another one, or none', async (t) => {
  const folder = createFolder(t)
  const start = async (options: Options) => createApp(t, { folder, ...options })
  const status = async ({ get }: Awaited<ReturnType<typeof createApp>>, cookie: string) =>
    (await get('/inbox/who', { cookie })).statusCode

  const first = await start({ password: PASSWORD })
  const [ada, adaElsewhere] = [cookieOf(await first.byPassword()), cookieOf(await first.byPassword())]
  const invitation = createToken()
  const { person } = (await first.get('/inbox/who', { cookie: ada })).json()
  await first.inbox!.changes.createInvitation({
    hash: hashToken(invitation),
    role: 'viewer',
    madeBy: person,
    expires: Date.now() + 60_000
  })
  const vera = cookieOf(await first.get(`/inbox/by-invitation?token=${invitation}`))
  await first.app.close()

  const same = await start({ password: PASSWORD })
  t.equal(await status(same, ada), 200, 'the same password')
  await same.app.close()

  const other = await start({ password: 'another password' })
  t.equal(await status(other, ada), 401)
  t.equal(await status(other, vera), 200, 'who was invited stays')
  t.equal((await other.inbox!.queries.listPersonSessions({ person })).length, 2)
  const again = cookieOf(await other.byPassword('another password', { cookie: ada }))
  t.equal(await status(other, again), 200)
  t.equal((await other.inbox!.queries.listPersonSessions({ person })).length, 1, 'the ended ones are removed')
  await other.app.close()

  const none = await start({})
  t.equal(await status(none, again), 401)
  t.equal(await status(none, vera), 200)
  await none.app.close()

  const back = await start({ password: PASSWORD })
  t.equal(await status(back, adaElsewhere), 401, 'a removed session does not come back')
})

t.test('a session by the password stays while the secret changes', async (t) => {
  const folder = createFolder(t)
  const next = `${SECRET} another`
  const start = (secret: string | string[]) => createApp(t, { folder, secret, password: PASSWORD })
  const first = await start(SECRET)
  const [ada, bea] = [cookieOf(await first.byPassword()), cookieOf(await first.byPassword())]
  await first.app.close()
  const changing = await start([next, SECRET])
  t.equal((await changing.get('/inbox/who', { cookie: ada })).statusCode, 200)
  await changing.byPassword()
  await changing.app.close()
  const changed = await start(next)
  for (const cookie of [ada, bea]) t.equal((await changed.get('/inbox/who', { cookie })).statusCode, 200)
  await changed.app.close()
  const back = await start(SECRET)
  t.equal((await back.get('/inbox/who', { cookie: ada })).statusCode, 401, 'without the previous secret')
})

t.test('the fingerprint of the password says nothing without the secret of the sessions', async (t) => {
  const folders = [createFolder(t), createFolder(t), createFolder(t)]
  const secrets = [SECRET, SECRET, `${SECRET} another`]
  const fingerprints = []
  for (const [i, folder] of folders.entries()) {
    const { app, byPassword } = await createApp(t, { folder, password: PASSWORD, secret: secrets[i] })
    t.equal((await byPassword()).body, 'true')
    await app.close()
    const db = new DatabaseSync(join(folder, 'inbox.db'), { readOnly: true })
    fingerprints.push(db.prepare('SELECT password_fingerprint AS value FROM person_session').get()!['value'])
    db.close()
    for (const file of readdirSync(folder)) t.notOk(readFileSync(join(folder, file)).includes(PASSWORD), file)
  }
  const [one, same, other] = fingerprints
  t.match(one, /^[\w-]{43}$/)
  t.equal(one, same)
  t.not(one, other)
})

t.test('two who open the link at once are not both let in', async (t) => {
  const { get, start } = await createApp(t)
  const token = await start()
  const answers = await Promise.all([1, 2, 3].map(() => get(`/inbox/by-link?token=${token}`)))
  t.same(answers.map(({ body }) => body).sort(), ['false', 'false', 'true'])
})

t.test('the address printed is the one that visitors use', async (t) => {
  for (const [options, origin] of [
    [{ baseUrl: 'https://localhost:8443' }, 'https://localhost:8443'],
    [{ host: 'localhost' }, 'http://localhost:'],
    [{ host: '::1' }, 'http://[::1]:']
  ] as const) {
    t.test(origin, async (t) => {
      const { start, printed } = await createApp(t, options)
      await start()
      t.ok(printed[0]!.includes(` ${origin}`))
    })
  }
})

t.test('with a password nothing is printed, and the password lets admins in', async (t) => {
  const { get, byPassword, start, printed, lines } = await createApp(t, { password: PASSWORD })
  t.equal(await start(), undefined)
  t.same(printed, [])
  for (const wrong of ['', 'wrong', PASSWORD.slice(1), `${PASSWORD} `, PASSWORD.toUpperCase()]) {
    const refused = await byPassword(wrong)
    t.equal(refused.body, 'false', wrong)
    t.equal(refused.headers['set-cookie'], undefined)
  }
  const cookie = cookieOf(await byPassword())
  t.match((await get('/inbox/who', { cookie })).json(), { name: 'Ada', role: 'admin' })
  t.equal((await get('/inbox/admin', { cookie })).statusCode, 200)
  t.notMatch(lines.join(''), PASSWORD)
})

t.test('a password is the same however its letters are composed', async (t) => {
  const { byPassword } = await createApp(t, { password: 'caf\u00E9 caf\u00E9 caf\u00E9' })
  t.equal((await byPassword('cafe\u0301 cafe\u0301 cafe\u0301')).body, 'true')
})

t.test('behind https the cookie is Secure and bound to its host', async (t) => {
  const { get, byPassword } = await createApp(t, { password: PASSWORD, baseUrl: 'https://app.example' })
  const signedIn = await byPassword()
  t.match(signedIn.headers['set-cookie'], /^__Host-inbox=[\w-]{43};.* Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const cookie = cookieOf(signedIn)
  t.equal((await get('/inbox/who', { cookie })).statusCode, 200)
  t.equal((await get('/inbox/who', { cookie: cookie.replace('__Host-', '') })).statusCode, 401)
})

t.test('wrong passwords', async (t) => {
  t.test('are refused after a few from one network, while another may still try', async (t) => {
    const { byPassword } = await createApp(t, { password: PASSWORD })
    for (let i = 0; i < 6; i++) t.equal((await byPassword('wrong')).body, 'false')
    const refused = await byPassword()
    t.equal(refused.statusCode, 429, 'even the right one')
    t.equal(refused.json().code, 'APP_INBOX_TOO_MANY_TRIES')
    t.match(refused.headers['retry-after'], /^[1-9]\d*$/)
    t.equal((await byPassword(PASSWORD, {}, '203.0.113.2')).body, 'true')
  })

  t.test('from many networks never shut out the right one', async (t) => {
    const { byPassword } = await createApp(t, { password: PASSWORD })
    await Promise.all(Array.from({ length: 200 }, (_, i) => byPassword('wrong', {}, `198.51.100.${i}`)))
    t.equal((await byPassword()).body, 'true')
  })

  t.test('before the right one do not count after it', async (t) => {
    const { byPassword } = await createApp(t, { password: PASSWORD })
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) t.equal((await byPassword('wrong')).body, 'false')
      t.equal((await byPassword()).body, 'true')
    }
  })
})

t.test('a session', async (t) => {
  const { app, inbox, get, byPassword } = await createApp(t, { password: PASSWORD })

  t.test('is never one that was there before signing in', async (t) => {
    const planted = 'P'.repeat(43)
    const signedIn = await byPassword(PASSWORD, { cookie: `inbox=${planted}` })
    t.not(cookieOf(signedIn), `inbox=${planted}`)
    t.equal((await get('/inbox/who', { cookie: `inbox=${planted}` })).statusCode, 401)
  })

  t.test('changes at each sign-in, and the former one ends', async (t) => {
    const first = cookieOf(await byPassword())
    const second = cookieOf(await byPassword(PASSWORD, { cookie: first }))
    t.not(first, second)
    t.equal((await get('/inbox/who', { cookie: first })).statusCode, 401)
    t.equal((await get('/inbox/who', { cookie: second })).statusCode, 200)
  })

  t.test('is ignored after tampering', async (t) => {
    const cookie = cookieOf(await byPassword())
    const token = cookie.slice('inbox='.length)
    for (const bad of [
      '',
      token.slice(1),
      `${token}A`,
      token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      token.toLowerCase() === token ? token.toUpperCase() : token.toLowerCase(),
      `${token}%00`,
      `%ZZ${token}`,
      "' OR 1=1 --",
      '[object Object]',
      'x'.repeat(8_000)
    ])
      t.equal((await get('/inbox/who', { cookie: `inbox=${bad}` })).statusCode, 401, bad.slice(0, 50))
    t.equal((await get('/inbox/who', { cookie })).statusCode, 200)
  })

  t.test('names who holds it, by what they came and when', async (t) => {
    const cookie = cookieOf(await byPassword())
    const { person, hash } = (await get('/inbox/who', { cookie })).json()
    const [session] = (await inbox!.queries.listPersonSessions({ person })).filter((session) => session.hash === hash)
    t.match(session, { client: 'Firefox on Linux' })
    t.ok(Math.abs(session!.created - Date.now()) < 60_000)
  })

  t.test('ends when its person signs out', async (t) => {
    const cookie = cookieOf(await byPassword())
    const out = await get('/inbox/out', { cookie })
    t.match(out.headers['set-cookie'], /^inbox=; Max-Age=0; Path=\//)
    t.equal((await get('/inbox/who', { cookie })).statusCode, 401)
  })

  t.test('ends when it is revoked, or its person removed', async (t) => {
    const cookie = cookieOf(await byPassword())
    const { hash } = (await get('/inbox/who', { cookie })).json()
    await inbox!.changes.closePersonSession({ hash })
    t.equal((await get('/inbox/who', { cookie })).statusCode, 401)
    const eve = cookieOf(await get(`/inbox/by-password?name=Eve&password=${encodeURIComponent(PASSWORD)}`))
    await inbox!.changes.removePerson({ id: (await get('/inbox/who', { cookie: eve })).json().person })
    t.equal((await get('/inbox/who', { cookie: eve })).statusCode, 401)
  })

  t.test('lets a viewer read, and no more', async (t) => {
    await get(`/inbox/by-password?name=Root&password=${encodeURIComponent(PASSWORD)}`)
    const cookie = cookieOf(await get(`/inbox/by-password?name=Vera&password=${encodeURIComponent(PASSWORD)}`))
    const { person } = (await get('/inbox/who', { cookie })).json()
    await inbox!.changes.setRoles({ id: person, role: 'viewer' })
    t.equal((await get('/inbox/who', { cookie })).statusCode, 200)
    const refused = await get('/inbox/admin', { cookie })
    t.match(refused.json(), { statusCode: 403, code: 'APP_FORBIDDEN' })
    await inbox!.changes.setRoles({ id: person, role: 'admin' })
    t.equal((await get('/inbox/admin', { cookie })).statusCode, 200)
  })

  t.test('is noted when it is used, though not each time', async (t) => {
    const cookie = cookieOf(
      await get('/inbox/by-password?name=Tia&password=' + encodeURIComponent(PASSWORD), {}, '::1')
    )
    const { hash, person } = (await get('/inbox/who', { cookie })).json()
    const seen = async () =>
      (await inbox!.queries.listPersonSessions({ person })).find((session) => session.hash === hash)!.lastSeen
    const soon = Date.now() - 9 * 60_000
    await inbox!.changes.touchPersonSession({ hash, at: soon })
    await get('/inbox/who', { cookie })
    const early = Date.now() - 11 * 60_000
    t.equal(await seen(), soon)
    await inbox!.changes.touchPersonSession({ hash, at: early })
    await get('/inbox/who', { cookie })
    while ((await seen()) === early) await new Promise((resolve) => setTimeout(resolve, 5))
    t.ok((await seen()) > soon)
  })

  t.test('is in the store by its hash alone', async (t) => {
    const folder = createFolder(t)
    const { byPassword, app: other } = await createApp(t, { password: PASSWORD, folder })
    const token = cookieOf(await byPassword()).slice('inbox='.length)
    await other.close()
    for (const file of readdirSync(folder)) t.notOk(readFileSync(join(folder, file)).includes(token), file)
  })

  t.equal(app.inboxAccess.way, 'password')
})

t.test(
  'without a password on a public host nobody can sign in, and one log line says how to change that',
  async (t) => {
    const { get, start, printed, lines, access } = await createApp(t, { local: false })
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

t.test('with a provider outside there is no inbox to get into', async (t) => {
  for (const options of [{}, { password: PASSWORD }]) {
    const { app, get, start, printed, lines } = await createApp(t, { stores: false, ...options })
    await start()
    t.same(printed, [])
    t.same([...app.secretCookies], ['inbox', '__Host-inbox', '__Secure-inbox'], 'another inbox may have left its own')
    t.match((await get('/inbox/who')).headers, { 'cache-control': 'private, no-store' })
    t.equal((await get('/inbox/who')).statusCode, 404)
    t.notMatch(lines.join(''), 'INBOX_PASSWORD')
  }
})

t.test('pages below /inbox are neither cached nor indexed, and send no referrer', async (t) => {
  const { get } = await createApp(t)
  for (const url of ['/inbox/who', '/inbox/nothing', '/inbox'])
    t.match((await get(url)).headers, { 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' }, url)
  t.equal((await get('/inbox/sign-in')).headers['referrer-policy'], 'strict-origin')
  t.equal((await get('/inbox/invitation')).headers['referrer-policy'], 'strict-origin')
  const other = await get('/inboxes')
  t.equal(other.headers['x-robots-tag'], undefined)
})
