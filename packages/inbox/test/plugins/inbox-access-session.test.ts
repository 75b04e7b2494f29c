import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { setWallClock } from '@hull/test-helpers/wall-clock.ts'
import { cookieOf, createAccessApp, PASSWORD } from '../helpers/access-app.ts'

t.test('a session', async (t) => {
  const { app, access, inbox, get, byPassword } = await createAccessApp(t, { password: PASSWORD })

  t.test('gets a new token, whatever cookie the browser sent before', async (t) => {
    const planted = 'P'.repeat(43)
    const signedIn = await byPassword(PASSWORD, { cookie: `inbox=${planted}` })
    t.not(cookieOf(signedIn), `inbox=${planted}`)
    t.equal((await get('/inbox/who', { cookie: `inbox=${planted}` })).statusCode, 401)
  })

  t.test('is replaced at each sign-in, and the previous session ends', async (t) => {
    const first = cookieOf(await byPassword())
    const second = cookieOf(await byPassword(PASSWORD, { cookie: first }))
    t.not(first, second)
    t.equal((await get('/inbox/who', { cookie: first })).statusCode, 401)
    t.equal((await get('/inbox/who', { cookie: second })).statusCode, 200)
  })

  t.test('is ignored if its token was changed', async (t) => {
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

  t.test('records its person, client and start', async (t) => {
    const cookie = cookieOf(await byPassword())
    const { person, hash } = (await get('/inbox/who', { cookie })).json()
    const [session] = (await access.listSessions(person)).filter((session) => session.hash === hash)
    t.match(session, { client: 'Firefox on Linux' })
    t.ok(Math.abs(session!.created - Date.now()) < 60_000)
  })

  t.test('ends when its person signs out', async (t) => {
    const cookie = cookieOf(await byPassword())
    const out = await get('/inbox/out', { cookie })
    t.match(out.headers['set-cookie'], /^inbox=; Max-Age=0; Path=\//)
    t.equal((await get('/inbox/who', { cookie })).statusCode, 401)
  })

  t.test('ends when it is revoked or its person is removed', async (t) => {
    const cookie = cookieOf(await byPassword())
    const { hash } = (await get('/inbox/who', { cookie })).json()
    await inbox!.changes.closePersonSession({ hash })
    t.equal((await get('/inbox/who', { cookie })).statusCode, 401)
    const eve = cookieOf(await get(`/inbox/by-password?name=Eve&password=${encodeURIComponent(PASSWORD)}`))
    await inbox!.changes.removePerson({ id: (await get('/inbox/who', { cookie: eve })).json().person })
    t.equal((await get('/inbox/who', { cookie: eve })).statusCode, 401)
  })

  t.test('of a viewer can only read', async (t) => {
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

  t.test('records its last use every ten minutes', async (t) => {
    const cookie = cookieOf(
      await get('/inbox/by-password?name=Tia&password=' + encodeURIComponent(PASSWORD), {}, '::1')
    )
    const { hash, person } = (await get('/inbox/who', { cookie })).json()
    const seen = async () => (await access.listSessions(person)).find((session) => session.hash === hash)!.lastSeen
    const soon = Date.now() - 9 * 60_000
    await inbox!.changes.touchPersonSession({ hash, at: soon })
    await get('/inbox/who', { cookie })
    const early = Date.now() - 11 * 60_000
    t.equal(await seen(), soon)
    await inbox!.changes.touchPersonSession({ hash, at: early })
    await get('/inbox/who', { cookie })
    while ((await seen()) === early) await new Promise((resolve) => setTimeout(resolve, 5))
    t.ok((await seen()) > soon)

    await t.test('also after the clock was set back', async (t) => {
      const late = Date.now() + 60 * 60_000
      await inbox!.changes.touchPersonSession({ hash, at: late })
      await get('/inbox/who', { cookie })
      await t.resolves(eventually(async () => (await seen()) < late))
    })
  })

  t.test('does not expire when the clock is corrected after it was 60 days behind', async (t) => {
    const before = cookieOf(await byPassword())
    let during = ''
    await t.test('while the clock is behind', async (t) => {
      setWallClock(t, -60 * 24 * 3_600_000)
      during = cookieOf(await byPassword())
      await get('/inbox/who', { cookie: before })
    })
    for (const cookie of [before, during]) t.equal((await get('/inbox/who', { cookie })).statusCode, 200)
  })

  t.test('is stored only as a hash', async (t) => {
    const folder = createFolder(t)
    const { byPassword, app: other } = await createAccessApp(t, { password: PASSWORD, folder })
    const token = cookieOf(await byPassword()).slice('inbox='.length)
    await other.close()
    for (const file of readdirSync(folder)) t.notOk(readFileSync(join(folder, file)).includes(token), file)
  })

  t.equal(app.inboxAccess.way, 'password')
})
