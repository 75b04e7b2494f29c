import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { createToken, hashToken } from '../../src/access/tokens.ts'
import { select } from '../helpers/inbox-file.ts'
import type { Inbox } from '../../src/store/inbox.ts'
import { createLazyInbox } from '../../src/store/lazy-inbox.ts'
import {
  cookieOf,
  createAccessApp,
  openTestInbox,
  PASSWORD,
  SECRET,
  type AccessAppOptions
} from '../helpers/access-app.ts'

t.test('with a password no link is printed, and the password signs in admins', async (t) => {
  const { get, byPassword, start, printed, lines } = await createAccessApp(t, { password: PASSWORD })
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

t.test('compares passwords after Unicode normalisation', async (t) => {
  const { byPassword } = await createAccessApp(t, { password: 'caf\u00E9 caf\u00E9 caf\u00E9' })
  t.equal((await byPassword('cafe\u0301 cafe\u0301 cafe\u0301')).body, 'true')
})

t.test('wrong passwords', async (t) => {
  t.test('are refused after six from one network, but not from another', async (t) => {
    const { byPassword } = await createAccessApp(t, { password: PASSWORD })
    for (let i = 0; i < 6; i++) t.equal((await byPassword('wrong')).body, 'false')
    const refused = await byPassword()
    t.equal(refused.statusCode, 429, 'even the correct password')
    t.equal(refused.json().code, 'APP_INBOX_TOO_MANY_TRIES')
    t.match(refused.headers['retry-after'], /^[1-9]\d*$/)
    t.equal((await byPassword(PASSWORD, {}, '203.0.113.2')).body, 'true')
  })

  t.test('from many networks do not block the correct password', async (t) => {
    const { byPassword } = await createAccessApp(t, { password: PASSWORD })
    await Promise.all(Array.from({ length: 200 }, (_, i) => byPassword('wrong', {}, `198.51.100.${i}`)))
    t.equal((await byPassword()).body, 'true')
  })

  t.test('are counted from zero after the correct password', async (t) => {
    const { byPassword } = await createAccessApp(t, { password: PASSWORD })
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) t.equal((await byPassword('wrong')).body, 'false')
      t.equal((await byPassword()).body, 'true')
    }
  })
})

t.test('a session that began with the shared password ends when that password changes or is removed', async (t) => {
  const folder = createFolder(t)
  const start = async (options: AccessAppOptions) => createAccessApp(t, { folder, ...options })
  const status = async ({ get }: Awaited<ReturnType<typeof createAccessApp>>, cookie: string) =>
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
  t.equal(await status(other, vera), 200, 'an invited person stays signed in')
  t.equal((await other.access.listSessions(person)).length, 0, 'ended sessions are not listed')
  t.match(await other.access.listPeople(), [
    { name: 'Ada', sessions: 0 },
    { name: 'Vera', sessions: 1 }
  ])
  const again = cookieOf(await other.byPassword('another password', { cookie: ada }))
  t.equal(await status(other, again), 200)
  t.equal((await other.access.listSessions(person)).length, 1)
  await other.app.close()

  const none = await start({})
  t.equal(await status(none, again), 401)
  t.equal(await status(none, vera), 200)
  await none.app.close()

  const back = await start({ password: PASSWORD })
  t.equal(await status(back, adaElsewhere), 401, 'a removed session does not come back')
})

t.test('a session that began with the shared password stays open while the secret changes', async (t) => {
  const folder = createFolder(t)
  const next = `${SECRET} another`
  const start = (secret: string | string[]) => createAccessApp(t, { folder, secret, password: PASSWORD })
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

t.test('while replicas change the secret one after the other, each accepts the sessions of the others', async (t) => {
  const folder = createFolder(t)
  const next = `${SECRET} another`
  const start = (secret: string[]) => createAccessApp(t, { folder, secret, password: PASSWORD })
  const waiting = await start([SECRET, next])
  const ada = cookieOf(await waiting.byPassword())
  const changed = await start([next, SECRET])
  const bea = cookieOf(await changed.byPassword())
  const cem = cookieOf(await waiting.byPassword())
  for (const [at, { get }] of Object.entries({ waiting, changed }))
    for (const [name, cookie] of Object.entries({ ada, bea, cem }))
      t.equal((await get('/inbox/who', { cookie })).statusCode, 200, `${name}, at the replica ${at}`)
})

t.test('a changed secret does not delay the start if the database does not answer', async (t) => {
  const opening = Promise.withResolvers<Inbox>()
  const inbox = createLazyInbox(() => opening.promise)
  const { app } = await createAccessApp(t, { inbox, secret: [`${SECRET} another`, SECRET], password: PASSWORD })
  t.ok(await app.ready())
  opening.resolve(await openTestInbox(createFolder(t)))
})

t.test('the fingerprint of the password depends on the secret of the sessions', async (t) => {
  const folders = [createFolder(t), createFolder(t), createFolder(t)]
  const secrets = [SECRET, SECRET, `${SECRET} another`]
  const fingerprints = []
  for (const [i, folder] of folders.entries()) {
    const { app, byPassword } = await createAccessApp(t, { folder, password: PASSWORD, secret: secrets[i] })
    t.equal((await byPassword()).body, 'true')
    await app.close()
    const [session] = select(join(folder, 'inbox.db'), 'SELECT password_fingerprint AS value FROM person_session')
    fingerprints.push(session!['value'])
    for (const file of readdirSync(folder)) t.notOk(readFileSync(join(folder, file)).includes(PASSWORD), file)
  }
  const [one, same, other] = fingerprints
  t.match(one, /^[\w-]{43}$/)
  t.equal(one, same)
  t.not(one, other)
})
