import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, textOf, until } from '@hull/test-helpers/browser.ts'

const browser = await launchBrowser(t)

t.test('going back while the scripts of a reloaded page are loading', async (t) => {
  const { origin } = await createListeningApp(t)
  const { page, open } = await openTab(t, browser, { origin })
  await open('/lab/layout/a')
  await hydrated(page)
  await page.getByRole('link', { name: 'Page B' }).click()
  await page.getByRole('heading', { name: 'Page B' }).waitFor()

  const arrives = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await arrives.promise
    await route.continue()
  })
  await page.reload({ waitUntil: 'commit' })
  await page.getByRole('heading', { name: 'Page B' }).waitFor()
  await page.goBack({ waitUntil: 'commit' })
  await until(page, () => location.pathname === '/lab/layout/a')
  t.match(await textOf(page), 'Page B', 'the document still shows the other page, because no script has run')

  arrives.resolve()
  await page.getByRole('heading', { name: 'Page A' }).waitFor()
  t.equal(await page.title(), 'Page A · Lab')
})
