import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { answer, openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

const browser = await launchBrowser(t)
const site = await buildSite(join(import.meta.dirname, '../fixtures/visitors'))
const PAY = answer(
  200,
  { 'content-type': 'text/html' },
  '<title>Pay</title><link rel="icon" href="data:,"><p>Pay here</p>'
)

for (const javaScriptEnabled of [false, true]) {
  t.test(`a form leads to another origin ${javaScriptEnabled ? 'with' : 'without'} script`, async (t) => {
    const pay = await openUnrulyServer(t)
    pay.will(PAY)
    const other = await openUnrulyServer(t)
    const { origin, logs } = await createListeningApp(t, { site, env: { REDIRECT_ORIGINS: pay.origin } })
    const { page, open, seen } = await openTab(t, browser, { origin, javaScriptEnabled })

    await open('/checkout')
    await page.getByLabel('To').fill(`${pay.origin}/session?id=1`)
    await page.getByRole('button', { name: 'Pay' }).click()
    await page.waitForURL(`${pay.origin}/session?id=1`)
    t.match(await page.locator('body').innerText(), 'Pay here')

    await open('/checkout')
    await page.getByLabel('To').fill(`${other.origin}/session?id=secret`)
    await page.getByRole('button', { name: 'Pay' }).click()
    const failure = javaScriptEnabled
      ? page.getByRole('alert')
      : page.getByRole('heading', { name: 'Application error' })
    await failure.waitFor()
    seen(500)
    t.equal(other.seen.length, 0)
    const [error] = logs.takeErrors()
    t.match(error, {
      err: { code: 'APP_REDIRECT_ORIGIN', message: new RegExp(`add ${other.origin} to REDIRECT_ORIGINS$`) }
    })
    t.notMatch(JSON.stringify(error), 'secret')
    t.match(await page.locator('body').innerText(), String(error!.digest))
  })
}
