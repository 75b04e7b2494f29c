import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { visibleError } from '@hull/common/visible-error.ts'
import { Overloaded } from '../../../../shell/src/errors.ts'
import { InboxTooSlow } from '../../../src/errors.ts'
import { createListeningApp, createTestApp } from '@hull/test-helpers/app.ts'
import { createVisitor, INBOX_PASSWORD, signIn, type Visitor } from '@hull/test-helpers/inbox-visitor.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { acceptInvitation } from '../../helpers/invitation.ts'

const HTML = { accept: 'text/html' }
/** The inbox has no page there, so that a navigation loads the document. */
const NO_PAGE = '/inbox/nothing/here'

const SCREENS = 'href="/inbox/traces"'

/** The responses to a request for a document and to a navigation, with the layouts of the navigation. */
async function framesOf(visitor: Visitor, path: string) {
  const [document, data] = await Promise.all([
    visitor.get(path, HTML),
    visitor.get(`/-/data${path}`, { 'sec-fetch-site': 'same-origin' })
  ])
  return { document, data, layouts: JSON.stringify(data.json()) }
}

t.test('errors of the inbox are shown in the layout of the inbox', async (t) => {
  const { app } = await createTestApp(t, { env: { INBOX_PASSWORD } })
  const admin = await signIn(app)
  const viewer = await acceptInvitation(app, admin, 'viewer', 'Vera')
  for (const [who, visitor, path, status] of [
    ['nobody', createVisitor(app), '/inbox', 401],
    ['nobody', createVisitor(app), '/inbox/issues/1', 401],
    ['a viewer', viewer, '/inbox/settings', 403],
    ['an admin', admin, '/inbox/issues/999', 404],
    ['an admin', admin, NO_PAGE, 404]
  ] as const) {
    const { document, data, layouts } = await framesOf(visitor, path)
    t.equal(document.statusCode, status, `${path} for ${who}`)
    t.match(document.body, SCREENS, `${path} for ${who}`)
    t.equal(document.body.match(/<main/g)?.length, 1)
    t.equal(document.body.includes('Sign out'), who !== 'nobody')
    t.equal(data.statusCode, status)
    if (path !== NO_PAGE) t.match(layouts, 'inbox-fallback')
  }
})

/** Errors that the routes of the next test throw, by status code. */
const THROWN: Record<string, () => Error> = {
  409: () => visibleError('SHOP_BUSY', 'The shop is being moved.', 409),
  422: () => visibleError('SHOP_INVALID', 'The shop has no name.', 422),
  429: () => visibleError('SHOP_TOO_OFTEN', 'You asked too often.', 429),
  500: () => new Error('the shop is closed'),
  503: () => new Overloaded(),
  slow: () => new InboxTooSlow()
}

function dropTable(folder: string, name: string) {
  const db = new DatabaseSync(join(folder, 'inbox.db'), { timeout: 10_000 })
  db.exec(`DROP TABLE ${name}`)
  db.close()
}

t.test('other refusals and failures are shown in the layout of the inbox', async (t) => {
  const { app, logs } = await createListeningApp(t, {
    env: { INBOX_PASSWORD },
    prepare: (app) =>
      app.get('/inbox/throws/:status', async (request) => {
        throw THROWN[(request.params as { status: string }).status]!()
      })
  })
  const admin = await signIn(app)
  const isShown = (visitor: Visitor, { statusCode, body }: Awaited<ReturnType<Visitor['get']>>, status: number) => {
    const isAdmin = visitor === admin
    const label = `${status} for ${isAdmin ? 'an admin' : 'nobody'}`
    t.equal(statusCode, status, label)
    t.match(body, SCREENS, label)
    t.equal(body.match(/<main/g)?.length, 1, label)
    t.equal(body.includes('Sign out'), isAdmin, label)
    t.equal(body.includes('role="search"'), isAdmin, label)
    t.notMatch(body, /<h1>[^<]*<\/h1><p>[^<]*[^.?!<]<\/p>/, 'the message is a sentence')
  }
  isShown(admin, await admin.get('/inbox/issues?cursor=broken', HTML), 400)
  isShown(admin, await admin.get('/inbox/traces?cursor=broken', HTML), 400)
  const slow = await admin.get('/inbox/throws/slow', HTML)
  t.match(slow.body, 'choose a shorter time range or one project, or search for fewer words.')
  t.match(slow.body, '<code>APP_INBOX_TOO_SLOW</code>')
  t.notMatch(slow.body, 'Nothing was changed', 'a GET changes nothing')
  t.match((await admin.post('/inbox/vitals', {}, HTML)).body, 'Nothing was changed.')
  for (const visitor of [admin, createVisitor(app)]) {
    isShown(visitor, await visitor.post('/inbox/vitals', {}, HTML), 405)
    for (const status of Object.keys(THROWN).filter((name) => name !== '503'))
      isShown(visitor, await visitor.get(`/inbox/throws/${status}`, HTML), Number(status) || 503)
  }
  const busy = await admin.get('/inbox/throws/503', HTML)
  t.equal(busy.statusCode, 503)
  t.match(busy.body, 'The server is busy')
  t.notMatch(busy.body, SCREENS, 'an overloaded server loads no data for the layout')
  t.equal(logs.takeErrors().length, 2, 'each failure is logged once')
  t.notMatch((await app.inject({ url: '/inboxes?cursor=', method: 'POST', headers: HTML })).body, SCREENS)
})

