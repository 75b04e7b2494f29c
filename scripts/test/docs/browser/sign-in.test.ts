import t, { type Test } from 'tap'
import { findObstacles } from '@hull/test-helpers/axe.ts'
import { hydrated, launchBrowser, openTab, textOf, until } from '@hull/test-helpers/browser.ts'
import { CLIENT, startOidcProvider } from '@hull/test-helpers/oidc-provider.ts'
import { buildSignInSite, createSignInApp } from '@hull/test-helpers/sign-in-app.ts'
import '../../../../docs/examples/sign-in/plugins/passwords.ts'

const PASSWORD = 'a long password of Ada'
const browser = await launchBrowser(t)
const site = await buildSignInSite(t)

const origins: string[] = []
const { issuer } = await startOidcProvider(t, origins)
const listen = async (recipe: 'password' | 'oidc', env?: Record<string, string>) => {
  const { app } = await createSignInApp(t, { site, recipe, ...(env && { env }) })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  app.server.unref()
  return { app, origin }
}
const withPassword = await listen('password')
const withOidc = await listen('oidc', {
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  REDIRECT_ORIGINS: issuer
})
origins.push(withOidc.origin)

for (const javaScriptEnabled of [true, false]) {
  const name = javaScriptEnabled ? 'Ada' : 'Grace'
  await withPassword.app.passwords.set(name, PASSWORD)

  const openBrowser = async (t: Test, origin: string) => {
    const tab = await openTab(t, browser, { origin, javaScriptEnabled })
    const { page } = tab
    const ready = () => (javaScriptEnabled ? hydrated(page) : undefined)
    // On a busy machine navigations may load documents, which the console reports; other problems fail the test.
    const assertNoProblems = async () =>
      t.same(
        (await tab.take()).filter((problem) => /policy violation|uncaught/.test(problem)),
        []
      )
    // axe needs JavaScript.
    const assertAccessible = async () => javaScriptEnabled && t.same(await findObstacles(page), [])
    const waitForText = async (text: string) => {
      const isShown = until(page, (text) => !!document.querySelector('main')?.innerText.includes(text), text)
      await isShown.catch(async (cause) => {
        throw new Error(`${page.url()} does not show "${text}", but: ${await textOf(page)}`, { cause })
      })
    }
    return {
      ...tab,
      ready,
      waitForText,
      assertAccessible,
      assertNoProblems,
      async signInByPassword(password = PASSWORD) {
        await tab.open('/account', 401)
        await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
        await page.getByLabel('Name').waitFor()
        await ready()
        await assertAccessible()
        await page.getByLabel('Name').fill(name)
        await page.getByLabel('Password').fill(password)
        await page.getByRole('button', { name: 'Sign in' }).click()
      }
    }
  }

  t.test(`the examples of docs/sign-in.md ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async (t) => {
    t.test('sign in with a password, change it, and sign out everywhere', async (t) => {
      const desk = await openBrowser(t, withPassword.origin)
      await desk.signInByPassword('wrong')
      await desk.waitForText('The name or the password is wrong.')
      await desk.page.getByLabel('Password').fill(PASSWORD)
      await desk.page.getByLabel('Stay signed in').check()
      await desk.page.getByRole('button', { name: 'Sign in' }).click()
      await desk.waitForText(`Signed in as ${name}`)
      await desk.assertAccessible()
      t.equal(new URL(desk.page.url()).pathname, '/account')

      const phone = await openBrowser(t, withPassword.origin)
      await phone.signInByPassword()
      await phone.waitForText(`Signed in as ${name}`)
      await desk.open('/account')
      await desk.ready()
      await desk.page.getByRole('button', { name: 'End' }).click()
      await until(desk.page, () => document.querySelectorAll('main li').length === 1)
      await phone.open('/account', 401)

      await desk.open('/account/password')
      await desk.ready()
      await desk.assertAccessible()
      for (const name of ['Password', 'New password']) await desk.page.getByLabel(name, { exact: true }).fill(PASSWORD)
      await desk.page.getByRole('button', { name: 'Change' }).click()
      await desk.waitForText('This browser')

      await desk.page.getByRole('button', { name: 'Sign out everywhere' }).click()
      await until(desk.page, () => location.pathname === '/')
      await desk.page.goBack()
      await desk.waitForText('Sign in')
      t.notMatch(await textOf(desk.page), 'Signed in as')
      await desk.assertNoProblems()
      await phone.assertNoProblems()
    })

    t.test('sign in and out at a provider, also after a cancelled sign-in', async (t) => {
      const { page, open, press, ready, waitForText, assertAccessible, assertNoProblems } = await openBrowser(
        t,
        withOidc.origin
      )
      const main = page.getByRole('main')
      await open('/account', 401)
      await main.getByRole('link', { name: 'Sign in' }).click()
      await waitForText('stay signed in')
      await press(main.getByRole('link', { name: 'Sign in', exact: true }))
      t.equal(new URL(page.url()).origin, issuer)

      await press(page.getByRole('link', { name: 'Cancel' }))
      await waitForText('The sign-in was cancelled. SIGN_IN_DENIED')
      await assertAccessible()

      await press(main.getByRole('link', { name: 'Sign in again' }))
      await page.getByPlaceholder('Enter any login').fill('ada')
      await page.getByPlaceholder('and password').fill('any')
      await press(page.getByRole('button', { name: 'Sign-in' }))
      await press(page.getByRole('button', { name: 'Continue' }))
      await waitForText('Signed in as Ada Lovelace')
      t.equal(page.url(), `${withOidc.origin}/account`)

      await ready()
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.getByRole('button', { name: 'Yes, sign me out' }).click()
      await page.waitForURL(`${withOidc.origin}/`)
      await open('/account', 401)
      await assertNoProblems()
    })
  })
}
