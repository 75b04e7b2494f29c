import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const site = await buildSite(join(import.meta.dirname, '../../fixtures/forms'))
const { origin } = await createListeningApp(t, { site })

for (const javaScriptEnabled of [true, false]) {
  t.test(`a form with a schema is corrected and sent, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, async (t) => {
    const tab = await openTab(t, browser, { origin, javaScriptEnabled })
    const { page } = tab
    await tab.open('/order')
    if (javaScriptEnabled) await hydrated(page)
    await page.getByLabel('E-mail').fill('ada')
    await page.getByLabel('Amount').fill('2')
    await page.getByLabel('safe').check()
    await page.getByRole('button', { name: 'Order' }).click()
    t.match(await page.getByRole('alert').innerText(), /Check 2 fields/)
    tab.seen(422)
    t.equal(await page.getByLabel('E-mail').inputValue(), 'ada')
    t.equal(await page.getByLabel('Amount').inputValue(), '2')
    t.ok(await page.getByLabel('safe').isChecked())
    t.notOk(await page.getByLabel('dry').isChecked())

    await page.getByLabel('E-mail').fill('ada@example.org')
    await page.getByLabel('City').fill('Oslo')
    await page.getByRole('button', { name: 'Order' }).click()
    await until(page, () => document.querySelector('#sent') !== null)
    t.same(JSON.parse(await page.locator('#sent').innerText()), {
      email: 'ada@example.org',
      amount: 2,
      address: { city: 'Oslo' },
      tags: ['safe']
    })
    t.equal(tab.pathsOf('document').length, javaScriptEnabled ? 1 : 4)
  })
}
