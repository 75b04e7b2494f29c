import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createVisitor, INBOX_PASSWORD, signIn, type Visitor } from '@hull/test-helpers/inbox-visitor.ts'
import { acceptInvitation } from '../../helpers/invitation.ts'

const env = { INBOX_PASSWORD }
const SETTINGS = ['', '/people', '/alerts', '/tokens', '/audit', '/storage'].map((path) => `/inbox/settings${path}`)
const PEOPLE = '/inbox/settings/people'

/** Path of the page of a person, from the list of people. */
async function pageOf(admin: Visitor, name: string): Promise<string> {
  const { body } = await admin.get(PEOPLE)
  const row = body.split('<tr>').find((row) => row.includes(name))!
  return /href="(\/inbox\/settings\/people\/\d+)"/.exec(row)![1]!
}

t.test('settings are for admins: a viewer receives 403 on all pages', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const viewer = await acceptInvitation(app, admin, 'viewer', 'Vera')
  for (const path of [...SETTINGS, '/inbox/settings/people/1', '/inbox/settings/projects/1']) {
    t.equal((await admin.get(path)).statusCode, 200, path)
    const refused = await viewer.get(path)
    t.equal(refused.statusCode, 403, path)
    t.match(refused.body, /Only (?:members and )?admins of the inbox can open this page\./)
    t.equal((await viewer.get(`/-/data${path}`)).statusCode, 403)
    t.not((await viewer.post(path, { intent: 'remove' })).statusCode, 303)
  }
  t.equal((await viewer.get('/inbox/account')).statusCode, 200)
})

t.test('a new role applies immediately', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const vera = await acceptInvitation(app, admin, 'viewer', 'Vera')
  const page = await pageOf(admin, 'Vera')
  t.equal((await admin.post(page, { intent: 'roles', role: 'admin' })).statusCode, 303)
  t.equal((await vera.get('/inbox/settings')).statusCode, 200)
  await admin.post(page, { intent: 'roles', role: 'viewer' })
  t.equal((await vera.get('/inbox/settings')).statusCode, 403)
  t.equal((await vera.post(PEOPLE, { intent: 'invite', role: 'admin' })).statusCode, 403)
})

t.test('an invitation for a project that was removed in the meantime is refused', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const refused = await admin.post(PEOPLE, { intent: 'invite', role: 'admin', project: '99' })
  t.equal(refused.statusCode, 422)
  t.match(refused.body, 'This project was removed.')
  t.same(await app.inbox!.queries.listInvitations(), [])
})

t.test('a removed person is signed out immediately', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const vera = await acceptInvitation(app, admin, 'viewer', 'Vera')
  const page = await pageOf(admin, 'Vera')
  t.match((await admin.get(page)).body, /<details class="confirm">.*Remove now/, 'with a confirmation')
  const removed = await admin.post(page, { intent: 'remove' })
  t.equal(removed.headers.location, PEOPLE)
  t.equal((await vera.get('/inbox')).statusCode, 401)
  t.equal((await admin.get(page)).statusCode, 404)
})

t.test('the last admin can be neither removed nor made a viewer or member', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const refusals: Record<string, string>[] = [
    { intent: 'roles', role: 'viewer' },
    { intent: 'roles', role: 'member' },
    { intent: 'remove' }
  ]
  for (const fields of refusals) {
    const refused = await admin.post('/inbox/settings/people/1', fields)
    t.equal(refused.statusCode, 422)
    t.match(refused.body, 'This is the only admin')
  }
  t.equal((await admin.get('/inbox/settings')).statusCode, 200)
})

t.test('sessions are listed with their browser, and ended one by one or together', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const phone = createVisitor(app, { remoteAddress: '203.0.113.7' })
  await phone.post(
    '/inbox/sign-in',
    { name: 'Ada', password: INBOX_PASSWORD },
    { 'user-agent': 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0' }
  )
  const { body } = await admin.get('/inbox/account')
  t.match(body, 'Firefox on Android')
  const row = body.split('<tr>').find((row) => row.includes('Android'))!
  const [, hash] = /name="hash" value="([\da-f]{64})"/.exec(row)!
  await admin.post('/inbox/account', { intent: 'close', hash: hash! })
  t.equal((await phone.get('/inbox')).statusCode, 401)
  t.equal((await admin.get('/inbox')).statusCode, 200)

  const others = [await signIn(app), await signIn(app)]
  await admin.post('/inbox/account', { intent: 'sign-out-others' })
  for (const other of others) t.equal((await other.get('/inbox')).statusCode, 401)
  t.equal((await admin.get('/inbox')).statusCode, 200)
})

