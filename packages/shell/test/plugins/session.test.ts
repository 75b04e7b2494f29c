import { PassThrough } from 'node:stream'
import Fastify, { type FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import session, {
  createSessionSigner,
  SESSION_LIFETIME,
  type SessionOptions,
  writeSession
} from '../../src/plugins/session.ts'

const SECRET = 'a secret for tests, of forty characters.'
const SIGNER = createSessionSigner(SECRET)

async function createApp(t: Test, options: Partial<SessionOptions> = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(session, { secret: SECRET, ...options })
  app.get('/who', async ({ session }) => ({ user: session.get('user') ?? null, changed: session.changed }))
  app.get<{ Params: { user: string } }>('/in/:user', async ({ session, params }) => {
    session.set('user', params.user)
    return { user: session.get('user'), changed: session.changed }
  })
  app.get('/long', async ({ session }) => {
    session.set('user', 'x'.repeat(4_000))
  })
  app.get('/out', async ({ session }) => {
    session.clear()
    return { user: session.get('user') ?? null, changed: session.changed }
  })
  app.get('/late', async ({ session }, reply) => {
    reply.raw.writeHead(200)
    try {
      session.set('user', 'late')
    } catch (error) {
      reply.raw.end((error as { code: string }).code)
    }
    return reply.hijack()
  })
  app.get('/prototype', async ({ session }) => ({ user: session.get('constructor' as 'user') ?? null }))
  const get = (url: string, cookie?: string) => app.inject({ url, headers: cookie === undefined ? {} : { cookie } })
  return { app, get }
}

const cookieOf = (response: { headers: { 'set-cookie'?: string | string[] } }) =>
  String(response.headers['set-cookie']).split(';')[0]!

t.test('stored values are restored from the cookie', async (t) => {
  const { get } = await createApp(t)
  const signedIn = await get('/in/ada')
  t.same(signedIn.json(), { user: 'ada', changed: true })
  t.match(signedIn.headers['set-cookie'], /^session=\S+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
  const next = await get('/who', cookieOf(signedIn))
  t.same(next.json(), { user: 'ada', changed: false })
  t.equal(next.headers['set-cookie'], undefined)
})

t.test('with https the cookie is Secure and bound to its host', async (t) => {
  const { get } = await createApp(t, { https: true })
  const signedIn = await get('/in/ada')
  t.match(signedIn.headers['set-cookie'], /^__Host-session=\S+;.* Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  t.equal((await get('/who', cookieOf(signedIn))).json().user, 'ada')
  t.equal((await get('/who', cookieOf(signedIn).replace('__Host-', ''))).json().user, null)
})

t.test('a session that was changed, or signed with another secret, is empty', async (t) => {
  const { get } = await createApp(t)
  const stranger = await createApp(t, { secret: 'another secret for tests, also forty ch.' })
  const cookie = cookieOf(await get('/in/ada'))
  const [value, signature] = decodeURIComponent(cookie.slice('session='.length)).split('.') as [string, string]
  const forged = writeSession({ user: 'root' })
  for (const bad of [
    `${forged}.${signature}`,
    `${value}.`,
    value,
    `${value}.${signature}x`,
    `${value}.${signature.slice(1)}`,
    `.${signature}`,
    '',
    '.',
    '%ZZ',
    'x'.repeat(8_000),
    cookieOf(await stranger.get('/in/root')).slice('session='.length)
  ]) {
    const response = await get('/who', `session=${bad}`)
    t.equal(response.statusCode, 200, bad.slice(0, 80))
    t.equal(response.json().user, null)
  }
  for (const signed of [
    'not ours',
    Buffer.from('null').toString('base64url'),
    Buffer.from('{"data":1}').toString('base64url')
  ])
    t.equal((await get('/who', `session=${encodeURIComponent(SIGNER.sign(signed))}`)).json().user, null, signed)
})

t.test('a value signed for another purpose is not a session', async (t) => {
  const { app, get } = await createApp(t)
  app.get<{ Params: { theme: string } }>('/theme/:theme', async ({ params }, reply) => {
    reply.setCookie('theme', params.theme, { signed: true })
  })
  app.get('/theme', async ({ cookies, unsignCookie }) => unsignCookie(cookies.theme!))
  const cookie = cookieOf(await get(`/theme/${writeSession({ user: 'root' })}`))
  t.equal((await get('/who', cookie.replace('theme=', 'session='))).json().user, null)
  t.match((await get('/theme', cookie)).json(), { valid: true }, 'the value is valid for its purpose')
})

t.test('a session expires after a week', async (t) => {
  const { get } = await createApp(t)
  const sign = (age: number) => `session=${SIGNER.sign(writeSession({ user: 'ada' }, Date.now() - age * 1000))}`
  t.equal((await get('/who', sign(SESSION_LIFETIME - 60))).json().user, 'ada')
  t.equal((await get('/who', sign(SESSION_LIFETIME))).json().user, null)
})

t.test('a session that is too large for a cookie is refused, and no cookie is set', async (t) => {
  const { get } = await createApp(t)
  const response = await get('/long')
  t.equal(response.statusCode, 500)
  t.equal(response.json().code, 'APP_SESSION_TOO_LARGE')
  t.equal(response.headers['set-cookie'], undefined)
})

t.test('a change after the headers is refused', async (t) => {
  const { get } = await createApp(t)
  t.equal((await get('/late')).body, 'APP_SESSION_TOO_LATE')
})

t.test('a change between sending a stream and its first byte is refused, and not lost', async (t) => {
  const { app, get } = await createApp(t)
  app.get<{ Params: { first: string; change: 'set' | 'clear' } }>('/stream/:first/:change', (request, reply) => {
    if (request.params.first === 'read') request.session.get('user')
    if (request.params.first === 'changed') request.session.set('user', 'ada')
    const body = new PassThrough()
    reply.send(body)
    setImmediate(() => {
      const early = !reply.raw.headersSent
      try {
        if (request.params.change === 'set') request.session.set('user', 'late')
        else request.session.clear()
        body.end('lost')
      } catch (error) {
        body.end(`${early} ${(error as { code: string }).code} ${request.session.get('user')}`)
      }
    })
  })
  for (const change of ['set', 'clear']) {
    t.equal((await get(`/stream/untouched/${change}`)).body, 'true APP_SESSION_TOO_LATE undefined')
    t.equal((await get(`/stream/read/${change}`)).body, 'true APP_SESSION_TOO_LATE undefined')
    const changed = await get(`/stream/changed/${change}`)
    t.equal(changed.body, 'true APP_SESSION_TOO_LATE ada')
    t.equal((await get('/who', cookieOf(changed))).json().user, 'ada', 'the earlier change is kept')
  }
})

t.test('the error response for a stream that failed before its first byte can change the session', async (t) => {
  const { app, get } = await createApp(t)
  app.setErrorHandler(async (_error, { session }) => {
    session.set('user', 'failed')
    return 'answered'
  })
  app.get('/fail', async (_request, reply) => {
    const body = new PassThrough()
    setImmediate(() => body.destroy(new Error('no')))
    return reply.send(body)
  })
  const failed = await get('/fail')
  t.equal(failed.body, 'answered')
  t.equal((await get('/who', cookieOf(failed))).json().user, 'failed')
})

t.test('clear removes all values and the cookie', async (t) => {
  const { get } = await createApp(t)
  const response = await get('/out', cookieOf(await get('/in/ada')))
  t.same(response.json(), { user: null, changed: true })
  t.match(response.headers['set-cookie'], /^session=; .*Expires=Thu, 01 Jan 1970/)
})

t.test('a lifetime applies to every later change until the session is cleared', async (t) => {
  const { app, get } = await createApp(t)
  app.get<{ Querystring: { seconds: string; closed?: string } }>('/keep', async ({ session, query }) => {
    session.setLifetime({ seconds: Number(query.seconds), untilClosed: query.closed !== undefined })
    return { user: session.get('user'), changed: session.changed }
  })
  app.get('/again', async ({ session }) => {
    session.clear()
    session.set('user', 'eve')
  })
  const kept = await get('/keep?seconds=3600', cookieOf(await get('/in/ada')))
  t.same(kept.json(), { user: 'ada', changed: true })
  t.match(kept.headers['set-cookie'], /; Max-Age=3600;/)
  t.match((await get('/in/bob', cookieOf(kept))).headers['set-cookie'], /; Max-Age=3600;/)
  t.match((await get('/again', cookieOf(kept))).headers['set-cookie'], /; Max-Age=604800;/)

  const closed = await get('/keep?seconds=3600&closed', cookieOf(kept))
  t.match(closed.headers['set-cookie'], /^session=\S+; Path=\/; HttpOnly; SameSite=Lax$/)
  t.equal((await get('/in/bob', cookieOf(closed))).headers['set-cookie']?.includes('Max-Age'), false)

  const old = (age: number) =>
    `session=${SIGNER.sign(writeSession({ user: 'ada' }, Date.now() - age * 1000, { seconds: 3_600 }))}`
  t.equal((await get('/who', old(3_540))).json().user, 'ada')
  t.equal((await get('/who', old(3_600))).json().user, null)
})

t.test('refuses a lifetime that a cookie cannot have', async (t) => {
  const { app, get } = await createApp(t)
  app.get<{ Params: { seconds: string } }>('/keep/:seconds', async ({ session, params }) => {
    session.setLifetime({ seconds: Number(params.seconds) })
  })
  for (const seconds of [0, -1, 1.5, NaN, 400 * 24 * 3600 + 1])
    t.equal(
      (await get(`/keep/${seconds}`)).json().message,
      'A session lasts a whole number of seconds, from 1 to 400 days'
    )
})

t.test('concurrent requests have separate sessions', async (t) => {
  const { get } = await createApp(t)
  const [ada, bob] = [cookieOf(await get('/in/ada')), cookieOf(await get('/in/bob'))]
  const answers = await Promise.all([ada, bob, ada, undefined, bob].map((cookie) => get('/who', cookie)))
  t.same(
    answers.map((answer) => answer.json().user),
    ['ada', 'bob', 'ada', null, 'bob']
  )
})

t.test('does not have the members of Object.prototype', async (t) => {
  const { get } = await createApp(t)
  t.equal((await get('/prototype', cookieOf(await get('/in/ada')))).json().user, null)
})

t.test('a hook of the application reads and sets cookies on the routes for envelopes too', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(session, { secret: SECRET })
  app.addHook('onRequest', async function chooseVariant({ cookies, session }, reply) {
    if (!cookies['variant']) reply.setCookie('variant', 'b')
    if (!session.get('user')) session.set('user', 'guest')
  })
  const returnCookies = async ({ cookies }: FastifyRequest) => ({ cookies })
  app.post('/monitoring', { config: { isTunnel: true } }, returnCookies)
  const send = (cookie?: string) =>
    app.inject({ method: 'POST', url: '/monitoring', headers: cookie === undefined ? {} : { cookie } })
  const first = await send()
  t.same(first.json(), { cookies: {} })
  t.same(
    first.cookies.map(({ name }) => name),
    ['variant', 'session']
  )
  t.same((await send('variant=a')).json(), { cookies: { variant: 'a' } })
})

t.test('a session of the previous secret is accepted, and signed again when it is read', async (t) => {
  const NEXT = 'the next secret, of forty characters too.'
  const before = await createApp(t)
  const during = await createApp(t, { secret: [NEXT, SECRET] })
  const after = await createApp(t, { secret: NEXT })
  const old = cookieOf(await before.get('/in/ada'))
  t.same((await after.get('/who', old)).json(), { user: null, changed: false }, 'without the previous secret')

  const used = await during.get('/who', old)
  t.same(used.json(), { user: 'ada', changed: false })
  t.match(used.headers['set-cookie'], /^session=\S+; Max-Age=(604800|60479\d); Path=\//)
  const renewed = cookieOf(used)
  t.equal(renewed.split('.')[0], old.split('.')[0], 'its lifetime is not extended')
  t.same((await after.get('/who', renewed)).json(), { user: 'ada', changed: false })
  t.equal((await during.get('/who', renewed)).headers['set-cookie'], undefined, 'once')
  t.same((await before.get('/who', cookieOf(await during.get('/in/bea')))).json(), { user: null, changed: false })
})

t.test('a request that is refused before its cookies are parsed has a session', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async function refuse() {
    throw new Error('refused')
  })
  app.setErrorHandler(async (_error, { session }) => ({ user: session.get('user') }))
  await app.register(session, { secret: SECRET })
  app.get('/', async () => 'never')
  const cookie = `session=${SIGNER.sign(writeSession({ user: 'ada' }))}`
  t.same((await app.inject({ url: '/', headers: { cookie } })).json(), { user: 'ada' })
  t.same((await app.inject('/')).json(), {})
})
