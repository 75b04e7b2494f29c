import { argon2Sync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { createVisitor, mainText, type Visitor } from '@hull/test-helpers/visitor.ts'
import { buildSignInSite, createSignInApp } from '@hull/test-helpers/sign-in-app.ts'
import { runChild } from '../../child.js'

const PASSWORD = 'a long password of Ada'
const WRONG = 'The name or the password is wrong.'
const site = await buildSignInSite(t)

const { app, root, dataDir } = await createSignInApp(t, { site, recipe: 'password', env: { TRUST_PROXY: 'true' } })
t.setTimeout(600_000)
await app.ready()
await app.passwords.set('Ada', PASSWORD)

/** Creates a visitor with a new IP address, unless `headers` have one. */
const visit = (headers: Record<string, string> = {}) =>
  createVisitor(app, { 'x-forwarded-for': `192.0.2.${networks++}`, ...headers })
let networks = 0

const signIn = (visitor: Visitor, fields: Record<string, string> = {}, query = '') =>
  visitor.post(`/sign-in/password${query}`, { name: 'Ada', password: PASSWORD, ...fields })

t.test('sign-in', async (t) => {
  t.test('redirects back to the page that required it', async (t) => {
    const ada = visit()
    const refused = await ada.get('/account')
    t.equal(refused.statusCode, 401)
    t.match(refused.body, 'href="/sign-in/password?return=%2Faccount"')
    t.equal((await ada.get('/-/data/account')).statusCode, 401)
    t.equal((await ada.post('/account', { end: 'all' })).statusCode, 401)
    const { statusCode, headers } = await signIn(ada, {}, '?return=%2Faccount%3Fa%3D1')
    t.same([statusCode, headers.location], [303, '/account?a=1'])
    t.match(mainText(await ada.get('/account')), /Signed in as Ada .*This browser/)
  })

  t.test('does not redirect to another origin', async (t) => {
    for (const to of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/.//evil.example'
    ])
      t.equal((await signIn(visit(), {}, `?return=${encodeURIComponent(to)}`)).headers.location, '/account', to)
  })

  t.test('lasts until the browser is closed, or for 30 days', async (t) => {
    const brief = await signIn(visit())
    t.match(brief.headers['set-cookie'], /^session=\S+; Path=\/; HttpOnly; SameSite=Lax$/)
    const kept = await signIn(visit(), { remember: 'on' })
    t.match(kept.headers['set-cookie'], /^session=\S+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  t.test('ignores case, Unicode composition and surrounding spaces of a name', async (t) => {
    await app.passwords.set('Zoë', PASSWORD)
    t.equal((await signIn(visit(), { name: ' ZOE\u0308' })).statusCode, 303)
  })

  t.test('creates a new token each time, and ends the session of a planted cookie', async (t) => {
    const eve = visit()
    await signIn(eve)
    const planted = eve.jar.get('session')!
    const ada = visit()
    ada.jar.set('session', planted)
    await signIn(ada)
    t.not(ada.jar.get('session'), planted)
    t.equal((await ada.get('/account')).statusCode, 200)
    t.equal((await eve.get('/account')).statusCode, 401, 'the planted session has ended')
  })

  t.test('does not reveal which names exist', async (t) => {
    const [known, unknown] = [visit(), visit()]
    const wrong = await signIn(known, { password: 'wrong' })
    const nobody = await signIn(unknown, { name: 'Bob', password: 'wrong' })
    t.equal(wrong.statusCode, 422)
    t.match(mainText(wrong), WRONG)
    t.notMatch(wrong.body, 'wrong"', 'the page does not contain the password')
    const withoutName = ({ body }: typeof wrong) => body.replace(/Ada|Bob/g, '').replace(/nonce="[^"]+"/g, '')
    t.equal(withoutName(nobody), withoutName(wrong))
    t.same([known.jar.size, unknown.jar.size], [0, 0])
  })
})

t.test('guesses of a password are rate-limited', async (t) => {
  const from = (address: string) => visit({ 'x-forwarded-for': address })
  const guess = (name: string, address = '198.51.100.1') => signIn(from(address), { name, password: 'wrong' })

  t.test('also in parallel, and for names that do not exist', async (t) => {
    for (const [name, address] of [
      ['Ada', '198.51.100.1'],
      ['Nobody', '198.51.100.2']
    ] as const) {
      const responses = await Promise.all(Array.from({ length: 14 }, () => guess(name, address)))
      const refused = responses.filter(({ statusCode }) => statusCode === 429)
      t.ok(refused.length > 3, `${refused.length} of 14`)
      const seconds = String(refused[0]!.headers['retry-after'])
      t.match(seconds, /^[124]$/)
      t.match(mainText(refused[0]!), `Too many attempts: try again in ${seconds} s.`)
    }
  })

  t.test('also with the right password, but not from another IP address', async (t) => {
    const guesses = Array.from({ length: 12 }, () => guess('Ada', '198.51.100.3'))
    const right = ['198.51.100.3', '203.0.113.9'].map((address) => signIn(from(address)))
    await Promise.all(guesses)
    t.same(
      (await Promise.all(right)).map(({ statusCode }) => statusCode),
      [429, 303]
    )
  })
})

t.test('the CPU time of a sign-in does not reveal which names exist', async (t) => {
  const measure = async (name: string) => {
    const start = process.cpuUsage()
    await signIn(visit(), { name, password: 'wrong' })
    const { user, system } = process.cpuUsage(start)
    return user + system
  }
  await measure('Ada')
  const [known, unknown] = [[], []] as [number[], number[]]
  for (let i = 0; i < 5; i++) {
    known.push(await measure('Ada'))
    unknown.push(await measure(`nobody ${i}`))
  }
  const median = (values: number[]) => values.sort((a, b) => a - b)[2]!
  const ratio = median(unknown) / median(known)
  t.ok(ratio > 0.5 && ratio < 2, `CPU of an unknown name relative to a known one: ${ratio}`)
})

t.test('sign-ins', async (t) => {
  const signedIn = async (browser: string) => {
    const visitor = visit({ 'user-agent': browser })
    await signIn(visitor)
    return visitor
  }
  const statuses = (...visitors: Visitor[]) =>
    Promise.all(visitors.map(async (visitor) => (await visitor.get('/account')).statusCode))

  t.test('are listed, and can be ended one by one', async (t) => {
    const [phone, desk] = [await signedIn('Phone'), await signedIn('Desk')]
    const page = await desk.get('/account')
    t.match(mainText(page), /This browser.*Phone/)
    const [, id] = /<button[^>]* value="(\d+)"/.exec(page.body)!
    t.equal((await desk.post('/account', { end: id! })).headers.location, '/account')
    t.same(await statuses(phone, desk), [401, 200])
    await desk.post('/account', { end: 'this' })
    t.same(await statuses(desk), [401])
  })

  t.test('of another account cannot be ended', async (t) => {
    const ada = await signedIn('Phone')
    await app.passwords.set('Eve', PASSWORD)
    const eve = visit()
    await signIn(eve, { name: 'Eve' })
    const all = app.signIns.list(
      (await app.passwords.check({ name: 'Ada', password: PASSWORD, address: '::1' })).account!.id
    )
    for (const { id } of all) await eve.post('/account', { end: String(id) })
    t.same(await statuses(ada), [200])
    await ada.post('/account', { end: 'all' })
  })

  t.test('can be ended in all browsers at once', async (t) => {
    const [phone, desk] = [await signedIn('Phone'), await signedIn('Desk')]
    const { headers } = await desk.post('/account', { end: 'all' })
    t.equal(headers.location, '/')
    t.match(headers['set-cookie'], /^session=;/)
    t.same(await statuses(phone, desk), [401, 401])
  })

  t.test('cannot be used with a copied cookie after the sign-out', async (t) => {
    const ada = await signedIn('Phone')
    const copy = visit()
    copy.jar.set('session', ada.jar.get('session')!)
    t.same(await statuses(copy), [200])
    await ada.post('/account', { end: 'this' })
    t.same(await statuses(copy), [401])
  })

  t.test('end when the password is changed, except in the browser that changed it', async (t) => {
    const [phone, desk] = [await signedIn('Phone'), await signedIn('Desk')]
    const before = desk.jar.get('session')
    const change = (fields: Record<string, string>) =>
      desk.post('/account/password', { current: PASSWORD, next: 'another long password', ...fields })
    const short = await change({ next: 'short' })
    t.match([short.statusCode, mainText(short)], [422, /at least 15 characters/])
    const wrong = await change({ current: 'wrong' })
    t.match([wrong.statusCode, mainText(wrong)], [422, /This is not your password\./])
    t.same(await statuses(phone, desk), [200, 200])
    t.equal((await change({})).headers.location, '/account')
    t.same(await statuses(phone, desk), [401, 200])
    t.not(desk.jar.get('session'), before)
    t.equal((await signIn(visit())).statusCode, 422, 'the old password is refused')
    t.equal((await signIn(visit(), { password: 'another long password' })).statusCode, 303)
  })

  t.test('end when the command line sets a new password', async (t) => {
    await app.passwords.set('Ada', PASSWORD)
    const ada = await signedIn('Phone')
    const add = (password: string) =>
      runChild(
        'sh',
        [
          '-c',
          `printf %s "${password}" | env ${bareNode('add-account.ts', join(dataDir, 'sign-in.db'), 'ada').join(' ')}`
        ],
        { cwd: root, capture: true }
      )
    t.match((await add('short')).output, 'needs at least 15 characters')
    t.same(await statuses(ada), [200])
    const { code, output } = await add('a password from the terminal')
    t.equal(code, 0, output)
    t.match(output, /^Added ada$/m)
    t.same(await statuses(ada), [401])
    t.equal((await signIn(visit(), { password: 'a password from the terminal' })).statusCode, 303)
  })
})

t.test('expired sign-ins are refused', async (t) => {
  const { openSignIns } = (await import(join(site.root, 'plugins/sign-ins.ts'))) as {
    openSignIns: (file: string, now: () => number) => typeof app.signIns
  }
  let now = 1_000_000
  const signIns = openSignIns(':memory:', () => now)
  t.teardown(() => signIns.close())
  const createSession = () => {
    const values = new Map<string, unknown>()
    return {
      get: (key: string) => values.get(key) as never,
      set: (key: string, value: unknown) => void values.set(key, value),
      setLifetime() {},
      clear: () => values.clear(),
      changed: false
    }
  }
  const ada = { account: '1', name: 'Ada', roles: ['editor'] }
  const HOUR = 3_600_000
  for (const { remember, hours } of [
    { remember: false, hours: 12 },
    { remember: true, hours: 30 * 24 }
  ]) {
    const session = createSession()
    signIns.begin(session, ada, { remember })
    now += hours * HOUR - 1
    t.match(signIns.find(session), { account: '1', remember, lastSeen: now - hours * HOUR + 1 })
    t.equal(signIns.find(session)?.lastSeen, now, 'the time of the last use is stored')
    t.equal(signIns.requireRole(session, 'editor').name, 'Ada')
    t.throws(() => signIns.requireRole(session, 'admin'), { code: 'APP_FORBIDDEN' })
    now += 1
    t.equal(signIns.find(session), undefined)
    t.throws(() => signIns.require(session), { code: 'APP_UNAUTHORIZED' })
    t.same(signIns.list('1'), [])
  }
})

t.test('the database has no tokens and no passwords, and its hashes are standard argon2id', async (t) => {
  await app.passwords.set('Ada', PASSWORD)
  const ada = visit()
  await signIn(ada)
  const [value = ''] = decodeURIComponent(decodeURIComponent(ada.jar.get('session')!)).split('.')
  const { signIn: token } = JSON.parse(Buffer.from(value, 'base64url').toString()).data
  t.match(token, /^[\w-]{43}$/)
  const stored = ['', '-wal'].map((suffix) => readFileSync(join(dataDir, `sign-in.db${suffix}`), 'latin1')).join('')
  t.match(stored, 'Ada')
  for (const secret of [token, PASSWORD]) t.notOk(stored.includes(secret))

  const account = (await app.passwords.check({ name: 'Ada', password: PASSWORD, address: '::1' })).account!
  const [, salt, hash] = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([^$]+)\$([^$]+)$/.exec(account.hash)!
  const again = argon2Sync('argon2id', {
    message: PASSWORD,
    nonce: Buffer.from(salt!, 'base64'),
    memory: 19_456,
    passes: 2,
    parallelism: 1,
    tagLength: 32
  })
  t.equal(again.toString('base64').replace(/=+$/, ''), hash)
})