t.test('a navigation that fails shows the error in the layout of the inbox', async (t) => {
  const DATA_DIR = createFolder(t)
  const { app, logs } = await createTestApp(t, { env: { INBOX_PASSWORD, DATA_DIR } })
  const admin = await signIn(app)
  dropTable(DATA_DIR, 'vital_hour')
  const { data, document, layouts } = await framesOf(admin, '/inbox/vitals')
  t.equal(data.statusCode, 500)
  t.match(layouts, 'inbox-fallback')
  t.match(document.body, SCREENS)
  t.equal(logs.takeErrors().length, 2)
})

t.test('an inbox that cannot be read shows its errors in the layout of the application', async (t) => {
  const DATA_DIR = createFolder(t)
  const { app, logs } = await createTestApp(t, { env: { INBOX_PASSWORD, DATA_DIR } })
  const admin = await signIn(app)
  dropTable(DATA_DIR, 'known_name')
  const { statusCode, body } = await admin.post('/inbox/vitals', {}, HTML)
  t.equal(statusCode, 405)
  t.notMatch(body, SCREENS)
  t.match(body, 'aria-label="Main"')
  t.equal(logs.takeErrors().length, 1)
})

t.test('an inbox that cannot be opened says so, and logs the error', async (t) => {
  const DATA_DIR = createFolder(t)
  mkdirSync(join(DATA_DIR, 'inbox.db'))
  const { app, logs } = await createTestApp(t, { env: { INBOX_PASSWORD, DATA_DIR } })
  const visitor = createVisitor(app)
  const form = { name: 'Ada', password: INBOX_PASSWORD }
  const shown = /<p class="quiet">The inbox cannot be used at the moment; try again in a minute\.<\/p>/
  const document = await visitor.post('/inbox/sign-in', form, HTML)
  t.equal(document.statusCode, 503)
  t.match(document.body, shown)
  const [, digest] = /Digest: (\w+)/.exec(document.body)!
  const data = await visitor.post('/inbox/sign-in', form, { accept: 'application/json' })
  t.match(data.json(), {
    status: 503,
    code: 'APP_INBOX_UNAVAILABLE',
    detail: /cannot be used/,
    payload: /cannot be used/
  })
  const failed = logs.takeErrors().filter(({ msg }) => msg === 'request failed')
  t.same(
    failed.map((line) => line.digest),
    [digest, data.json<{ digest: string }>().digest]
  )
})

t.test('errors of the inbox link to a page of the inbox', async (t) => {
  const { app } = await createTestApp(t, { env: { INBOX_PASSWORD } })
  const admin = await signIn(app)
  for (const [path, href, label] of [
    ['/inbox/issues/999', '/inbox/issues', 'Go to Issues'],
    ['/inbox/issues?cursor=broken&range=7d', '/inbox/issues?range=7d', 'Go to Issues'],
    [`/inbox/traces/${'a'.repeat(32)}`, '/inbox/traces', 'Go to Traces'],
    [NO_PAGE, '/inbox', 'Go to Overview']
  ] as const)
    t.match((await admin.get(path, HTML)).body, `href="${href}">${label}</a>`, path)
  t.match((await app.inject({ url: '/nothing', headers: HTML })).body, 'href="/">Go to the home page</a>')
})

t.test('a refusal shows no stored data', async (t) => {
  const { app } = await createTestApp(t, { env: { INBOX_PASSWORD } })
  const admin = await signIn(app)
  await admin.post('/inbox/settings', { name: 'Secret shop' })
  t.match((await admin.get('/inbox/issues/999', HTML)).body, 'Secret shop')
  const { document, layouts } = await framesOf(createVisitor(app), '/inbox')
  t.notMatch(document.body + layouts, 'Secret shop')
})

t.test('a closed inbox has no layout of its own', async (t) => {
  const { app, logs } = await createTestApp(t, { env: { INBOX: 'on', HOST: '0.0.0.0' } })
  for (const path of ['/inbox', '/inbox/issues', '/inbox/nothing']) {
    const { statusCode, body } = await app.inject({ url: path, headers: HTML })
    t.equal(statusCode, 404)
    t.notMatch(body, SCREENS)
    t.match(body, 'aria-label="Main"', 'the layout of the application')
  }
  t.same(logs.takeErrors(), [])
})

t.test('paths outside of the inbox keep the layout of the application', async (t) => {
  const { app } = await createTestApp(t, { env: { INBOX_PASSWORD } })
  const { statusCode, body } = await app.inject({ url: '/inboxes', headers: HTML })
  t.equal(statusCode, 404)
  t.notMatch(body, SCREENS)
})

t.test('after a local start, the page of a 401 says where the sign-in link is', async (t) => {
  const { app } = await createTestApp(t, { env: { INBOX: 'on' } })
  const { body } = await app.inject({ url: '/inbox', headers: HTML })
  t.match(body, 'The server printed a sign-in link in its terminal when it started.')
  t.match(body, /class="button button-main" href="\/inbox\/sign-in/)
  t.match((await app.inject({ url: '/inbox/sign-in', headers: HTML })).body, 'that the server printed in its terminal')
})
