import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { launchBrowser, openTab, textOf } from '@hull/test-helpers/browser.ts'
import { untilInteractive, openInteractive, untilHeading } from '@hull/test-helpers/moves.ts'

const browser = await launchBrowser(t)

t.test('a visitor signs in from a 401, returns, and signs out, in one document', async (t) => {
  const { origin } = await createListeningApp(t)
  const tab = await openInteractive(t, browser, { origin, at: '/lab' })
  const { page } = tab
  await page.locator('a[href="/lab/unauthorized"]').first().click()
  await untilHeading(tab, 'Sign in to continue')
  t.equal(page.url(), `${origin}/lab/unauthorized`)
  tab.seen(401)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await untilHeading(tab, 'Sign in')
  await page.getByLabel('Name').fill('Ada')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await untilHeading(tab, 'For those who are signed in')
  t.equal(page.url(), `${origin}/lab/unauthorized`)
  t.match(await textOf(page), 'You are signed in as Ada')

  await page.getByRole('link', { name: 'Go to sign out' }).click()
  await untilHeading(tab, 'Signed in as Ada')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await untilHeading(tab, 'Sign in')
  await page.goBack()
  await page.getByRole('heading', { name: /Sign in to continue|Sign in/ }).waitFor()
  t.notMatch(await textOf(page), 'Ada', 'the pages kept for the signed-in visitor are discarded')
  tab.seen(401)
  t.same(tab.pathsOf('document'), [])
})

t.test('a browser without recent APIs receives a stream, follows links and sends forms', async (t) => {
  const { origin } = await createListeningApp(t)
  const tab = await openTab(t, browser, { origin })
  const { page } = tab
  await page.addInitScript(() => {
    // These APIs are newer than Safari 16.4, the oldest target of the build.
    Object.assign(Promise, { withResolvers: undefined })
    Object.assign(URL, { canParse: undefined, parse: undefined })
    Object.assign(AbortSignal, { any: undefined })
  })
  await tab.open('/lab/stream')
  await untilInteractive(tab)
  await page.getByText('pieces in').waitFor()
  await page.locator('a[href="/lab"]').first().click()
  await page.locator('a[href="/lab/document"]').first().click()
  await untilHeading(tab, 'A document')
  await page.goBack()
  await page.locator('a[href="/lab/sign-in"]').first().click()
  await untilHeading(tab, 'Sign in')
  await page.getByLabel('Name').fill('Ada')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await untilHeading(tab, 'Signed in as Ada')
  t.same(tab.pathsOf('document'), ['/lab/stream'])
})
