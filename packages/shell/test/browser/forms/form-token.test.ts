import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const site = await buildSite(join(import.meta.dirname, '../../fixtures/forms'))
const { origin } = await createListeningApp(t, { site })

for (const javaScriptEnabled of [true, false]) {
  t.test(
    `a form is sent, and sent again after going back, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`,
    async (t) => {
      const { page, open } = await openTab(t, browser, { origin, javaScriptEnabled, refetches: true })
      const send = () => page.getByRole('button', { name: 'Pay' }).click()
      const paid = () => Number(new URL(page.url()).searchParams.get('paid'))
      await open('/pay')
      if (javaScriptEnabled) await hydrated(page)
      await send()
      await page.waitForURL(/paid=/)
      const first = paid()
      await page.goBack()
      await page.waitForURL(/\/pay$/)
      if (javaScriptEnabled) await hydrated(page)
      await send()
      await page.waitForURL(/paid=/)
      // With JavaScript, going back loads the page data again, so the form has another token.
      if (javaScriptEnabled) t.ok(paid() >= first)
      else t.equal(paid(), first, 'the document has the same token')
    }
  )
}
