import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { pause } from '@hull/test-helpers/moves.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
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
  t.test(`a form redirects to another origin ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async (t) => {
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

t.test('a form that redirects to another origin is sent once, also while that origin is slow', async (t) => {
  const pay = await openUnrulyServer(t)
  const held = Promise.withResolvers<void>()
  pay.will((response) => void held.promise.then(() => PAY(response)), PAY)
  const { origin, logs } = await createListeningApp(t, { site, env: { REDIRECT_ORIGINS: pay.origin } })
  const { page, open } = await openTab(t, browser, { origin })
  await open('/checkout')
  await hydrated(page)
  await page.getByLabel('To').fill(`${pay.origin}/session`)
  // The page clicks, because Playwright would wait for the other origin.
  await page.evaluate(() => {
    const press = () => document.querySelector('button')!.click()
    press()
    for (const ms of [200, 400, 600]) setTimeout(press, ms)
  })
  await eventually(() => pay.seen.length > 0)
  await pause(1_000)
  held.resolve()
  await page.waitForURL(`${pay.origin}/session`)
  t.equal(logs.lines.filter(({ msg }) => msg === 'paid').length, 1)
})