t.test('the account page ends only the sessions of the person', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const vera = await acceptInvitation(app, admin, 'viewer', 'Vera')
  const [, hash] = /name="hash" value="([\da-f]{64})"/.exec((await admin.get('/inbox/account')).body)!
  t.equal((await vera.post('/inbox/account', { intent: 'close', hash: hash! })).statusCode, 303)
  t.equal((await admin.get('/inbox')).statusCode, 200)
})

t.test('an admin signs out everybody else', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const others = [await acceptInvitation(app, admin, 'viewer', 'Vera'), await signIn(app), await signIn(app, 'Eve')]
  await admin.post(PEOPLE, { intent: 'sign-out-everybody' })
  for (const other of others) t.equal((await other.get('/inbox')).statusCode, 401)
  t.equal((await admin.get('/inbox')).statusCode, 200)
})

t.test('a person changes the name', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  await acceptInvitation(app, admin, 'viewer', 'Vera')
  for (const name of ['', 'VERA'])
    t.equal((await admin.post('/inbox/account', { intent: 'rename', name })).statusCode, 422)
  t.equal((await admin.post('/inbox/account', { intent: 'rename', name: 'Ada L.' })).statusCode, 303)
  t.match((await admin.get(PEOPLE)).body, 'Ada L.')
})

t.test('a project is created, and its page shows the DSN for an SDK', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const nameless = await admin.post('/inbox/settings', { name: ' ' })
  t.equal(nameless.statusCode, 422)
  t.match(nameless.body, 'it needs a name')
  const made = await admin.post('/inbox/settings', { name: 'Worker <1>' })
  t.equal(made.statusCode, 303)
  const page = String(made.headers.location)
  const dsnIn = ({ body }: { body: string }) => /http:\/\/[\da-z]+@localhost:3000\/\d+/.exec(body)?.[0]
  const dsn = dsnIn(await admin.get(page))
  t.match(dsn, new RegExp(`/${page.split('/').at(-1)}$`))
  t.match((await admin.get('/inbox/settings')).body, dsn)
  t.match((await admin.get(page)).body, 'Worker &lt;1&gt;')

  await admin.post(page, { intent: 'rename', name: 'Worker 2' })
  t.match((await admin.get('/inbox/settings')).body, 'Worker 2')
  await admin.post(page, { intent: 'renew' })
  const renewed = dsnIn(await admin.get(page))
  t.ok(renewed)
  t.not(renewed, dsn)
  t.equal((await admin.post(page, { intent: 'remove' })).headers.location, '/inbox/settings')
  t.equal((await admin.get(page)).statusCode, 404)
})

t.test('the first project cannot be removed on its page', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const { body } = await admin.get('/inbox/settings/projects/1')
  t.match(body, 'Rotate key')
  t.notMatch(body, 'Remove project')
})

t.test('the key of the first project is the value of INBOX_KEY', async (t) => {
  const key = '0123456789abcdef'.repeat(2)
  const { app } = await createTestApp(t, { env: { ...env, INBOX_KEY: key } })
  const admin = await signIn(app)
  const page = '/inbox/settings/projects/1'
  const { body } = await admin.get(page)
  t.match(body, `http://${key}@localhost:3000/1`)
  t.match(body, 'change the setting')
  t.notMatch(body, 'Rotate key')
  t.equal((await admin.post(page, { intent: 'renew' })).statusCode, 422)
  t.match((await admin.get(page)).body, key)
  const other = String((await admin.post('/inbox/settings', { name: 'Shop' })).headers.location)
  t.match((await admin.get(other)).body, 'Rotate key')
})

t.test('a DSN has the origin that visitors use', async (t) => {
  const { app } = await createTestApp(t, { env: { ...env, BASE_URL: 'https://app.example' } })
  const visitor = createVisitor(app)
  await visitor.post('/inbox/sign-in', { name: 'Ada', password: INBOX_PASSWORD }, { origin: 'https://app.example' })
  t.match((await visitor.get('/inbox/settings/projects/1')).body, /https:\/\/[\da-f]{32}@app\.example\/1/)
})

