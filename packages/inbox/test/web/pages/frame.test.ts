import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createVisitor, INBOX_PASSWORD, signIn, type Visitor } from '@hull/test-helpers/inbox-visitor.ts'
import { acceptInvitation } from '../../helpers/invitation.ts'

const HTML = { accept: 'text/html' }
/** Navigations to it load its document. */
const NO_PAGE = '/inbox/nothing/here'

const SCREENS = 'href="/inbox/traces"'

/** The layouts around the response to a document request and to a navigation. */
async function framesOf(visitor: Visitor, path: string) {
  const [document, data] = await Promise.all([
    visitor.get(path, HTML),
    visitor.get(`/-/data${path}`, { 'sec-fetch-site': 'same-origin' })
  ])
  return { document, data, layouts: JSON.stringify(data.json()) }
}

t.test("errors of the inbox are shown in the inbox's frame", async (t) => {
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

t.test('a refusal reveals nothing that is stored', async (t) => {
  const { app } = await createTestApp(t, { env: { INBOX_PASSWORD } })
  const admin = await signIn(app)
  await admin.post('/inbox/settings', { name: 'Secret shop' })
  t.match((await admin.get('/inbox/issues/999', HTML)).body, 'Secret shop')
  const { document, layouts } = await framesOf(createVisitor(app), '/inbox')
  t.notMatch(document.body + layouts, 'Secret shop')
})

t.test('a closed inbox has no frame', async (t) => {
  const { app, logs } = await createTestApp(t, { env: { INBOX: 'on', HOST: '0.0.0.0' } })
  for (const path of ['/inbox', '/inbox/issues', '/inbox/nothing']) {
    const { statusCode, body } = await app.inject({ url: path, headers: HTML })
    t.equal(statusCode, 404)
    t.notMatch(body, SCREENS)
    t.match(body, 'aria-label="Main"', 'it is refused in the frame of the application')
  }
  t.same(logs.takeErrors(), [])
})

t.test('paths beside the inbox keep the frame of the application', async (t) => {
  const { app } = await createTestApp(t, { env: { INBOX_PASSWORD } })
  const { statusCode, body } = await app.inject({ url: '/inboxes', headers: HTML })
  t.equal(statusCode, 404)
  t.notMatch(body, SCREENS)
})

t.test('after a local start the 401 says where the sign-in link is', async (t) => {
  const { app } = await createTestApp(t, { env: { INBOX: 'on' } })
  const { body } = await app.inject({ url: '/inbox', headers: HTML })
  t.match(body, 'The server printed a sign-in link in its terminal when it started.')
  t.match(body, /class="button button-main" href="\/inbox\/sign-in/)
  t.match((await app.inject({ url: '/inbox/sign-in', headers: HTML })).body, 'that the server printed in its terminal')
})
