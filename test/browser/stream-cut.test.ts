import t from 'tap'
import { launchBrowser, openTab, startApp, until } from '../helpers/browser.ts'
import { openCuttingProxy } from '../helpers/cutting-proxy.ts'
import { buildFixtureSite } from '../helpers/site.ts'

const site = await buildFixtureSite()
const browser = await launchBrowser(t)

t.test('a stream whose late part never comes ends at the deadline, with a digest', async (t) => {
  const { origin, logs } = await startApp(t, { site, env: { RENDER_TIMEOUT: '1s' } })
  const { page, open, take } = await openTab(t, browser, { origin })
  await open('/stream?late=never')
  await page.locator('.digest').waitFor()
  console.error(logs.takeErrors())
  console.error(await page.locator('body').innerText(), await take())
})

t.test('a stream that is cut', async (t) => {
  const { origin, logs } = await startApp(t, { site, env: { RENDER_TIMEOUT: '1s' } })
  for (const how of ['closed', 'reset', 'silent'] as const) {
    t.test(how, async (t) => {
      const proxy = await openCuttingProxy(t, origin)
      const { page, take } = await openTab(t, browser, { origin: proxy.origin })
      await page.goto('/stream?late=never', { waitUntil: 'commit' })
      await until(page, () => Object.keys(document.querySelector('h1') ?? {}).some((key) => key.startsWith('__react')))
      t.equal(await page.locator('#waiting').count(), 1)
      proxy.cut(how)
      const a = performance.now()
      for (let i = 0; i < 8; i++) {
        console.error(Math.round(performance.now() - a), await page.evaluate(() => document.readyState), (await page.locator('body').innerText()).slice(0, 100))
        await page.waitForTimeout(500)
      }
      console.error(await take())
      console.error(logs.takeErrors().length)
    })
  }
})
