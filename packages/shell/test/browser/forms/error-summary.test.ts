import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'

const browser = await launchBrowser(t)

t.test('the same errors are a new alert for each refused form, which a screen reader reads again', async (t) => {
  const { origin } = await createListeningApp(t)
  const { page, open, seen } = await openTab(t, browser, { origin })
  await open('/lab/form')
  await hydrated(page)
  const send = () => page.getByRole('button', { name: 'Send the claim' }).click()
  await send()
  await page.locator('main [role=alert]').waitFor()
  seen(422)
  await page.getByLabel('Name').fill('Ada')
  await page.evaluate(() => (document.querySelector<HTMLElement>('main [role=alert]')!.dataset.old = ''))
  await page.getByLabel('Purpose').fill('Rope')
  t.equal(await page.locator('[data-old]').count(), 1, 'the alert stays while the visitor types')
  await page.getByLabel('Name').fill('')
  await send()
  await until(page, () => document.querySelector('main [role=alert]:not([data-old])') !== null)
  t.equal(await page.locator('main [role=alert]').count(), 1)
  t.equal(await page.getByLabel('Purpose').inputValue(), 'Rope')
  seen(422)
})
