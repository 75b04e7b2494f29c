import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { findObstacles } from '@hull/test-helpers/axe.ts'
import { launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { CLIENT, startOidcProvider } from '@hull/test-helpers/oidc-provider.ts'

/* The sign-in at a real provider of OpenID Connect, as a person in a browser goes through it. */

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
    /** From a screen that asks for a sign-in, through the provider's forms. */
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
    /** The status of a refused page is no trouble; pages of the provider have no icon. */
    async hasNoTrouble() {
      const troubles = (await tab.take()).filter((trouble) => /policy violation|uncaught/.test(trouble))
      t.same(troubles, [])
    }
  }
}

for (const javaScriptEnabled of [true, false])
  t.test(`with script ${javaScriptEnabled ? 'on' : 'off'}`, async (t) => {
    t.teardown(() => {
      delete state.claims
    })
    const login = javaScriptEnabled ? 'ada' : 'bea'

    t.test('a person signs in, works with the role of the group, and signs out at both', async (t) => {
      state.claims = { name: login, groups: ['developers'] }
      const { page, signIn, shows, hasNoTrouble } = await openPerson(t, javaScriptEnabled)
      await signIn('/inbox/logs', login)
      t.equal(new URL(page.url()).pathname, '/inbox/logs', 'the screen that the person asked for')
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
      await hasNoTrouble()
    })

    t.test('a person without a group reads why, and whom to ask', async (t) => {
      state.claims = { name: 'Eve', groups: ['others'] }
      const { page, signIn, shows, hasNoTrouble } = await openPerson(t, javaScriptEnabled)
      await signIn('/inbox', `eve of ${login}`)
      await shows('You are not signed in.')
      await shows('APP_INBOX_ROLE_MISSING')
      if (javaScriptEnabled) t.same(await findObstacles(page), [])
      t.notMatch(page.url(), /code=|token=/, 'the address has no secret')
      t.equal((await page.goto('/inbox/issues'))!.status(), 401)
      await hasNoTrouble()
    })
  })

t.test('nothing of the sign-ins is left in the log', async (t) => {
  t.equal((await app.inbox!.queries.listPeople()).length, 2, 'only those with a role are people of the inbox')
  t.notMatch(JSON.stringify(logs.lines), /eyJ[\w-]{20}/)
})
