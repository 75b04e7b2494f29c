import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { findObstacles } from '@hull/test-helpers/axe.ts'
import { launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { CLIENT, startOidcProvider } from '@hull/test-helpers/oidc-provider.ts'

/* The sign-in with a real OpenID Connect provider, in a browser. */

const browser = await launchBrowser(t)
const origins: string[] = []
const { issuer, state } = await startOidcProvider(t, origins)
const { app, origin, logs } = await createListeningApp(t, {
  env: {
    DATA_DIR: createFolder(t),
    INBOX: 'on',
    INBOX_OIDC_ISSUER: issuer,
    INBOX_OIDC_CLIENT_ID: CLIENT.id,
    INBOX_OIDC_CLIENT_SECRET: CLIENT.secret,
    INBOX_OIDC_ROLES: 'web-admins=admin, developers=member'
  }
})
origins.push(origin)

async function openPerson(t: Test, javaScriptEnabled: boolean) {
  const tab = await openTab(t, browser, { origin, javaScriptEnabled })
  const { page } = tab
  const shows = (text: string) => until(page, (text) => document.body.innerText.includes(text), text)
  return {
    page,
    shows,
    /** Signs in from a page that requires it, with the forms of the provider. */
    async signIn(path: string, login: string) {
      await tab.open(path, 401)
      await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'Sign in with localhost' }).click()
      await page.locator('input[name=login]').fill(login)
      await page.locator('input[name=password]').fill('any')
      await page.locator('button[type=submit]').click()
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.waitForURL((url) => url.origin === origin && url.pathname.startsWith('/inbox'))
    },
    /** Ignores the status code of a refused page, and missing icons of pages of the provider. */
    async hasNoErrors() {
      const errors = (await tab.take()).filter((line) => /policy violation|uncaught/.test(line))
      t.same(errors, [])
    }
  }
}

for (const javaScriptEnabled of [true, false])
  t.test(`with script ${javaScriptEnabled ? 'on' : 'off'}`, async (t) => {
    t.teardown(() => {
      delete state.claims
    })
    const login = javaScriptEnabled ? 'ada' : 'bea'

    t.test('a person signs in, has the role of the group, and signs out of the inbox and the provider', async (t) => {
      state.claims = { name: login, groups: ['developers'] }
      const { page, signIn, shows, hasNoErrors } = await openPerson(t, javaScriptEnabled)
      await signIn('/inbox/logs', login)
      t.equal(new URL(page.url()).pathname, '/inbox/logs', 'the page that the person requested')
      await page.goto('/inbox/account')
      await shows('Your role is member.')
      await page.goto('/inbox/settings/tokens')
      await shows('Create token')
      const refused = await page.goto('/inbox/settings/people')
      t.equal(refused!.status(), 403)

      await page.goto('/inbox/sign-out')
      await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
      await shows('You are signed out')
      if (javaScriptEnabled) t.same(await findObstacles(page), [])
      t.equal(
        (await page.context().cookies(origin)).find(({ name }) => name === 'inbox'),
        undefined
      )
      await page.getByRole('link', { name: /^Sign out of localhost/ }).click()
      await page.locator('button[type=submit]').first().click()
      await page.waitForURL(`${origin}/inbox/sign-out`)
      await shows('You are signed out')

      await page.goto('/inbox/sign-in')
      await page.getByRole('link', { name: 'Sign in with localhost' }).click()
      await page.locator('input[name=login]').waitFor()
      await hasNoErrors()
    })

    t.test('a person without a group sees the reason', async (t) => {
      state.claims = { name: 'Eve', groups: ['others'] }
      const { page, signIn, shows, hasNoErrors } = await openPerson(t, javaScriptEnabled)
      await signIn('/inbox', `eve of ${login}`)
      await shows('You are not signed in.')
      await shows('APP_INBOX_ROLE_MISSING')
      if (javaScriptEnabled) t.same(await findObstacles(page), [])
      t.notMatch(page.url(), /code=|token=/, 'the address contains no secret')
      t.equal((await page.goto('/inbox/issues'))!.status(), 401)
      await hasNoErrors()
    })
  })

t.test('the log contains no secret of the sign-ins', async (t) => {
  t.equal((await app.inbox!.queries.listPeople()).length, 2, 'only people with a role are stored')
  t.notMatch(JSON.stringify(logs.lines), /eyJ[\w-]{20}/)
})