t.test('a project has a repository, which can be removed again', async (t) => {
  const { app } = await createTestApp(t, { env: { ...env, RELEASE: '1.0.0', RELEASE_COMMIT: '3f9c2ab' } })
  const admin = await signIn(app)
  const page = '/inbox/settings/projects/1'
  const set = (url: string, host = 'gitlab', folder = '') =>
    admin.post(page, { intent: 'repository', host, url, folder })
  t.equal((await set(' https://git.example/team/shop.git/ ')).statusCode, 303)
  t.match((await admin.get(page)).body, 'value="https://git.example/team/shop"')
  t.match(
    (await admin.get('/inbox/releases')).body,
    'href="https://git.example/team/shop/-/commit/3f9c2ab" rel="noreferrer"'
  )
  for (const [url, host] of [
    ['git.example/team/shop', 'gitlab'],
    ['javascript:alert(1)', 'gitlab'],
    ['https://git.example', 'gitlab'],
    ['https://user:password@git.example/team/shop', 'gitlab'],
    [`https://git.example/${'x'.repeat(500)}`, 'gitlab'],
    ['https://git.example/team/shop', 'svn']
  ] as const) {
    const refused = await set(url, host)
    t.equal(refused.statusCode, 422, url)
    t.match(refused.body, 'Choose the kind of the repository, and enter the address of its front page')
  }
  t.match((await admin.get(page)).body, 'value="https://git.example/team/shop"', 'the saved address has not changed')
  await set('https://git.example/team/shop', 'gitlab', ' /packages/./web/../ ')
  t.match((await admin.get(page)).body, 'value="packages/web"')
  t.match(await app.inbox!.queries.getRepository({ project: 1, release: '1.0.0' }), { folder: 'packages/web' })
  await set('https://git.example/team/shop')
  t.equal((await app.inbox!.queries.getRepository({ project: 1 }))!.folder, undefined)
  await set('')
  t.notMatch((await admin.get('/inbox/releases')).body, 'git.example')
})

t.test('a form shows once what it saved', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  const viewer = await acceptInvitation(app, admin, 'viewer', 'Vera')
  await viewer.get('/inbox')
  const shop = (await admin.post('/inbox/settings', { name: 'Shop' })).headers.location!
  const hook = { kind: 'webhook', name: 'Hook', target: 'https://hook.example', groupMinutes: '1', zone: 'UTC' }
  const channel = (await admin.post('/inbox/settings/alerts', { intent: 'create-channel', ...hook })).headers.location!
  const id = channel.split('/').at(-1)!
  const limits = { bound: '50', minimum: '10', channel: id }
  const list = '/inbox/settings/alerts/thresholds'
  const created = await admin.post(list, { intent: 'create', kind: 'crash-free', project: '1', ...limits })
  t.equal(created.statusCode, 303)
  const threshold = `${list}/1`
  for (const [page, form, sentence] of [
    [shop, { intent: 'rename', name: 'Shop 2' }, 'Name saved.'],
    [shop, { intent: 'repository', host: 'github', url: 'https://github.com/acme/shop' }, 'Repository saved.'],
    [shop, { intent: 'renew' }, 'Key rotated.'],
    [channel, { intent: 'save', ...hook }, 'Channel saved.'],
    [channel, { intent: 'renew' }, 'Secret rotated.'],
    [threshold, { intent: 'save', ...limits }, 'Threshold saved.'],
    [`${PEOPLE}/2`, { intent: 'roles', role: 'member' }, 'Roles saved.'],
    ['/inbox/account', { intent: 'rename', name: 'Ada L.' }, 'Name saved.'],
    ['/inbox/account', { intent: 'mail', mail: 'ada@shop.example' }, 'Mail address saved.'],
    ['/inbox/account', { intent: 'password', 'new-password': 'a longer password' }, 'Password saved.']
  ] as const) {
    t.equal((await admin.post(page, form)).statusCode, 303, sentence)
    t.notMatch((await admin.get('/inbox/settings')).body, sentence, 'not on another page')
    t.match((await admin.get(page)).body, `<span>${sentence}</span>`)
    t.notMatch((await admin.get(page)).body, sentence, 'not again')
  }
})

t.test('addresses of people and projects that do not exist are 404', async (t) => {
  const { app } = await createTestApp(t, { env })
  const admin = await signIn(app)
  for (const id of ['0', '99', 'x', '1e0', '01', '%20', '-1']) {
    t.equal((await admin.get(`${PEOPLE}/${id}`)).statusCode, 404, id)
    t.equal((await admin.get(`/inbox/settings/projects/${id}`)).statusCode, 404, id)
  }
})

t.test('the storage page shows its figures', async (t) => {
  const { app } = await createTestApp(t, { env })
  const { body } = await (await signIn(app)).get('/inbox/settings/storage')
  t.match(body, /<meter [^>]*>/)
  t.match(body, 'INBOX_RETENTION_DAYS')
})
