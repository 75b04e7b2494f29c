import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { openCuttingProxy } from '@hull/test-helpers/cutting-proxy.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()
const browser = await launchBrowser(t)

t.test('a stream that does not end normally', async (t) => {
  // Long enough for a busy browser to hydrate the page before the deadline.
  const { origin, logs } = await createListeningApp(t, { site, env: { RENDER_TIMEOUT: '6s' } })

  t.test('because its late part is never sent, ends at the deadline, with a digest', async (t) => {
    const { page, open, take } = await openTab(t, browser, { origin })
    await open('/stream?late=never')
    await page.locator('.digest').waitFor()
    const [line] = logs.takeErrors()
    t.match(line, { err: { code: 'APP_RENDER_TIMEOUT' } })
    t.equal(await page.locator('.digest').innerText(), `Digest: ${line?.digest}`)
    t.equal(await page.locator('div.frame section.fallback').count(), 1, 'the layout is still shown')
    const errors = await take()
    t.match(errors[0], /^console: ServerFailure/)
    t.equal(errors.length, 1)
  })

  t.test('in time because the connection is slow, is read to its end', async (t) => {
    const proxy = await openCuttingProxy(t, origin)
    const { page } = await openTab(t, browser, { origin: proxy.origin })
    await page.goto('/stream?hold=3000&numbers=3000', { waitUntil: 'commit' })
    await until(page, () => Object.keys(document.querySelector('h1') ?? {}).some((key) => key.startsWith('__react')))
    proxy.slowDown(3_000)
    await page.locator('#late').waitFor()
    await until(page, () => document.readyState === 'complete')
    t.ok((await page.evaluate(() => performance.now())) >= 8_000, 'later than the deadline of the server')
    t.match(await page.locator('#late').innerText(), /\d 1970-01-01T00:00:00\.000Z even later$/)
  })

  for (const how of ['closed', 'reset', 'silent'] as const) {
    t.test(`because its connection is ${how}, is ended by the browser after the deadline`, async (t) => {
      const proxy = await openCuttingProxy(t, origin)
      const { page, take } = await openTab(t, browser, { origin: proxy.origin })
      await page.goto('/stream?late=never', { waitUntil: 'commit' })
      await until(page, () => Object.keys(document.querySelector('h1') ?? {}).some((key) => key.startsWith('__react')))
      proxy.cut(how)
      t.equal(await page.locator('#waiting').innerText(), 'waiting', 'the received part is still shown')
      t.equal(await page.evaluate(() => document.readyState), 'loading')

      await page.getByRole('heading', { name: /^Application error: a client-side or server-side/ }).waitFor()
      t.ok((await page.evaluate(() => performance.now())) >= 8_000, 'not before the deadline of the server')
      t.equal(await page.evaluate(() => document.readyState), 'complete', 'the document has ended loading')
      t.equal(await page.locator('#waiting').count(), 0)
      t.equal(await page.locator('div.frame section.fallback').count(), 1, 'the layout is still shown')
      const errors = (await take()).filter((problem) => !problem.includes('net::ERR_'))
      t.match(errors[0], /^console: ServerFailure/)
      t.equal(errors.length, 1, 'the error is logged to the console once')
      t.match(logs.takeErrors()[0], { err: { code: 'APP_RENDER_TIMEOUT' } }, 'the server logs its own timeout')
    })
  }
})
