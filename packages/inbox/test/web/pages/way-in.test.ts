import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'

const LINK = '<a href="/inbox">Open the inbox</a>'

t.test('the home page and the lab link to the inbox if it is open', async (t) => {
  for (const [env, words, isOpen] of [
    [{ INBOX: 'on' }, 'The server printed a sign-in link in its terminal', true],
    [{ INBOX_PASSWORD }, 'Errors with their source lines and affected visitors', true],
    [{ INBOX: 'on', HOST: '0.0.0.0', LAB: 'on' }, 'set <code>INBOX_PASSWORD</code> in the environment', false],
    [{ SENTRY_DSN: 'https://key@errors.invalid/1' }, 'the provider that <code>SENTRY_DSN</code> names', false],
    [{ INBOX: 'off' }, '<code>INBOX=off</code> is set in the environment', false]
  ] as const) {
    const { app } = await createTestApp(t, { env })
    const home = (await app.inject('/')).body
    t.ok(home.includes(words), words)
    t.equal(home.includes(LINK), isOpen, words)
    for (const path of ['/lab', '/lab/error/click'])
      t.equal((await app.inject(path)).body.includes('Errors in the inbox'), isOpen, `${path}: ${words}`)
  }
})

t.test('pages about the inbox itself have no time range', async (t) => {
  const { app } = await createTestApp(t, { env: { INBOX_PASSWORD } })
  const ada = await signIn(app)
  for (const path of ['/inbox/settings', '/inbox/settings/people', '/inbox/settings/storage', '/inbox/account'])
    t.notMatch((await ada.get(path)).body, 'Last 24 hours', path)
  for (const path of ['/inbox', '/inbox/issues', '/inbox/doctor'])
    t.match((await ada.get(path)).body, 'Last 24 hours', path)
})
